"""``TableEnvironment``: the entry point of every program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from table_api.delegation import ExplainDetail, ProgressListener
from table_api.environment.arrow_tables import ArrowTables
from table_api.environment.catalog_methods import CatalogMethods
from table_api.environment.deprecated_methods import DeprecatedMethods
from table_api.environment.function_methods import FunctionMethods
from table_api.environment.java_functions import JavaFunctionMethods
from table_api.environment.model_methods import ModelMethods
from table_api.environment.python_dependencies import PythonDependencies
from table_api.environment_settings import EnvironmentSettings
from table_api.execution import TableSession, execute_statement
from table_api.resolution.operation_builder import OperationBuilder
from table_api.table_config import TableConfig
from table_api.table_result import TableResult
from table_common.configuration import Configuration
from table_common.types import DataType, LogicalType

if TYPE_CHECKING:
    from table_api.operations import QueryOperation
    from table_api.table_descriptor import TableDescriptor
    from table_api.tables.compiled_plan import CompiledPlan, PlanReference
    from table_api.tables.statement_set import StatementSet
    from table_api.tables.table import Table


class TableEnvironment(
    ArrowTables, CatalogMethods, FunctionMethods, JavaFunctionMethods, ModelMethods, PythonDependencies, DeprecatedMethods
):
    """A session: catalogs, functions, modules, options, and the engine that runs its queries.

    The engine starts with the first query; DDL does not need one. An environment may be used from several threads. The end of its ``with``
    block and the end of the program wait for running INSERTs and report their failures; ``close``, an exception and Ctrl-C cancel them.

    Example:
        >>> settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
        >>> with TableEnvironment.create(settings) as env:
        ...     env.execute_sql("SELECT 1 + 1 AS two, CAST(NULL AS INT) AS nothing").print()
        +-----+---------+
        | two | nothing |
        +-----+---------+
        |   2 |  <NULL> |
        +-----+---------+
        1 row in set

    Source: Flink's ``org.apache.flink.table.api.TableEnvironment``, PyFlink's ``pyflink.table.TableEnvironment``.
    """

    @classmethod
    def create(
        cls,
        environment_settings: EnvironmentSettings | Configuration | TableConfig | None = None,
        *,
        external: Mapping[str, object] | None = None,
    ) -> Self:
        """Creates an environment; the default is streaming mode on the installed planner.

        Args:
            environment_settings: mode, planner and options.
            external: objects that the engine uses instead of its own, by name, such as a SparkSession under ``spark``.

        Raises:
            ValidationException: the planner is not installed, or an option does not accept its value.
        """
        if isinstance(environment_settings, TableConfig):
            environment_settings = environment_settings.get_configuration()
        if not isinstance(environment_settings, EnvironmentSettings):
            builder = EnvironmentSettings.new_instance()
            environment_settings = builder.with_configuration(environment_settings or Configuration()).build()
        return cls(TableSession(environment_settings, external))

    def close(self) -> None:
        """Cancels running jobs, reports them on standard error, and closes engine and catalogs; a second call does nothing."""
        self._session.close()

    def __enter__(self) -> Self:
        self._session.begin_block()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._session.end_block(error)

    # --- SQL ---------------------------------------------------------------------------------------------------------------------

    def execute_sql(self, stmt: str, args: Mapping[str, object] | None = None, *, progress: ProgressListener | None = None) -> TableResult:
        """Runs one statement.

        The rows of a query are read from the result while its job runs. An INSERT runs in the background: ``result.wait()`` waits for its
        end. With the option ``table.dml-sync``, this call waits.

        Args:
            stmt: the statement, optionally ended by a semicolon.
            args: the values of parameters, written ``:name`` in the statement. They are bound as values and never inserted as text.
            progress: a listener for the job's progress, called from any thread.

        Raises:
            SqlParserException: the text is not SQL; the message has line, column and the expected tokens.
            ValidationException: a name, a type or an option is wrong.
            CatalogException: a catalog refuses the change, or cannot be reached.
            TableException: the engine cannot run the plan.
        """
        return execute_statement(stmt, self._session, args, progress)

    def sql_query(self, query: str, args: Mapping[str, object] | None = None) -> Table:
        """Returns a query as a table, without running it.

        Args:
            query: a SELECT, VALUES or WITH.
            args: the values of parameters, as in ``execute_sql``.

        Raises:
            SqlParserException: the text is not SQL.
            ValidationException: it is another statement, or a name or type is wrong.
        """
        return _table(self._session, self._session.convert_query(query, args))

    def explain_sql(self, stmt: str, *extra_details: ExplainDetail) -> str:
        """Returns as text the plan of a query, an INSERT, UPDATE or DELETE, a CREATE TABLE AS or a statement set.

        Raises:
            SqlParserException: the text is not SQL.
            ValidationException: it is another statement, or a name or type is wrong.
        """
        from table_api.execution.explain import explain_text

        return explain_text(self._session.parse(stmt), self._session, extra_details)

    def explain_upgrade(self, stmt: str) -> str:
        """Returns as text what an unbounded INSERT or statement set would use of the state in its checkpoints, before it is run.

        A line per operator that keeps state: ``=`` its state is used, ``~`` it is converted, ``+`` the operator would begin without the rows before, ``-`` state would be lost. With one of the
        last two the statement is refused when it is run, unless options allow it (``execution.state-recovery.*``).

        Raises:
            TableException: the statement would run without checkpoints.
        """
        from table_api.execution.explain import upgrade_text

        return upgrade_text(self._session.parse(stmt), self._session)

    def compile_plan_sql(self, stmt: str) -> CompiledPlan:
        """Returns the compiled plan of an INSERT or a statement set, which can be stored and run later, also in another session.

        Raises:
            ValidationException: it is another statement.
            TableException: the plan refers to an object of this process: a DataFrame, or a function without a registered name.
        """
        from table_api.execution.compiled_plan import compiled_operations
        from table_api.plan.compiled import compile_plan
        from table_api.tables.compiled_plan import CompiledPlan

        return CompiledPlan(self._session, compile_plan(compiled_operations(self._session.parse(stmt)), self._session))

    def load_plan(self, plan_reference: PlanReference) -> CompiledPlan:
        """Reads a compiled plan from a file or a JSON text.

        Raises:
            ValidationException: the plan is missing or damaged, has another version or mode, or uses a table or function that does not exist.
        """
        from table_api.tables.compiled_plan import CompiledPlan

        return CompiledPlan.load(self._session, plan_reference)

    def execute_plan(self, plan_reference: PlanReference) -> TableResult:
        """Reads a compiled plan, as ``load_plan`` does, and starts its job."""
        return self.load_plan(plan_reference).execute()

    def get_completion_hints(self, statement: str, position: int) -> list[str]:
        """Returns completions for a position, from 0, in a statement: names of tables, columns and functions, then keywords."""
        from table_api.execution.completion_names import SessionNames
        from table_api.sql.completion import complete

        return complete(statement, position, SessionNames(self._session))

    def create_statement_set(self) -> StatementSet:
        """Returns an empty statement set, whose insertions run as one job."""
        from table_api.tables.statement_set import StatementSet

        return StatementSet(self._session)

    # --- tables ------------------------------------------------------------------------------------------------------------------

    def from_path(self, path: str) -> Table:
        """Returns a table or view of a catalog, or a temporary one, by its path ``[[catalog.]database.]name``.

        Raises:
            CatalogException: it does not exist; the message lists the names that do.
        """
        from table_common.catalog import parse_path  # few programs call it

        return _table(self._session, OperationBuilder(self._session).from_path(parse_path(path)))

    def read_csv(self, path: str, **options: object) -> Table:
        """Returns CSV files as a table, whose columns are inferred; delimiter and header are detected unless an option says them.

        Args:
            path: a file, a folder, or a pattern such as ``data/*.csv``.
            options: the options of the format, with ``_`` for ``-``: ``header=True``, ``field_delimiter=";"``.

        Raises:
            ValidationException: there is no such file, or an option is wrong.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     _ = Path(folder, "flights.csv").write_text("carrier,delay\\nUA,5\\n")
            ...     env.read_csv(f"{folder}/flights.csv").execute().print()
            +---------+-------+
            | carrier | delay |
            +---------+-------+
            |      UA |     5 |
            +---------+-------+
            1 row in set
        """
        return self._read("csv", path, options)

    def read_json(self, path: str, **options: object) -> Table:
        """Returns files with a JSON object per line as a table; arguments and errors are those of ``read_csv``."""
        return self._read("json", path, options)

    def read_parquet(self, path: str, **options: object) -> Table:
        """Returns Parquet files as a table; arguments and errors are those of ``read_csv``."""
        return self._read("parquet", path, options)

    def _read(self, format_: str, path: str, options: Mapping[str, object]) -> Table:
        from table_common.gate import restrictions_in_force

        texts = {key.replace("_", "-"): str(value).lower() if isinstance(value, bool) else str(value) for key, value in options.items()}
        with restrictions_in_force(self._session.configuration):
            return _table(self._session, OperationBuilder(self._session).scan_table(self._session.file_table(format_, path, texts)))

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """Returns the table that a descriptor defines, without registering it.

        Raises:
            ValidationException: the descriptor has no schema, or the schema is invalid.
        """
        from table_api.execution.anonymous_table import anonymous_table

        return _table(self._session, OperationBuilder(self._session).scan_table(anonymous_table(self._session, descriptor)))

    def from_elements(
        self, elements: Iterable[object], schema: DataType | LogicalType | Sequence[str] | None = None, verify_schema: bool = True
    ) -> Table:
        """Returns Python values as a table.

        A dict, a ``Row`` with names and a named tuple assign values to columns by name; any other row by position. An element that is not a
        row is the value of the only column. None is NULL.

        Args:
            elements: the rows.
            schema: a ROW type; or the names of the columns, whose types are inferred. None: names are those of the rows, else ``_1``, ``_2``, …
            verify_schema: if true, a value whose class does not match the column's type is an error; if false, it is cast.

        Raises:
            ValidationException: a row has too many or too few values, an unknown name, or a value that does not match the column's type.
        """
        from table_api.python_data.python_values import elements_operation

        return _table(self._session, elements_operation(self._session, elements, schema, verify_schema))

    def from_values(self, *rows: object) -> Table:
        """Returns rows of values and expressions as a table with the columns ``f0``, ``f1``, …, with the types of SQL's VALUES.

        Raises:
            ValidationException: rows have different lengths, or the values of a column have no common type.
        """
        from table_api.expressions.node_holder import to_unresolved  # SQL needs it not

        trees = [[to_unresolved(cell) for cell in (row if isinstance(row, (list, tuple)) else (row,))] for row in rows]
        builder = OperationBuilder(self._session)
        operation = builder.values(trees)
        names = [f"f{position}" for position in range(len(operation.resolved_schema.columns))]
        return _table(self._session, builder.alias(operation, names))

    def from_call(self, function: object, *arguments: object) -> Table:
        """Returns the rows of a process table function.

        Args:
            function: a class or an object of ``ProcessTableFunction``, or the name of a registered one.
            arguments: expressions, Python values and tables; by position, or by name with ``as_argument``.

        Raises:
            ValidationException: an argument is missing, unknown or of the wrong kind.
        """
        from table_api.tables.partitioned_table import call_by_arguments

        return _table(self._session, call_by_arguments(self._session, function, arguments))

    # --- options -----------------------------------------------------------------------------------------------------------------

    def get_config(self) -> TableConfig:
        """Returns the live options of the session: a change applies from the next statement on."""
        return self._session.config


def _table(session: TableSession, operation: QueryOperation) -> Table:
    from table_api.tables.table import Table  # a program of SQL needs none

    return Table(session, operation)
