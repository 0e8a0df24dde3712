"""FLIP-68's modules: what is loaded, what is used, and that nothing is asked for before it is needed."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import pytest
from typing_extensions import override

from table_api.catalog import CatalogManager, FunctionCatalog, ModuleEntry, ModuleManager
from table_common.exceptions import ValidationException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import lookup_built_in
from table_common.module import CoreModule, Module, ModuleFactory
from table_common.types import DataType, DataTypes, IntType


class Spy(Module):
    """Lists ``abs`` and ``mine`` and the type ``point``, and notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @override
    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        return {"abs", "mine", *({"hidden"} if include_hidden else ())}

    @override
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        self.asked.append(name)
        return lookup_built_in("LOWER")

    @override
    def list_types(self) -> AbstractSet[str]:
        return {"point"}

    @override
    def get_type(self, name: str) -> DataType | None:
        self.asked.append(name)
        return DataTypes.of("ROW<x DOUBLE, y DOUBLE>")


@pytest.fixture
def modules() -> ModuleManager:
    return ModuleManager()


def test_list_modules_begins_with_core(modules: ModuleManager) -> None:
    assert modules.list_modules() == ["core"]
    assert isinstance(CoreModule().get_function_definition("upper"), FunctionDefinition)


def test_module_interface_has_a_default_for_everything() -> None:
    module = Module()
    assert module.list_functions() == frozenset()
    assert module.get_function_definition("f") is None
    assert module.list_types() == frozenset()
    assert module.get_type("t") is None
    assert module.get_table_source_factory("c") is None
    assert module.get_table_sink_factory("c") is None


def test_load_module_and_list_functions_ask_for_no_definition(modules: ModuleManager) -> None:
    spy = Spy()
    modules.load_module("spy", spy)
    modules.list_functions()
    modules.list_types()
    modules.list_full_modules()
    FunctionCatalog(CatalogManager(), modules).list_functions()
    assert spy.asked == []


def test_get_function_definition_asks_only_the_module_that_has_it(modules: ModuleManager) -> None:
    spy = Spy()
    modules.load_module("spy", spy)
    modules.get_function_definition("abs")
    modules.get_function_definition("nowhere")
    assert spy.asked == []
    modules.get_function_definition("Mine")
    assert spy.asked == ["Mine"]


def test_load_module_appends_to_the_order(modules: ModuleManager) -> None:
    modules.load_module("b", Spy())
    modules.load_module("a", Spy())
    assert modules.list_modules() == ["core", "b", "a"]


def test_unload_module_keeps_the_order_of_the_others(modules: ModuleManager) -> None:
    modules.load_module("b", Spy())
    modules.load_module("a", Spy())
    modules.unload_module("b")
    assert modules.list_modules() == ["core", "a"]


def test_use_modules_decides_who_is_asked_first(modules: ModuleManager) -> None:
    modules.load_module("spy", Spy())
    assert modules.get_function_definition("ABS") is lookup_built_in("ABS")
    modules.use_modules("spy", "core")
    assert modules.get_function_definition("ABS") is lookup_built_in("LOWER")


def test_use_modules_leaves_the_others_loaded(modules: ModuleManager) -> None:
    modules.load_module("spy", Spy())
    modules.use_modules("spy")
    assert modules.list_full_modules() == [ModuleEntry("spy", True), ModuleEntry("core", False)]


def test_list_functions_is_what_used_modules_have(modules: ModuleManager) -> None:
    modules.load_module("spy", Spy())
    assert {"mine", "upper"} <= modules.list_functions()
    modules.use_modules("spy")
    assert modules.list_functions() == {"abs", "mine"}


def test_list_full_modules_says_which_are_used(modules: ModuleManager) -> None:
    modules.load_module("spy", Spy())
    modules.use_modules("core")
    assert modules.list_full_modules() == [ModuleEntry("core", True), ModuleEntry("spy", False)]


def test_create_module_gets_the_options_without_the_type(modules: ModuleManager, monkeypatch: pytest.MonkeyPatch) -> None:
    class SpyFactory:
        def create_module(self, context: ModuleFactory.Context) -> Module:
            assert context.options == {"color": "red"}
            return Spy()

    monkeypatch.setattr(ModuleFactory, "discover", {"spy": SpyFactory()}.__getitem__)
    modules.load_module("old", options={"type": "spy", "color": "red"})
    assert "mine" in modules.list_functions()


def test_hidden_function_is_found_but_not_listed(modules: ModuleManager) -> None:
    modules.load_module("spy", Spy())
    assert "hidden" not in modules.list_functions()
    assert modules.get_function_definition("HIDDEN") is lookup_built_in("LOWER")


