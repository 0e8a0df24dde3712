"""``TablePipeline``: a query and the table that its rows go to, not started yet."""

from __future__ import annotations

from table_api.delegation import ExplainDetail
from table_api.execution import TableSession
from table_api.operations import SinkModifyOperation
from table_api.table_result import TableResult
from table_common.catalog import ObjectIdentifier

__all__ = ["TablePipeline"]


class TablePipeline:
    """What ``Table.insert_into`` gives: run it alone, or add it to a statement set."""

    def __init__(self, session: TableSession, operation: SinkModifyOperation) -> None:
        self._session = session
        self._operation = operation

    @property
    def operation(self) -> SinkModifyOperation:
        """The insertion as a plan."""
        return self._operation

    def execute(self) -> TableResult:
        """Starts the job; ``wait()`` of the result waits for its end."""
        return self._session.run_inserts([self._operation])

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plan as text."""
        return self._session.explain([self._operation], extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plan."""
        print(self.explain(*extra_details))  # noqa: T201  # that is what it is for

    def get_sink_identifier(self) -> ObjectIdentifier | None:
        """Returns the name of the table written to, or None if it has none."""
        table = self._operation.table
        return None if table.is_anonymous else table.identifier
