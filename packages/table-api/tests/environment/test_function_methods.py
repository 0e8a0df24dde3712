"""Methods of the environment about functions and modules."""

from __future__ import annotations

import pytest

from table_api import CatalogException, ScalarFunction, TableEnvironment, ValidationException
from table_api.udf import udf
from table_common.module import CoreModule


class PlusOne(ScalarFunction):
    def eval(self, i: int) -> int:
        return i + 1


DOUBLE = udf(lambda i: 2 * i, input_types="INT", result_type="INT")


def test_a_temporary_system_function_is_registered_once(env: TableEnvironment) -> None:
    env.create_temporary_system_function("f", PlusOne)
    with pytest.raises(CatalogException, match="Temporary system function 'F' exists already"):
        env.create_temporary_system_function("F", DOUBLE)


def test_what_is_no_function_is_not_registered(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="'int' is not a function of ours"):
        env.create_temporary_system_function("f", 3)


def test_a_name_of_one_part_is_a_system_function_first(env: TableEnvironment) -> None:
    env.create_temporary_function("f", DOUBLE)
    env.create_temporary_function("default_database.f", PlusOne)
    assert env.list_temporary_functions() == ["f"]
    assert [env.drop_temporary_function("f"), env.drop_temporary_function("f"), env.drop_temporary_function("f")] == [True, True, False]


def test_a_catalog_stores_the_class_of_a_module(env: TableEnvironment) -> None:
    env.create_function("f", "fractions.Fraction")
    assert env.list_user_defined_functions() == ["f"]
    assert [env.drop_function("f"), env.drop_function("f")] == [True, False]


def test_a_catalog_stores_no_object(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="but got an object of UserDefinedFunctionWrapper"):
        env.create_function("f", DOUBLE)  # type: ignore[arg-type]  # refused


def test_functions_are_listed_with_and_without_temporary_ones(env: TableEnvironment) -> None:
    env.create_temporary_system_function("zz_mine", DOUBLE)
    assert "zz_mine" in env.list_functions()
    assert "zz_mine" not in env.list_functions(temporary=False)


def test_a_module_is_loaded_last_and_unloaded(env: TableEnvironment) -> None:
    env.load_module("again", CoreModule())
    assert env.list_modules() == ["core", "again"]
    env.unload_module("core")
    assert env.list_modules() == ["again"]


def test_unused_modules_stay_loaded(env: TableEnvironment) -> None:
    env.load_module("again", CoreModule())
    env.use_modules("again")
    assert [(entry.name(), entry.used()) for entry in env.list_full_modules()] == [("again", True), ("core", False)]


def test_a_module_that_cannot_be_created_changes_nothing(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="No module 'nope' is installed"):
        env.load_modules([{"name": "nope"}])
    assert env.list_modules() == ["core"]


@pytest.mark.parametrize("change", [TableEnvironment.unload_module, TableEnvironment.use_modules], ids=lambda method: method.__name__)
def test_a_module_that_is_not_loaded_is_an_error(env: TableEnvironment, change: object) -> None:
    with pytest.raises(ValidationException, match="Module 'nope' does not exist in the loaded modules"):
        change(env, "nope")  # type: ignore[operator]
