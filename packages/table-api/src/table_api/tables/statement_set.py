"""``StatementSet``: several insertions that run as one job."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Self

from table_api.delegation import ExplainDetail, ProgressListener
from table_api.execution import TableSession
from table_api.operations import SinkModifyOperation
from table_api.table_descriptor import TableDescriptor
from table_api.table_result import TableResult
from table_api.tables.table import Table
from table_api.tables.table_pipeline import TablePipeline
from table_common.exceptions import ValidationException

if TYPE_CHECKING:
    from table_api.tables.compiled_plan import CompiledPlan


class StatementSet:
    """Collects insertions and runs them as one job; ``execute`` empties the set.

    Example:
        >>> _ = env.execute_sql("CREATE TEMPORARY TABLE evens (a INT) WITH ('connector' = 'blackhole')")
        >>> _ = env.execute_sql("CREATE TEMPORARY TABLE odds (a INT) WITH ('connector' = 'blackhole')")
        >>> numbers = env.sql_query("SELECT a FROM (VALUES (1), (2), (3)) AS t (a)")
        >>> statements = env.create_statement_set().add_insert("evens", numbers.filter(col("a") % 2 == 0))
        >>> statements.add_insert("odds", numbers.filter(col("a") % 2 == 1)).execute().wait()

    Source: Flink's ``org.apache.flink.table.api.StatementSet``.
    """

    def __init__(self, session: TableSession) -> None:
        self._session = session
        self._operations: list[SinkModifyOperation] = []

    def add(self, table_pipeline: TablePipeline) -> Self:
        """Adds an insertion, the result of ``Table.insert_into``."""
        self._operations.append(table_pipeline.operation)
        return self

    def attach_as_datastream(self) -> NoReturn:
        """Refuses.

        Raises:
            ValidationException: always; the hint names the replacement.
        """
        raise ValidationException(
            "A statement set cannot be attached to a DataStream program: there is no DataStream API.", hint="Call execute."
        )

    def add_insert_sql(self, stmt: str) -> Self:
        """Adds an INSERT statement.

        Raises:
            SqlParserException: the text is not SQL.
            ValidationException: the statement is not an INSERT.
        """
        operation = self._session.parse(stmt)
        if not isinstance(operation, SinkModifyOperation):
            raise ValidationException("A statement set accepts only INSERT statements.")
        self._operations.append(operation)
        return self

    def add_insert(self, target_path_or_descriptor: str | TableDescriptor, table: Table, overwrite: bool = False) -> Self:
        """Adds the insertion of a table's rows; ``overwrite`` replaces the rows of the target.

        Raises:
            CatalogException: the target does not exist.
            ValidationException: its columns have other types.
        """
        return self.add(table.insert_into(target_path_or_descriptor, overwrite))

    def execute(self, *, progress: ProgressListener | None = None) -> TableResult:
        """Starts one job for all insertions; ``result.wait()`` waits for its end.

        Args:
            progress: a listener for the job's progress, called from any thread.

        Raises:
            ValidationException: the set is empty.
            TableException: the engine cannot run the plan.
        """
        operations = self._take()
        return self._session.run_inserts(operations, progress)

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plan of all insertions as text.

        Raises:
            ValidationException: the set is empty.
        """
        self._check_not_empty()
        return self._session.explain(self._operations, extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plan of all insertions."""
        print(self.explain(*extra_details))  # noqa: T201  # the purpose of the method

    def compile_plan(self) -> CompiledPlan:
        """Returns the compiled plan of all insertions, which can be stored and run later; the set is not emptied.

        Raises:
            ValidationException: the set is empty.
            TableException: the plan refers to an object of this process: a DataFrame, or a function without a registered name.
        """
        from table_api.plan.compiled import compile_plan
        from table_api.tables.compiled_plan import CompiledPlan

        self._check_not_empty()
        return CompiledPlan(self._session, compile_plan(self._operations, self._session))

    def _take(self) -> list[SinkModifyOperation]:
        self._check_not_empty()
        operations, self._operations = self._operations, []
        return operations

    def _check_not_empty(self) -> None:
        if not self._operations:
            raise ValidationException("The statement set is empty.", hint="add_insert(…) or add_insert_sql(…) first")
