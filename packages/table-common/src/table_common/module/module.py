"""The module SPI (FLIP-68): functions, types and connectors, as if they were built in."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory
    from table_common.functions import FunctionDefinition
    from table_common.types import DataType


class Module:
    """A set of functions, types and connectors that are found by name, without a catalog; subclasses override the methods they need.

    Source: Flink's ``org.apache.flink.table.module.Module``.

    Names are compared without case. Listing must be cheap and load nothing: a session requests a definition when a statement uses its name,
    and only from the first module that lists it.

    Example:
        >>> from table_common.functions import ScalarFunction, UserFunction
        >>> class Greeting(ScalarFunction):
        ...     def eval(self, name: str) -> str:
        ...         return f"Hello, {name}!"
        >>> class Greetings(Module):
        ...     def list_functions(self, include_hidden=False):
        ...         return {"greeting"}
        ...     def get_function_definition(self, name):
        ...         return UserFunction(Greeting(), name) if name == "greeting" else None
        >>> Greetings().get_function_definition("greeting").name
        'greeting'
    """

    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        """Returns the names of all functions in lower case; hidden ones, which SHOW FUNCTIONS omits, only with ``include_hidden``."""
        return frozenset()

    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        """Returns the function of this name, or None; called only for names in ``list_functions``, including hidden ones."""
        return None

    def list_types(self) -> AbstractSet[str]:
        """Returns the names of all types in lower case; built-in types take precedence over them."""
        return frozenset()

    def get_type(self, name: str) -> DataType | None:
        """Returns the type of this name, or None; called only for names in ``list_types``."""
        return None

    # Differs from Flink: get_table_source_factory and get_table_sink_factory of a module get the connector's identifier. In Flink a
    # module's factory serves the tables of every connector.
    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        """Returns the factory of a connector's sources, or None; it takes precedence over an installed factory."""
        return None

    def get_table_sink_factory(self, identifier: str) -> DynamicTableSinkFactory | None:
        """Returns the factory of a connector's sinks, or None; it takes precedence over an installed factory."""
        return None
