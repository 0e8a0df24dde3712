"""What a ``Table`` and the SQL conversion hold instead of the environment: how names are found, and the session's options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from table_api.operations import QueryOperation
from table_common.catalog import ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema
from table_common.configuration import Configuration
from table_common.exceptions import SourcePosition
from table_common.frozen_dataclass import dataclass, field
from table_common.functions import EngineFunction, FunctionDefinition

if TYPE_CHECKING:
    from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory

__all__ = ["FoundTable", "FoundView", "FunctionLookup", "ModuleLookup", "Session", "TableLookup"]


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table that a name stands for."""

    identifier: ObjectIdentifier
    table: ResolvedCatalogTable
    is_temporary: bool


@dataclass(frozen=True, slots=True)
class FoundView:
    """A view that a name stands for.

    A view of a ``Table`` has its ``operation``. A view of SQL has ``query`` (all names in it are full) and its ``schema`` gives the names
    and types of its columns.
    """

    identifier: ObjectIdentifier
    is_temporary: bool
    schema: ResolvedSchema | None = None
    query: str | None = None
    operation: QueryOperation | None = None
    options: Mapping[str, str] = field(default_factory=dict)


class TableLookup(Protocol):
    """Finds tables and views by name."""

    def qualify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        """Returns the full identifier of a name of one to three parts.

        Raises:
            ValidationException: the name has no or more than three parts, or an empty one.
        """

    def find_table(self, path: tuple[str, ...]) -> FoundTable | FoundView | None:
        """Returns what the name stands for, temporary objects first; None if there is nothing."""

    def table_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> Exception:
        """Returns the error for a name that stands for nothing: what is missing (catalog, database, table) and the closest names."""


class FunctionLookup(Protocol):
    """Finds functions by name."""

    def find_function(self, path: tuple[str, ...]) -> FunctionDefinition | None:
        """Returns the function a name stands for, or None: temporary system, built-in, temporary catalog, catalog functions."""

    def sql_name(self, function: FunctionDefinition) -> str | None:
        """Returns the full name under which a user's function is registered, as SQL text; None if it is not."""

    def function_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> Exception:
        """Returns the error for an unknown function, with the closest names."""


class ModuleLookup(Protocol):
    """Finds what modules have beside functions."""

    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        """Returns the factory of a connector's sources that a module has, or None: then it is looked for among those installed."""

    def get_table_sink_factory(self, identifier: str) -> DynamicTableSinkFactory | None:
        """Returns the factory of a connector's sinks that a module has, or None: then it is looked for among those installed."""


class Session(Protocol):
    """One table environment, as everything below it sees it."""

    @property
    def configuration(self) -> Configuration:
        """The session's options, live."""

    @property
    def tables(self) -> TableLookup:
        """How tables are found."""

    @property
    def functions(self) -> FunctionLookup:
        """How functions are found."""

    @property
    def modules(self) -> ModuleLookup:
        """How connectors of modules are found."""

    @property
    def is_streaming_mode(self) -> bool:
        """Whether the environment was created in streaming mode."""

    def resolve_function(self, function: EngineFunction) -> FunctionDefinition:
        """Returns what a function of an engine is for the session's planner.

        Raises:
            TableException: the planner cannot run it; the message says why.
        """

    def convert_query(self, text: str) -> QueryOperation:
        """Parses and resolves the text of a query."""

    def expand_view(self, view: FoundView) -> QueryOperation:
        """Returns the query that a view stands for.

        Raises:
            ValidationException: the view reads itself, or its query cannot be resolved any more.
        """
