"""``TableEnvironment``: where every program begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from table_api.arrow_tables import ArrowTables
from table_api.catalog import CatalogDescriptor, ModuleEntry, QueryOperationCatalogView
from table_api.delegation import ExplainDetail, ProgressListener
from table_api.deprecated_methods import DeprecatedMethods
from table_api.environment_settings import EnvironmentSettings
from table_api.execution import TableSession, execute_statement
from table_api.expressions.node_holder import to_unresolved
from table_api.model_methods import ModelMethods
from table_api.python_dependencies import PythonDependencies
from table_api.resolution.operation_builder import OperationBuilder
from table_api.table_config import TableConfig
from table_api.table_result import TableResult
from table_common.catalog import Catalog, CatalogBaseTable, CatalogFunction, CatalogView, Schema, parse_path
from table_common.configuration import Configuration
from table_common.module import Module
from table_common.types import DataType, LogicalType

if TYPE_CHECKING:
    from table_api.compiled_plan import CompiledPlan, PlanReference
    from table_api.operations import QueryOperation
    from table_api.statement_set import StatementSet
    from table_api.table import Table
    from table_api.table_descriptor import TableDescriptor

__all__ = ["TableEnvironment"]


class TableEnvironment(ArrowTables, PythonDependencies, ModelMethods, DeprecatedMethods):
    """A session: catalogs, functions, options, and the engine that runs its queries.

    The engine starts at the first query, so an environment is there at once and DDL needs none. It may be used from several threads. The end of
    its ``with`` block and the end of the program wait for inserts and tell failures; ``close``, an exception and Ctrl-C cancel inserts.

    Example:
        >>> with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        ...     env.execute_sql("SELECT 1 + 1 AS two").print()
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

    def create_temporary_view(self, view_path: str, table: Table) -> None:
        """Gives a table a name in this session; it hides a table or view of that name in a catalog."""
        self._create(view_path, _view_of(table), is_temporary=True)

    def create_view(self, view_path: str, table: Table, ignore_if_exists: bool = False) -> None:
        """Stores a table's query as a view: as SQL with full names, which every session with the catalog can read.

        Raises:
            ValidationException: the query holds what SQL cannot name: Python values, a DataFrame, a function that is not registered.
        """
        schema = Schema.new_builder().from_resolved_schema(table.get_resolved_schema()).build()
        query = self._session.query_text(table.query_operation)
        self._create(view_path, CatalogView(schema, original_query=query, expanded_query=query), ignore_if_exists)

    def create_temporary_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803
        """Gives the table of a descriptor a name in this session."""
        self._create(path, descriptor.to_catalog_table(), ignoreIfExists, is_temporary=True)

    def create_table(self, path: str, descriptor: TableDescriptor, ignoreIfExists: bool = False) -> None:  # noqa: N803
        """Stores the table of a descriptor in its catalog."""
        self._create(path, descriptor.to_catalog_table(), ignoreIfExists)

    def drop_temporary_view(self, view_path: str) -> bool:
        """Drops a temporary view; returns whether there was one."""
        return self._drop(view_path, True, is_temporary=True, is_view=True)

    def drop_temporary_table(self, table_path: str) -> bool:
        """Drops a temporary table; returns whether there was one."""
        return self._drop(table_path, True, is_temporary=True)

    def drop_table(self, table_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drops a table of a catalog; its data stays. Returns whether there was one."""
        return self._drop(table_path, ignore_if_not_exists)

    def drop_view(self, view_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Drops a view of a catalog; returns whether there was one."""
        return self._drop(view_path, ignore_if_not_exists, is_view=True)

    def list_tables(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of the tables and views of the current database, sorted; ``temporary=False``: only of those in the catalog."""
        return self._session.catalog_manager.list_tables(temporary_too=temporary)

    def list_views(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of the views of the current database, sorted; ``temporary=False``: only of those in the catalog."""
        return self._session.catalog_manager.list_views(temporary_too=temporary)

    def list_temporary_tables(self) -> list[str]:
        """Returns the names of all temporary tables and views of the current database, sorted."""
        return self._session.catalog_manager.list_temporary_tables()

    def list_temporary_views(self) -> list[str]:
        """Returns the names of all temporary views of the current database, sorted."""
        return self._session.catalog_manager.list_temporary_views()

    # --- catalogs ----------------------------------------------------------------------------------------------------------------

    def register_catalog(self, catalog_name: str, catalog: Catalog) -> None:
        """Adds a catalog and opens it."""
        self._session.catalog_manager.register_catalog(catalog_name, catalog)

    def create_catalog(self, catalog_name: str, catalog_descriptor: CatalogDescriptor) -> None:
        """Makes a catalog from its options, of which ``type`` names the kind, and adds it."""
        self._session.catalog_manager.create_catalog(catalog_name, catalog_descriptor)

    def get_catalog(self, catalog_name: str) -> Catalog | None:
        """Returns a catalog, or None if there is none of that name."""
        return self._session.catalog_manager.find_catalog(catalog_name)

    def list_catalogs(self) -> list[str]:
        """Returns the names of all catalogs, sorted."""
        return self._session.catalog_manager.list_catalogs()

    def list_databases(self) -> list[str]:
        """Returns the names of all databases of the current catalog, sorted."""
        return self._session.catalog_manager.list_databases()

    def use_catalog(self, catalog_name: str) -> None:
        """Makes a catalog and its default database current."""
        self._session.catalog_manager.set_current_catalog(catalog_name)

    def use_database(self, database_name: str) -> None:
        """Makes a database of the current catalog current."""
        self._session.catalog_manager.set_current_database(database_name)

    def get_current_catalog(self) -> str:
        """Returns the name of the current catalog."""
        return self._session.catalog_manager.current_catalog

    def get_current_database(self) -> str:
        """Returns the name of the current database."""
        return self._session.catalog_manager.current_database

    # --- functions and modules ---------------------------------------------------------------------------------------------------

    def create_temporary_system_function(self, name: str, function: object) -> None:
        """Adds a function that hides all others of its name, in every catalog.

        ``function`` is a class or object derived from ``ScalarFunction`` and the like, or what ``udf``, ``udtf``, ``udaf`` and ``udtaf`` return.

        Raises:
            ValidationException: its types cannot be extracted; the message shows what to write.
        """
        self._session.function_catalog.create_temporary_system_function(name, function)

    def create_temporary_function(self, path: str, function: object) -> None:
        """Adds a function for this session: to a catalog and database, or, under a name of one part, as a system function (FLIP-64)."""
        parts = parse_path(path)
        # Differs from Flink: create_temporary_function with a name of one part makes a temporary system function, as FLIP-64 says.
        if len(parts) == 1:
            self._session.function_catalog.create_temporary_system_function(parts[0], function)
        else:
            self._session.function_catalog.create_temporary_function(parts, function)

    def drop_temporary_system_function(self, name: str) -> bool:
        """Drops a temporary system function; returns whether there was one."""
        return self._session.function_catalog.drop_temporary_system_function(name, True)

    def drop_temporary_function(self, path: str) -> bool:
        """Drops a temporary function, under a name of one part a system function first; returns whether there was one."""
        parts, functions = parse_path(path), self._session.function_catalog
        if len(parts) == 1 and functions.drop_temporary_system_function(parts[0], True):
            return True
        return functions.drop_temporary_function(parts, True)

    def create_function(self, path: str, function_class: str | type, ignore_if_exists: bool = False) -> None:
        """Adds a function to a catalog, which keeps the name of its class: a class of a module, or ``"module.Class"``.

        Raises:
            ValidationException: it is an object, or a class that another program could not import.
        """
        from table_api.catalog.function_loading import importable_name

        name = importable_name(function_class)
        self._session.function_catalog.create_function(parse_path(path), CatalogFunction(name), ignore_if_exists)

    def drop_function(self, path: str) -> bool:
        """Drops a function of a catalog; returns whether there was one."""
        return self._session.function_catalog.drop_function(parse_path(path), True)

    def list_functions(self, *, temporary: bool = True) -> list[str]:
        """Returns the names of all functions, sorted; ``temporary=False``: without those of this session only."""
        return self._session.function_catalog.list_functions(temporary=temporary)

    def list_temporary_functions(self) -> list[str]:
        """Returns the names of the temporary functions, those of the system and of the current database, sorted."""
        return self._session.function_catalog.list_temporary_functions()

    def list_user_defined_functions(self) -> list[str]:
        """Returns the names of all functions that are not built in, sorted."""
        return self._session.function_catalog.list_user_defined_functions()

    def load_module(self, module_name: str, module: Module) -> None:
        """Loads a module; its functions are found after those of the modules loaded before."""
        self._session.module_manager.load_module(module_name, module)

    def load_modules(self, section: Sequence[Mapping[str, object]] | None) -> None:
        """Loads exactly the modules that the section ``modules`` of a YAML file lists: each a name, a type (by default the name) and options.

        None, for a file without the section, leaves the modules as they are. If a module cannot be made, nothing has changed.
        """
        self._session.module_manager.load_modules(section)

    def unload_module(self, module_name: str) -> None:
        """Takes a module away."""
        self._session.module_manager.unload_module(module_name)

    def use_modules(self, *module_names: str) -> None:
        """Uses these modules in this order; the others stay loaded, but unused."""
        self._session.module_manager.use_modules(*module_names)

    def list_modules(self) -> list[str]:
        """Returns the names of the modules that are used, in order."""
        return self._session.module_manager.list_modules()

    def list_full_modules(self) -> list[ModuleEntry]:
        """Returns all loaded modules and whether they are used."""
        return self._session.module_manager.list_full_modules()

    # --- options -----------------------------------------------------------------------------------------------------------------

    def get_config(self) -> TableConfig:
        """Returns the options; what is set there is seen by the next statement."""
        return self._session.config

    # --- parts -------------------------------------------------------------------------------------------------------------------

    def _create(self, path: str, table: CatalogBaseTable, ignore_if_exists: bool = False, is_temporary: bool = False) -> None:
        manager = self._session.catalog_manager
        manager.create_table(manager.qualify(parse_path(path)), table, ignore_if_exists, is_temporary)

    def _drop(self, path: str, ignore_if_not_exists: bool, *, is_temporary: bool = False, is_view: bool = False) -> bool:
        manager = self._session.catalog_manager
        return manager.drop_table(manager.qualify(parse_path(path)), ignore_if_not_exists, is_temporary, is_view)


def _view_of(table: Table) -> QueryOperationCatalogView:
    schema = Schema.new_builder().from_resolved_schema(table.get_resolved_schema()).build()
    return QueryOperationCatalogView(schema, operation=table.query_operation)


def _table(session: TableSession, operation: QueryOperation) -> Table:
    from table_api.table import Table  # a program of SQL needs none

    return Table(session, operation)
