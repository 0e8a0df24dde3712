"""``StatementSet``: several insertions that run as one job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from table_api.delegation import ExplainDetail, ProgressListener
from table_api.execution import TableSession
from table_api.operations import SinkModifyOperation
from table_api.table import Table
from table_api.table_descriptor import TableDescriptor
from table_api.table_pipeline import TablePipeline
from table_api.table_result import TableResult
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.compiled_plan import CompiledPlan

__all__ = ["StatementSet"]


class StatementSet:
    """Collects insertions; after ``execute`` it is empty again."""

    def __init__(self, session: TableSession) -> None:
        self._session = session
        self._operations: list[SinkModifyOperation] = []

    def add(self, table_pipeline: TablePipeline) -> Self:
        """Adds what ``Table.insert_into`` gave."""
        self._operations.append(table_pipeline.operation)
        return self

    def add_insert_sql(self, stmt: str) -> Self:
        """Adds an INSERT statement.

        Raises:
            ValidationException: the statement is no INSERT.
        """
        operation = self._session.parse(stmt)
        if not isinstance(operation, SinkModifyOperation):
            raise ValidationException("A statement set takes INSERT statements only.")
        self._operations.append(operation)
        return self

    def add_insert(self, target_path_or_descriptor: str | TableDescriptor, table: Table, overwrite: bool = False) -> Self:
        """Adds the insertion of a table's rows."""
        return self.add(table.insert_into(target_path_or_descriptor, overwrite))

    def execute(self, *, progress: ProgressListener | None = None) -> TableResult:
        """Starts one job that does all insertions; ``progress`` is told what it does, from any thread.

        Raises:
            ValidationException: nothing was added.
        """
        operations = self._take()
        return self._session.run_inserts(operations, progress)

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plan of all insertions as text."""
        self._check_not_empty()
        return self._session.explain(self._operations, extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plan of all insertions."""
        print(self.explain(*extra_details))  # noqa: T201  # that is what it is for

    def compile_plan(self) -> CompiledPlan:
        """Returns the plan of all insertions, to keep and to run later; the set stays as it is.

        Raises:
            TableException: it holds what cannot leave this program: a DataFrame, a function that no name finds.
        """
        from table_api.compiled_plan import CompiledPlan
        from table_api.plan.compiled import compile_plan

        self._check_not_empty()
        return CompiledPlan(self._session, compile_plan(self._operations, self._session))

    def _take(self) -> list[SinkModifyOperation]:
        self._check_not_empty()
        operations, self._operations = self._operations, []
        return operations

    def _check_not_empty(self) -> None:
        if not self._operations:
            raise ValidationException("The statement set is empty.", hint="add_insert(…) or add_insert_sql(…) first")
