"""The methods of ``Table`` that describe it: schema and plan."""

from __future__ import annotations

from table_api.delegation import ExplainDetail
from table_api.execution import TableSession
from table_api.operations import CollectModifyOperation, QueryOperation
from table_api.table_schema import TableSchema
from table_common.catalog import ResolvedSchema

__all__ = ["TableDescription"]


class TableDescription:
    """Describes a query: its columns and its plan."""

    _session: TableSession
    _operation: QueryOperation

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
        """Returns the plan as text: the plan as written, the optimised plan and the engine's physical plan."""
        return self._session.explain([CollectModifyOperation(self._operation)], extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plan."""
        print(self.explain(*extra_details))  # noqa: T201  # the purpose of the method

    def __str__(self) -> str:
        return f"Table{self.get_resolved_schema()}"
