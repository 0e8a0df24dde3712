"""``TablePipeline``: a query and the table that its rows go to, not started yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.delegation import ExplainDetail
from table_api.execution import TableSession
from table_api.operations import SinkModifyOperation
from table_api.table_result import TableResult
from table_common.catalog import ObjectIdentifier

if TYPE_CHECKING:
    from table_api.compiled_plan import CompiledPlan

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

    def compile_plan(self) -> CompiledPlan:
        """Returns the plan, to keep and to run later.

        Raises:
            TableException: it holds what cannot leave this program: a DataFrame, a function that no name finds.
        """
        from table_api.compiled_plan import CompiledPlan
        from table_api.plan.compiled import compile_plan

        return CompiledPlan(self._session, compile_plan([self._operation], self._session))

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
