"""The interface of a session for ``Table`` and the SQL conversion: lookup of names, and the session's options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from table_api.operations import ContextResolvedTable, QueryOperation
from table_common.catalog import CatalogModel, ObjectIdentifier, ResolvedCatalogTable, ResolvedSchema
from table_common.configuration import Configuration
from table_common.exceptions import SourcePosition
from table_common.frozen_dataclass import dataclass, field
from table_common.functions import EngineFunction, FunctionDefinition

if TYPE_CHECKING:
    from table_api.delegation.planner import Planner
    from table_common.factories import DynamicTableSinkFactory, DynamicTableSourceFactory


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table found by name.

    Example:
        >>> env.execute_sql("CREATE TABLE numbers (n INT) WITH ('connector' = 'datagen')").wait()
        >>> found = env.session.tables.find_table(("numbers",))
        >>> found.identifier.object_name, found.is_temporary
        ('numbers', False)

    Source: Flink's ``org.apache.flink.table.catalog.ContextResolvedTable``.
    """

    identifier: ObjectIdentifier
    table: ResolvedCatalogTable
    is_temporary: bool


@dataclass(frozen=True, slots=True)
class FoundView:
    """A view found by name.

    A view created from a ``Table`` has its ``operation``. An SQL view has ``query``, with all names fully qualified, and ``schema``, with
    the names and types of its columns.

    Example:
        >>> env.create_temporary_view("one", env.sql_query("SELECT 1 AS a"))
        >>> env.session.tables.find_table(("one",)).is_temporary
        True
    """

    identifier: ObjectIdentifier
    is_temporary: bool
    schema: ResolvedSchema | None = None
    query: str | None = None
    operation: QueryOperation | None = None
    options: Mapping[str, str] = field(default_factory=dict)


class TableLookup(Protocol):
    """Finds tables and views by name.

    Source: Flink's ``org.apache.flink.table.catalog.CatalogManager``.

    Example:
        >>> str(env.session.tables.qualify(("orders",)))
        '`default_catalog`.`default_database`.`orders`'
    """

    def qualify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        """Returns the full identifier of a name of one to three parts.

        Raises:
            ValidationException: the name has no or more than three parts, or an empty one.
        """

    def find_table(self, path: tuple[str, ...]) -> FoundTable | FoundView | None:
        """Returns the table or view of this name, temporary objects first; None if there is none."""

    def table_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> Exception:
        """Returns the error for an unknown name: what is missing (catalog, database, table) and the closest names."""


class FunctionLookup(Protocol):
    """Finds functions by name.

    Source: Flink's ``org.apache.flink.table.catalog.FunctionLookup``.

    Example:
        >>> env.session.functions.find_function(("upper",)).name
        'UPPER'
    """

    def find_function(self, path: tuple[str, ...]) -> FunctionDefinition | None:
        """Returns the function of this name, or None; searches temporary system, built-in, temporary catalog and catalog functions."""

    def sql_name(self, function: FunctionDefinition) -> str | None:
        """Returns the qualified name of a registered user-defined function as SQL text; None if it is not registered."""

    def function_not_found(self, path: tuple[str, ...], position: SourcePosition | None = None) -> Exception:
        """Returns the error for an unknown function, with the closest names."""


class ModuleLookup(Protocol):
    """Finds connector factories of modules.

    Source: Flink's ``org.apache.flink.table.module.ModuleManager``.

    Example:
        >>> env.session.modules.get_table_source_factory("pages") is None
        True
    """

    def get_table_source_factory(self, identifier: str) -> DynamicTableSourceFactory | None:
        """Returns a module's source factory for a connector; None if no module has one, so that the installed one is used."""

    def get_table_sink_factory(self, identifier: str) -> DynamicTableSinkFactory | None:
        """Returns a module's sink factory for a connector; None if no module has one, so that the installed one is used."""


class ModelLookup(Protocol):
    """Finds models by name.

    Example:
        >>> env.session.models.find(("chat",)) is None
        True

    Source: Flink's ``org.apache.flink.table.catalog.CatalogManager``.
    """

    def find(self, path: tuple[str, ...]) -> tuple[ObjectIdentifier, CatalogModel, bool] | None:
        """Returns identifier, model and whether it is temporary; None if it does not exist."""

    def get(self, path: tuple[str, ...]) -> tuple[ObjectIdentifier, CatalogModel, bool]:
        """Does what ``find`` does.

        Raises:
            CatalogException: the model does not exist.
        """


class Session(Protocol):
    """The interface of a table environment for the layers below it.

    Example:
        >>> env.session.convert_query("SELECT 1 AS a").resolved_schema.column_names
        ('a',)
    """

    @property
    def configuration(self) -> Configuration:
        """The session's options, live."""

    @property
    def tables(self) -> TableLookup:
        """The lookup of tables."""

    @property
    def functions(self) -> FunctionLookup:
        """The lookup of functions."""

    @property
    def modules(self) -> ModuleLookup:
        """The lookup of connectors in modules."""

    @property
    def models(self) -> ModelLookup:
        """The lookup of models."""

    @property
    def is_streaming_mode(self) -> bool:
        """Whether the environment was created in streaming mode."""

    def file_table(self, format_: str | None, path: str, options: Mapping[str, str]) -> ContextResolvedTable:
        """Returns the table of the files of a path, whose columns are inferred; the format is that of the file's name if it is None.

        Raises:
            ValidationException: there is no such file, or an option is wrong.
        """

    @property
    def planner(self) -> Planner:
        """The planner of the engine, which is created at its first use."""

    def resolve_function(self, function: EngineFunction) -> FunctionDefinition:
        """Resolves an engine-native function for the session's planner.

        Raises:
            TableException: the planner does not support the function; the message gives the reason.
        """

    def convert_query(self, text: str) -> QueryOperation:
        """Parses and resolves the text of a query."""

    def expand_view(self, view: FoundView) -> QueryOperation:
        """Returns the resolved query of a view.

        Raises:
            ValidationException: the view reads itself, or its query can no longer be resolved.
        """