def test_get_type_and_list_types_compare_without_case(modules: ModuleManager) -> None:
    modules.load_module("spy", Spy())
    assert modules.list_types() == {"point"}
    assert modules.get_type("POINT") == DataTypes.of("ROW<x DOUBLE, y DOUBLE>")
    assert modules.find_logical_type("nowhere") is None


def test_type_option_loads_one_type_under_two_names(modules: ModuleManager) -> None:
    modules.load_module("again", options={"type": "core"})
    assert modules.list_modules() == ["core", "again"]


def test_unknown_type_of_module_lists_what_is_installed(modules: ModuleManager) -> None:
    with pytest.raises(ValidationException, match=r"No module 'cor' is installed. Did you mean 'core'"):
        modules.load_module("x", options={"type": "cor"})
    assert modules.list_modules() == ["core"]


def test_load_module_refuses_options_that_the_factory_does_not_know(modules: ModuleManager) -> None:
    modules.unload_module("core")
    with pytest.raises(ValidationException, match="speed"):
        modules.load_module("core", options={"speed": "fast"})


@pytest.mark.parametrize("wrong", [CoreModule, "core", IntType()], ids=["class", "text", "type"])
def test_load_module_takes_only_instances_of_module(modules: ModuleManager, wrong: object) -> None:
    with pytest.raises(ValidationException, match=r"must be an instance of table_common.module.Module"):
        modules.load_module("x", wrong)  # type: ignore[arg-type]  # what a user may get wrong


# --- YAML ------------------------------------------------------------------------------------------------------------------------


def test_yaml_file_without_section_leaves_core(modules: ModuleManager) -> None:
    modules.load_modules(None)
    assert modules.list_modules() == ["core"]


def test_yaml_section_is_the_whole_list(modules: ModuleManager) -> None:
    modules.load_modules([{"name": "a", "type": "core"}, {"name": "b", "type": "core"}])
    assert modules.list_modules() == ["a", "b"]


def test_yaml_section_may_leave_core_out(modules: ModuleManager) -> None:
    modules.load_modules([])
    assert modules.list_full_modules() == []


def test_yaml_section_without_type_takes_it_from_the_name(modules: ModuleManager) -> None:
    modules.load_module("mine", Spy())
    modules.load_modules([{"name": "core"}])
    assert modules.list_modules() == ["core"]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"name": "core"}, "must be a list, but is a map"),
        (["core"], "Entry 1 of the section 'modules' must be a map"),
        ([{"type": "core"}], "Entry 1 of the section 'modules' has no name"),
        ([{"name": "core"}, {"name": "core"}], "Entry 2 .* has the name 'core', like an earlier entry"),
        ([{"name": "core", "speed": 3}], "speed"),
        ([{"name": "core", "x": [1]}], "must be a text, a number or true or false, but is a list"),
        ([{"name": "core"}, {"name": "nope"}], "No module 'nope' is installed"),
    ],
    ids=["map", "text", "unnamed", "twice", "option", "nested", "unknown"],
)
def test_wrong_yaml_section_changes_nothing(modules: ModuleManager, section: object, message: str) -> None:
    modules.load_module("mine", Spy())
    with pytest.raises(ValidationException, match=message):
        modules.load_modules(section)  # type: ignore[arg-type]  # what a file may hold
    assert modules.list_modules() == ["core", "mine"]


# --- without core ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def functions(modules: ModuleManager) -> FunctionCatalog:
    return FunctionCatalog(CatalogManager(), modules)


def test_standard_function_is_there_without_core(modules: ModuleManager, functions: FunctionCatalog) -> None:
    modules.unload_module("core")
    assert functions.find_function(("upper",)) is lookup_built_in("UPPER")


def test_other_function_of_core_is_gone_with_it(modules: ModuleManager, functions: FunctionCatalog) -> None:
    modules.unload_module("core")
    assert functions.find_function(("array_union",)) is None
    error = functions.function_not_found(("array_union",))
    assert "it is a function of the module 'core', which is not loaded" in error.message
    assert error.hint == "LOAD MODULE core"


def test_function_of_a_module_that_is_not_used_says_so(modules: ModuleManager, functions: FunctionCatalog) -> None:
    modules.load_module("spy", Spy())
    modules.use_modules("core")
    error = functions.function_not_found(("mine",))
    assert "of the module 'spy', which is loaded, but not used" in error.message
    assert error.hint == "USE MODULES core, spy"
