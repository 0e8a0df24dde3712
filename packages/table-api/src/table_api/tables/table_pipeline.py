"""``TablePipeline``: an insertion that has not been started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_api.delegation import ExplainDetail
from table_api.execution import TableSession
from table_api.operations import SinkModifyOperation
from table_api.table_result import TableResult
from table_common.catalog import ObjectIdentifier

if TYPE_CHECKING:
    from table_api.tables.compiled_plan import CompiledPlan


class TablePipeline:
    """A query and its target table, the result of ``Table.insert_into``: run it alone, or add it to a statement set.

    Example:
        >>> _ = env.execute_sql("CREATE TEMPORARY TABLE nowhere (a INT) WITH ('connector' = 'blackhole')")
        >>> pipeline = env.sql_query("SELECT 1").insert_into("nowhere")
        >>> str(pipeline.get_sink_identifier())
        '`default_catalog`.`default_database`.`nowhere`'
        >>> pipeline.execute().wait()

    Source: Flink's ``org.apache.flink.table.api.TablePipeline``.
    """

    def __init__(self, session: TableSession, operation: SinkModifyOperation) -> None:
        self._session = session
        self._operation = operation

    @property
    def operation(self) -> SinkModifyOperation:
        """The insertion as a logical plan."""
        return self._operation

    def execute(self) -> TableResult:
        """Starts a job; ``result.wait()`` waits for its end.

        Raises:
            TableException: the engine cannot run the plan.
        """
        return self._session.run_inserts([self._operation])

    def compile_plan(self) -> CompiledPlan:
        """Returns the compiled plan, which can be stored and run later.

        Raises:
            TableException: the plan refers to an object of this process: a DataFrame, or a function without a registered name.
        """
        from table_api.plan.compiled import compile_plan
        from table_api.tables.compiled_plan import CompiledPlan

        return CompiledPlan(self._session, compile_plan([self._operation], self._session))

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plan as text."""
        return self._session.explain([self._operation], extra_details)

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plan."""
        print(self.explain(*extra_details))  # noqa: T201  # the purpose of the method

    def get_sink_identifier(self) -> ObjectIdentifier | None:
        """Returns the identifier of the target table, or None for the table of a descriptor."""
        table = self._operation.table
        return None if table.is_anonymous else table.identifier
