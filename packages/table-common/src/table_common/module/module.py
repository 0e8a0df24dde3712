"""The module SPI (FLIP-68): functions, types and connectors, as if they were built in."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory
    from table_common.functions import FunctionDefinition
    from table_common.types import DataType

__all__ = ["Module"]


class Module:
    """A set of objects found by name, without a catalog; subclasses override what they provide.

    Names are compared without case. Listing is cheap and loads nothing: a definition is asked for when a statement uses its name, and only
    from the first module that lists it.
    """

    def list_functions(self, include_hidden: bool = False) -> AbstractSet[str]:
        """Returns the names of all functions in lower case; hidden ones, which SHOW FUNCTIONS leaves out, only if asked for."""
        return frozenset()

    def get_function_definition(self, name: str) -> FunctionDefinition | None:
        """Returns the function of this name, or None; is asked only for names that ``list_functions`` has, hidden ones too."""
        return None

    def list_types(self) -> AbstractSet[str]:
        """Returns the names of all types in lower case; a name of a built-in type is never found."""
        return frozenset()

    def get_type(self, name: str) -> DataType | None:
        """Returns the type of this name, or None; is asked only for names that ``list_types`` has."""
        return None

    # Differs from Flink: the connector is named. There a module's factory is taken for every table, whatever its connector.
    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        """Returns the factory of a connector's sources, or None; a module's factory comes before an installed one."""
        return None

    def get_table_sink_factory(self, identifier: str) -> DynamicTableSinkFactory | None:
        """Returns the factory of a connector's sinks, or None; a module's factory comes before an installed one."""
        return None
