"""The contract of modules. Needs no engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSet
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar

from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory
from table_common.functions import FunctionDefinition
from table_common.module import Module, ModuleFactory
from table_common.types import DataType, LogicalType, named_types, parse_logical_type

_UNKNOWN = ("no_such_name", "", " ", "`", "no.such", "größe", "%", "__class__")


class ModuleCompliance:
    """Subclass it with ``create_module``, or with ``factory`` and ``options`` if LOAD MODULE can create it; ``connectors`` lists its connectors.

    Example:
        >>> from table_common.module import CoreModuleFactory
        >>> class TestCore(ModuleCompliance):
        ...     factory = CoreModuleFactory
        >>> TestCore().test_all_functions_that_are_listed_are_defined()
    """

    factory: ClassVar[type[ModuleFactory] | None] = None
    options: ClassVar[Mapping[str, str]] = {}
    connectors: ClassVar[tuple[str, ...]] = ()
    """The identifiers of the module's connectors."""

    def create_module(self) -> Module:
        """Returns a new module; by default the factory creates it from the options."""
        assert self.factory is not None, f"{type(self).__name__} defines neither a factory nor create_module"
        return self.factory().create_module(ModuleFactory.Context(dict(self.options)))

    # --- functions ---------------------------------------------------------------------------------------------------------------

    def test_names_of_functions_are_in_lower_case(self) -> None:
        _are_names(self.create_module().list_functions(True))

    def test_hidden_functions_are_listed_only_if_asked_for(self) -> None:
        module = self.create_module()
        shown, all_ = module.list_functions(), module.list_functions(True)
        assert shown == module.list_functions(False)
        assert shown <= all_, f"these are shown, but not among all functions: {sorted(shown - all_)}"

    def test_all_functions_that_are_listed_are_defined(self) -> None:
        module = self.create_module()
        for name in sorted(module.list_functions()):
            assert isinstance(_definition(module, name), FunctionDefinition), f"'{name}' is listed, but not defined"

    def test_functions_are_found_in_any_case(self) -> None:
        module = self.create_module()
        for name in sorted(module.list_functions()):
            expected = _definition(module, name)
            for spelling in (name.upper(), name.title()):
                assert _definition(module, spelling) == expected, f"'{spelling}' is not the function '{name}'"

    def test_a_function_has_one_definition(self) -> None:
        module = self.create_module()
        for name in sorted(module.list_functions()):
            same = _definition(module, name) is _definition(module, name)
            assert same, f"'{name}' has a new definition each time, so that equal calls are not known to be equal"

    def test_unknown_functions_are_none(self) -> None:
        module = self.create_module()
        _are_unknown(module.get_function_definition, module.list_functions(True))

    def test_lists_that_are_returned_are_copies(self) -> None:
        module = self.create_module()
        calls: tuple[Callable[[], AbstractSet[str]], ...] = (
            module.list_functions,
            lambda: module.list_functions(True),
            module.list_types,
        )
        for call in calls:
            before = frozenset(call())
            returned = call()
            if isinstance(returned, MutableSet):
                returned.clear()
                returned.add("added_outside")
            assert call() == before, "a set that was returned is the module's own"

    def test_two_modules_are_alike(self) -> None:
        one, other = self.create_module(), self.create_module()
        assert one.list_functions(True) == other.list_functions(True)
        assert one.list_types() == other.list_types()

    # --- types -------------------------------------------------------------------------------------------------------------------

    def test_names_of_types_are_in_lower_case(self) -> None:
        _are_names(self.create_module().list_types())

    def test_types_are_found_in_any_case(self) -> None:
        module = self.create_module()
        for name in sorted(module.list_types()):
            found = module.get_type(name)
            assert isinstance(found, DataType), f"the type '{name}' is listed, but not defined"
            assert module.get_type(name.upper()) == found, f"'{name.upper()}' is not the type '{name}'"

    def test_names_of_types_are_not_taken(self) -> None:
        for name in sorted(self.create_module().list_types()):
            try:
                parse_logical_type(name)
            except ValidationException:
                continue
            raise AssertionError(f"'{name}' is a built-in type, so that the module's is never found")

    def test_unknown_types_are_none(self) -> None:
        module = self.create_module()
        _are_unknown(module.get_type, module.list_types())

    # --- connectors and the factory ----------------------------------------------------------------------------------------------

    def test_connectors_are_found_by_their_identifiers(self) -> None:
        module = self.create_module()
        for identifier in self.connectors:
            source, sink = module.get_table_source_factory(identifier), module.get_table_sink_factory(identifier)
            assert source is not None or sink is not None, f"the module has no connector '{identifier}'"
            if source is not None:
                assert isinstance(source, DynamicTableSourceFactory)
            if sink is not None:
                assert isinstance(sink, DynamicTableSinkFactory)

    def test_unknown_connectors_are_none(self) -> None:
        module = self.create_module()
        known = frozenset(self.connectors)
        _are_unknown(module.get_table_source_factory, known)
        _are_unknown(module.get_table_sink_factory, known)

    def test_the_factory_makes_the_module(self) -> None:
        if self.factory is not None:
            made = self.factory().create_module(ModuleFactory.Context(dict(self.options)))
            assert type(made) is type(self.create_module())
            assert self.factory().factory_identifier.strip()

    def test_the_factory_refuses_unknown_options(self) -> None:
        if self.factory is None:
            return
        try:
            self.factory().create_module(ModuleFactory.Context({**self.options, "no-such-option": "x"}))
        except ValidationException as error:
            message = str(error)
        else:
            raise AssertionError("an unknown option is accepted")
        assert "no-such-option" in message


def _definition(module: Module, name: str) -> FunctionDefinition | None:
    """Asks for a function as a session does: types of the module are known in hints."""

    def find(type_name: str) -> LogicalType | None:
        found = module.get_type(type_name) if type_name.lower() in module.list_types() else None
        return None if found is None else found.logical_type

    with named_types(find):
        return module.get_function_definition(name)


def _are_names(names: AbstractSet[str]) -> None:
    for name in names:
        assert name.strip(), "a name is empty"
        assert name == name.lower(), f"the name '{name}' is not in lower case"


def _are_unknown(find: Callable[[str], Any], known: AbstractSet[str]) -> None:
    near = [name for listed in sorted(known)[:3] for name in (f"{listed}_", f"_{listed}", f" {listed}")]
    for name in (*_UNKNOWN, *near):
        if name in known:
            continue
        try:
            found = find(name)
        except Exception as error:
            raise AssertionError(f"{find.__name__}('{name}') raises {type(error).__name__} instead of giving None: {error}") from error
        assert found is None, f"{find.__name__}('{name}') gives {found}, but '{name}' is not listed"
