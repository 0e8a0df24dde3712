"""The methods of ``Table`` that describe it: schema and plan."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from table_api.catalog import QueryOperationCatalogView
from table_api.delegation import ExplainDetail
from table_api.execution import TableSession
from table_api.operations import CollectModifyOperation, QueryOperation
from table_api.table_schema import TableSchema
from table_common.catalog import ObjectIdentifier, ResolvedSchema, Schema

if TYPE_CHECKING:
    from table_api.rendering import PlanGraph

_UNNAMED = count()


class TableDescription:
    """Describes a query: its columns and its plan."""

    _path: str | None = None

    def __init__(self, session: TableSession, operation: QueryOperation) -> None:
        self._session = session
        self._operation = operation

    @property
    def query_operation(self) -> QueryOperation:
        """The root of the logical plan."""
        return self._operation

    def get_resolved_schema(self) -> ResolvedSchema:
        """Returns names and types of the columns."""
        return self._operation.resolved_schema

    def get_schema(self) -> TableSchema:
        """Returns names and types of the columns; ``get_resolved_schema`` also has watermarks, primary key and kinds of columns."""
        return TableSchema.of(self._operation.resolved_schema)

    def print_schema(self) -> None:
        """Prints names and types of the columns."""
        print(self.get_resolved_schema())  # noqa: T201  # the purpose of the method

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plan as text: the plan as written, the optimized plan and the engine's physical plan."""
        return self._session.explain([CollectModifyOperation(self._operation)], extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plan."""
        print(self.explain(*extra_details))  # noqa: T201  # the purpose of the method

    def explain_graph(self) -> PlanGraph:
        """Returns the optimized plan as a drawing, which notebooks show and ``save`` writes as an SVG file.

        Raises:
            TableException: the engine cannot run the plan.
        """
        return self._session.explain_graph([CollectModifyOperation(self._operation)])

    def __str__(self) -> str:
        """Returns the path of a temporary view of this table, so that SQL text can name the table: ``f"SELECT … FROM {table}"``.

        The view is created at the first call, under a generated name in the current catalog and database.
        """
        if self._path is None:
            manager = self._session.catalog_manager
            schema = Schema.new_builder().from_resolved_schema(self.get_resolved_schema()).build()
            identifier = ObjectIdentifier(manager.current_catalog, manager.current_database, f"UnnamedTable${next(_UNNAMED)}")
            manager.create_table(identifier, QueryOperationCatalogView(schema, operation=self._operation), is_temporary=True)
            self._path = identifier.as_serializable_string()
        return self._path

    def __repr__(self) -> str:
        return f"Table{self.get_resolved_schema()}"
