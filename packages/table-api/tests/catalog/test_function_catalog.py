from __future__ import annotations

import pytest
from typing_extensions import override

from table_api.catalog import CatalogManager, FunctionCatalog, ModuleEntry, ModuleManager
from table_common.exceptions import ValidationException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import lookup_built_in
from table_common.module import Module


def _built_in(name: str) -> FunctionDefinition:
    found = lookup_built_in(name)
    assert found is not None
    return found


UPPER, LOWER, ABS = _built_in("UPPER"), _built_in("LOWER"), _built_in("ABS")


class OneFunction(Module):
    """Calls ABS by the name ``upper`` and by its own."""

    @override
    def list_functions(self, include_hidden: bool = False) -> set[str]:
        return {"upper", "only_here"}

    @override
    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        return ABS if name.lower() in self.list_functions() else None


@pytest.fixture
def modules() -> ModuleManager:
    return ModuleManager()


@pytest.fixture
def functions(modules: ModuleManager) -> FunctionCatalog:
    return FunctionCatalog(CatalogManager(), modules)


def test_built_in_is_found_in_any_case(functions: FunctionCatalog) -> None:
    assert functions.find_function(("uPPer",)) is UPPER


def test_temporary_system_function_comes_first(functions: FunctionCatalog) -> None:
    functions.create_temporary_system_function("Upper", LOWER)
    assert functions.find_function(("UPPER",)) is LOWER


def test_built_in_comes_before_a_temporary_function_of_a_catalog(functions: FunctionCatalog) -> None:
    functions.create_temporary_function(("upper",), LOWER)
    assert functions.find_function(("upper",)) is UPPER
    assert functions.find_function(("default_database", "upper")) is LOWER


def test_qualified_name_is_never_a_built_in(functions: FunctionCatalog) -> None:
    assert functions.find_function(("default_database", "upper")) is None


def test_temporary_function_is_dropped_once(functions: FunctionCatalog) -> None:
    functions.create_temporary_function(("f",), LOWER)
    assert functions.drop_temporary_function(("F",)) is True
    assert functions.drop_temporary_function(("f",), ignore_if_not_exists=True) is False
    with pytest.raises(ValidationException, match="does not exist"):
        functions.drop_temporary_function(("f",))


def test_function_of_one_name_is_created_once(functions: FunctionCatalog) -> None:
    functions.create_temporary_system_function("f", LOWER)
    with pytest.raises(ValidationException, match="exists already"):
        functions.create_temporary_system_function("F", UPPER)


def test_unknown_function_suggests(functions: FunctionCatalog) -> None:
    assert "Did you mean 'UPPER'" in str(functions.function_not_found(("uper",)))


def test_operators_are_not_listed(functions: FunctionCatalog) -> None:
    assert {"upper", "substr"} <= set(functions.list_functions())
    assert "plus" not in functions.list_functions()


def test_modules_are_asked_in_the_order_of_use(modules: ModuleManager, functions: FunctionCatalog) -> None:
    modules.load_module("mine", OneFunction())
    assert functions.find_function(("upper",)) is UPPER
    modules.use_modules("mine", "core")
    assert functions.find_function(("upper",)) is ABS


def test_module_that_is_not_used_is_not_asked(modules: ModuleManager, functions: FunctionCatalog) -> None:
    modules.load_module("mine", OneFunction())
    modules.use_modules("core")
    assert functions.find_function(("only_here",)) is None
    assert modules.list_full_modules() == [ModuleEntry("core", True), ModuleEntry("mine", False)]


def test_unloaded_module_is_gone(modules: ModuleManager) -> None:
    modules.unload_module("core")
    assert modules.list_full_modules() == []
    with pytest.raises(ValidationException, match="does not exist in the loaded modules"):
        modules.unload_module("core")


def test_module_is_loaded_by_its_factory(modules: ModuleManager) -> None:
    modules.unload_module("core")
    modules.load_module("core")
    assert modules.list_modules() == ["core"]


@pytest.mark.parametrize(
    ("names", "message"), [(("core", "core"), "occurs twice"), (("nope",), "'nope' does not exist")], ids=["twice", "unknown"]
)
def test_wrong_list_of_modules_is_refused(modules: ModuleManager, names: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        modules.use_modules(*names)


def test_module_of_one_name_is_loaded_once(modules: ModuleManager) -> None:
    with pytest.raises(ValidationException, match="loaded already"):
        modules.load_module("core")
