"""Hive's functions by version, and what is known of them without Hive."""

from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import EngineFunction, FunctionKind
from table_common.functions.builtin import BUILT_INS_BY_NAME, lookup_built_in
from table_common.module import ModuleFactory
from table_runtime.modules.hive import HiveModule, HiveModuleFactory
from table_runtime.modules.hive.equivalents import ALWAYS_EQUIVALENT, EQUIVALENTS, SUBSTITUTES, UNRUNNABLE
from table_runtime.modules.hive.registry import OWN, VERSIONS, hive_built_ins


def test_hive_version_decides_which_functions_there_are() -> None:
    assert "octet_length" not in HiveModule("1.2.1").list_functions()
    assert "octet_length" in HiveModule("2.2.0").list_functions()
    assert "width_bucket" not in HiveModule("2.3.10").list_functions()
    assert "width_bucket" in HiveModule("3.1.3").list_functions()
    assert "ewah_bitmap" not in HiveModule("3.0.0").list_functions()


def test_hive_version_has_a_default() -> None:
    assert HiveModule().hive_version == "2.3.10"


@pytest.mark.parametrize("version", ["0.13.1", "4.0.0", "2", "latest", "2.3.", ""])
def test_hive_version_that_is_not_known_is_refused(version: str) -> None:
    with pytest.raises(ValidationException, match=r"Known are the versions 1\.0\.x, .*, 3\.1\.x"):
        HiveModule(version)


def test_hive_version_is_an_option_of_the_factory() -> None:
    context = ModuleFactory.Context({"hive-version": "1.2.2"})
    assert HiveModuleFactory().create_module(context).hive_version == "1.2.2"


def test_hive_factory_refuses_other_options() -> None:
    with pytest.raises(ValidationException, match="hive-version"):
        HiveModuleFactory().create_module(ModuleFactory.Context({"hive-versoin": "1.2.2"}))


def test_hive_factory_is_found_by_its_name() -> None:
    assert isinstance(ModuleFactory.discover("hive"), HiveModuleFactory)


def test_hive_function_is_one_definition_in_any_case() -> None:
    module = HiveModule()
    found = module.get_function_definition("Soundex")
    assert found is module.get_function_definition("SOUNDEX")
    assert isinstance(found, EngineFunction)
    assert (found.system, found.implementation) == ("hive", "org.apache.hadoop.hive.ql.udf.generic.GenericUDFSoundex")


def test_hive_function_kinds_are_distinguished() -> None:
    module = HiveModule()
    kinds = [found.kind for name in ("soundex", "corr", "stack") if (found := module.get_function_definition(name)) is not None]
    assert kinds == [FunctionKind.SCALAR, FunctionKind.AGGREGATE, FunctionKind.TABLE]


def test_hive_function_of_another_version_is_not_there() -> None:
    assert HiveModule("1.0.0").get_function_definition("soundex") is None


def test_hive_functions_of_clauses_are_those_of_sql() -> None:
    module = HiveModule()
    assert module.get_function_definition("count") is lookup_built_in("COUNT")
    assert module.get_function_definition("row_number") is lookup_built_in("ROW_NUMBER")


def test_hive_tables_name_what_there_is() -> None:
    known = hive_built_ins().keys()
    assert EQUIVALENTS.keys() <= known
    assert SUBSTITUTES.keys() <= known
    assert UNRUNNABLE.keys() <= known
    assert EQUIVALENTS.keys() >= ALWAYS_EQUIVALENT
    assert not UNRUNNABLE.keys() & {*EQUIVALENTS, *SUBSTITUTES}
    assert {*EQUIVALENTS.values(), *OWN.values()} <= BUILT_INS_BY_NAME.keys()
    assert all(function.since in VERSIONS for function in hive_built_ins().values())


def test_hive_equivalents_are_of_the_same_kind() -> None:
    built_ins = hive_built_ins()
    assert all(BUILT_INS_BY_NAME[own].kind is built_ins[name].kind for name, own in EQUIVALENTS.items())
