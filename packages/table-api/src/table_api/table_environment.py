"""``TableEnvironment``: where every program begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from table_api.arrow_tables import ArrowTables
from table_api.catalog_methods import CatalogMethods
from table_api.delegation import ExplainDetail, ProgressListener
from table_api.deprecated_methods import DeprecatedMethods
from table_api.environment_settings import EnvironmentSettings
from table_api.execution import TableSession, execute_statement
from table_api.expressions.node_holder import to_unresolved
from table_api.function_methods import FunctionMethods
from table_api.model_methods import ModelMethods
from table_api.python_dependencies import PythonDependencies
from table_api.resolution.operation_builder import OperationBuilder
from table_api.table_config import TableConfig
from table_api.table_result import TableResult
from table_common.catalog import parse_path
from table_common.configuration import Configuration
from table_common.types import DataType, LogicalType

if TYPE_CHECKING:
    from table_api.compiled_plan import CompiledPlan, PlanReference
    from table_api.operations import QueryOperation
    from table_api.statement_set import StatementSet
    from table_api.table import Table
    from table_api.table_descriptor import TableDescriptor

__all__ = ["TableEnvironment"]


class TableEnvironment(ArrowTables, CatalogMethods, FunctionMethods, ModelMethods, PythonDependencies, DeprecatedMethods):
    """A session: catalogs, functions, options, and the engine that runs its queries.

    The engine starts at the first query, so an environment is there at once and DDL needs none. It may be used from several threads. The end of
    its ``with`` block and the end of the program wait for inserts and tell failures; ``close``, an exception and Ctrl-C cancel inserts.

    Example:
        >>> with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        ...     env.execute_sql("SELECT 1 + 1 AS two").print()
        +-----+
        | two |
        +-----+
        |   2 |
        +-----+
        1 row in set
    """

    def __init__(self, session: TableSession) -> None:
        """Use ``create``."""
        self._session = session

    @classmethod
    def create(
        cls,
        environment_settings: EnvironmentSettings | Configuration | TableConfig | None = None,
        *,
        external: Mapping[str, object] | None = None,
    ) -> Self:
        """Returns an environment; without settings in streaming mode, on the planner that is installed.

        Args:
            environment_settings: mode, planner and options.
            external: what the engine shall use instead of starting its own, such as a SparkSession under ``spark``.

        Raises:
            ValidationException: the settings name a planner that is not installed.
        """
        if isinstance(environment_settings, TableConfig):
            environment_settings = environment_settings.get_configuration()
        if not isinstance(environment_settings, EnvironmentSettings):
            builder = EnvironmentSettings.new_instance()
            environment_settings = builder.with_configuration(environment_settings or Configuration()).build()
        return cls(TableSession(environment_settings, external))

    @property
    def session(self) -> TableSession:
        """What the environment's tables and statements share."""
        return self._session

    def close(self) -> None:
        """Cancels jobs that still run, says so on standard error, and closes engine and catalogs; may be called again."""
        self._session.close()

    def __enter__(self) -> Self:
        self._session.begin_block()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._session.end_block(error)

    # --- SQL ---------------------------------------------------------------------------------------------------------------------

    def execute_sql(self, stmt: str, args: Mapping[str, object] | None = None, *, progress: ProgressListener | None = None) -> TableResult:
        """Runs one statement.

        A query's rows are read from the result as they come. An INSERT runs on its own: ``result.wait()`` waits for its end, and with
        the option ``table.dml-sync`` so does this call.

        Args:
            stmt: the statement; a semicolon may end it.
            args: values of parameters, written ``:name`` in the statement; they are bound as values, never pasted as text.
            progress: is told what the job does, from any thread.

        Raises:
            SqlParserException: the text is not SQL; with line, column and what was expected.
            ValidationException: a name, a type or an option is wrong.
        """
        return execute_statement(stmt, self._session, args, progress)

    def sql_query(self, query: str, args: Mapping[str, object] | None = None) -> Table:
        """Returns a query as a table; nothing runs yet."""
        return _table(self._session, self._session.convert_query(query, args))

    def explain_sql(self, stmt: str, *extra_details: ExplainDetail) -> str:
        """Returns the plan of a query, an INSERT, UPDATE or DELETE, CREATE TABLE AS or a statement set as text."""
        from table_api.execution.explain import explain_text

        return explain_text(self._session.parse(stmt), self._session, extra_details)

    def compile_plan_sql(self, stmt: str) -> CompiledPlan:
        """Returns the plan of an INSERT or a statement set, to keep and to run later, also in another session.

        Raises:
            ValidationException: the statement is another one.
            TableException: the plan holds what cannot leave this program.
        """
        from table_api.compiled_plan import CompiledPlan
        from table_api.execution.compiled_plan import compiled_operations
        from table_api.plan.compiled import compile_plan

        return CompiledPlan(self._session, compile_plan(compiled_operations(self._session.parse(stmt)), self._session))

    def load_plan(self, plan_reference: PlanReference) -> CompiledPlan:
        """Returns the plan of a file or a JSON text.

        Raises:
            ValidationException: there is none, it is of another version or mode, or what it uses is not there any more.
        """
        from table_api.compiled_plan import CompiledPlan

        return CompiledPlan.load(self._session, plan_reference)

    def execute_plan(self, plan_reference: PlanReference) -> TableResult:
        """Loads a plan and starts its job."""
        return self.load_plan(plan_reference).execute()

    def get_completion_hints(self, statement: str, position: int) -> list[str]:
        """Returns what could stand at a position, from 0, of a statement: names of tables, columns and functions, then keywords."""
        from table_api.execution.completion_names import SessionNames
        from table_api.sql.completion import complete

        return complete(statement, position, SessionNames(self._session))

    def create_statement_set(self) -> StatementSet:
        """Returns an empty set of insertions that run as one job."""
        from table_api.statement_set import StatementSet

        return StatementSet(self._session)

    # --- tables ------------------------------------------------------------------------------------------------------------------

    def from_path(self, path: str) -> Table:
        """Returns a table or view by name.

        Raises:
            ValidationException: there is none; the closest names are suggested.
        """
        return _table(self._session, OperationBuilder(self._session).from_path(parse_path(path)))

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """Returns the table that a descriptor says, without giving it a name."""
        from table_api.table import anonymous_table

        return _table(self._session, OperationBuilder(self._session).scan_table(anonymous_table(self._session, descriptor)))

    def from_elements(
        self, elements: Iterable[object], schema: DataType | LogicalType | Sequence[str] | None = None, verify_schema: bool = True
    ) -> Table:
        """Returns Python values as a table: each is a row (by name: dict, named ``Row`` or tuple; by position: others), or its only value.

        Args:
            elements: the rows.
            schema: a ROW type, or the names of columns with the types of the values. None: the names that the rows have, else ``_1``, ``_2``, …
            verify_schema: whether a value of another class than its column's is an error; else it is cast.
        """
        from table_api.python_values import elements_operation

        return _table(self._session, elements_operation(self._session, elements, schema, verify_schema))

    def from_values(self, *rows: object) -> Table:
        """Returns rows of values and expressions as a table with the columns ``f0``, ``f1``, …, typed as in SQL's VALUES."""
        trees = [[to_unresolved(cell) for cell in (row if isinstance(row, (list, tuple)) else (row,))] for row in rows]
        builder = OperationBuilder(self._session)
        operation = builder.values(trees)
        names = [f"f{position}" for position in range(len(operation.resolved_schema.columns))]
        return _table(self._session, builder.alias(operation, names))

    # --- options -----------------------------------------------------------------------------------------------------------------

    def get_config(self) -> TableConfig:
        """Returns the options; what is set there is seen by the next statement."""
        return self._session.config


def _table(session: TableSession, operation: QueryOperation) -> Table:
    from table_api.table import Table  # a program of SQL needs none

    return Table(session, operation)
