"""One session: its options, catalogs, functions and modules, its planner, and the jobs that run."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from table_api.catalog import CatalogManager, FunctionCatalog, ModuleManager, SchemaResolver
from table_api.catalog.view_expansion import ViewExpansion
from table_api.delegation import ExplainDetail, FoundView, JobOptions, Planner, PlannerContext, ProgressListener
from table_api.delegation.planner_selection import check_planner, create_planner, select_planner, warn_of_final_rows, with_external_options
from table_api.environment_settings import EnvironmentSettings
from table_api.jobs.job import AnyJob, CreateJob, Job
from table_api.jobs.session_jobs import SessionJobs, load_what_late_threads_cannot
from table_api.operations import (
    CollectModifyOperation,
    ContextResolvedTable,
    ModifyOperation,
    Operation,
    QueryOperation,
)
from table_api.rendering import TableauStyle
from table_api.table_config import TableConfig
from table_api.table_result import TableResult
from table_common.catalog import Column, ResolvedSchema, Schema
from table_common.configuration import Configuration, ExecutionConfigOptions, PipelineOptions, TableConfigOptions, time_zone_of
from table_common.exceptions import TableException, ValidationException, WrongKindException
from table_common.expressions import ResolvedExpression
from table_common.functions import EngineFunction, FunctionDefinition
from table_common.garbage_collection import collection_paused
from table_common.gate import restrictions_in_force
from table_common.redaction import secrets_hidden
from table_common.restrictions import ALLOWED_MODULES_KEY, ALLOWED_PATHS_KEY
from table_common.types import BigIntType, LogicalType, named_types

if TYPE_CHECKING:
    from datetime import timedelta

    from table_api.catalog.models import ModelCatalog
    from table_api.jobs.session_inserts import SessionInserts
    from table_api.operations import SinkModifyOperation
    from table_api.plan.context import RuleContext
    from table_api.rendering import PlanGraph

_LONG_TEXT = 100_000
"""From this length in characters, garbage collection of a statement's syntax tree takes longer than building it."""


class TableSession:
    """The state that the tables and statements of one environment share; thread-safe."""

    def __init__(self, settings: EnvironmentSettings, external: Mapping[str, object] | None = None) -> None:
        """Raises a ``ValidationException`` if the settings name a planner that is not installed; starts no engine."""
        check_planner(settings)
        if external:
            settings = with_external_options(settings, external)
        self.settings = settings
        self.config = TableConfig(settings.get_configuration())
        self.config.get_configuration().fix()
        self.initial_options = settings.get_configuration().to_map()
        self.catalog_manager = CatalogManager(
            settings.get_built_in_catalog_name(),
            settings.get_built_in_database_name(),
            self.new_schema_resolver(),
            self.configuration,
            external,
        )
        self.module_manager = ModuleManager(self.configuration, lambda: self.planner)
        self.function_catalog = FunctionCatalog(self.catalog_manager, self.module_manager, self.configuration)
        self._external = dict(external or {})
        self._planner: Planner | None = None
        self.jobs = SessionJobs()
        self._inserts: SessionInserts | None = None
        self._is_block = False
        load_what_late_threads_cannot()
        self._views = ViewExpansion()
        self._lock = threading.RLock()
        self._is_closed = False
        self.derived_sessions: dict[frozenset[tuple[str, str]], TableSession] = {}

    # --- what everything below sees (the Session protocol) -----------------------------------------------------------------------

    @property
    def configuration(self) -> Configuration:
        """The session's options, live."""
        return self.config.get_configuration()

    @property
    def tables(self) -> CatalogManager:
        """The lookup of tables."""
        return self.catalog_manager

    @property
    def functions(self) -> FunctionCatalog:
        """The lookup of functions."""
        return self.function_catalog

    @property
    def modules(self) -> ModuleManager:
        """The lookup of connectors in modules."""
        return self.module_manager

    @cached_property
    def models(self) -> ModelCatalog:
        """The declared models."""
        from table_api.catalog.models import ModelCatalog

        return ModelCatalog(self.catalog_manager)

    def file_table(self, format_: str | None, path: str, options: Mapping[str, str]) -> ContextResolvedTable:
        """Returns the table of the files of a path, whose columns are inferred; the format is that of the file's name if it is None.

        Raises:
            ValidationException: there is no such file, or an option is wrong.
        """
        from table_api.execution.file_tables import file_table

        return file_table(self.catalog_manager, self.configuration, format_, path, options)

    @property
    def is_streaming_mode(self) -> bool:
        """Whether statements run in streaming mode: that of the settings, until the option 'execution.runtime-mode' is set."""
        return self.configuration.get(TableConfigOptions.RUNTIME_MODE) == "streaming"

    def convert_query(self, text: str, args: Mapping[str, object] | None = None) -> QueryOperation:
        """Parses and resolves the text of a query, such as a view's.

        Raises:
            ValidationException: the text is not a query, or a name or type in it is wrong.
        """
        operation = self.parse(text, args)
        if not isinstance(operation, QueryOperation):
            raise ValidationException("Expected a query (SELECT, VALUES, WITH …), but the statement is not a query.")
        return operation

    def expand_view(self, view: FoundView) -> QueryOperation:
        """Returns the resolved query of a view."""
        return self._views.expand(view, self.convert_query)

    def parse(self, text: str, args: Mapping[str, object] | None = None) -> Operation:
        """Parses a statement and returns its operation."""
        with collection_paused():  # the first statement imports the front end
            from table_api.sql.conversion import convert_statement
            from table_api.sql.parser import parse_statement

        self._check_open()
        require_statement_text(text)
        with secrets_hidden(text), restrictions_in_force(self.configuration), named_types(self.module_manager.find_logical_type):
            if len(text) < _LONG_TEXT:
                return convert_statement(parse_statement(text, parameters=args), self, text)
            with collection_paused():
                return convert_statement(parse_statement(text, parameters=args), self, text)

    def _resolve_schema_expression(self, expression: Any, columns: Sequence[Column]) -> ResolvedExpression:
        from table_api.expressions.node_holder import to_unresolved  # SQL needs it not
        from table_api.resolution.resolver import ExpressionResolver
        from table_api.resolution.scope import Scope
        from table_api.sql.parser import parse_expression

        tree = parse_expression(expression) if isinstance(expression, str) else to_unresolved(expression)
        text = expression if isinstance(expression, str) else None
        scope = Scope.of(ResolvedSchema(tuple(columns)))
        return ExpressionResolver(self, scope, text, aggregates_refused_in="a computed column or watermark").resolve(tree)

    def new_schema_resolver(self) -> SchemaResolver:
        """Returns what resolves schemas of tables in the mode of this session."""
        return SchemaResolver(self._resolve_schema_expression, lambda: self.is_streaming_mode, self._find_type)

    def _find_type(self, name: str) -> LogicalType | None:
        return self.module_manager.find_logical_type(name)

    # --- the engine --------------------------------------------------------------------------------------------------------------

    @property
    def planner(self) -> Planner:
        """The planner, selected and created at the first query."""
        with self._lock:
            self._check_open()
            if self._planner is None:
                factory = select_planner(self.settings)
                self._planner = create_planner(
                    factory, PlannerContext(self.settings, self.configuration, self._external, self.catalog_manager.table_statistics)
                )
                warn_of_final_rows(self.settings, factory.factory_identifier, self._planner)
                if "logging" in sys.modules:  # loading it costs more than most programs want to hear
                    sys.modules["logging"].getLogger("table.session").info("planner '%s' is ready", self._planner.name)
            return self._planner

    def resolve_function(self, function: EngineFunction) -> FunctionDefinition:
        """Resolves an engine-native function for the session's planner."""
        return self.planner.resolve_function(function)

    def run_query(
        self, operation: QueryOperation, progress: ProgressListener | None = None, *, timeout: timedelta | None = None
    ) -> TableResult:
        """Starts the job of a query; its rows are read from the result, within ``timeout`` if that is less than the session's."""
        job, _ = self._start([CollectModifyOperation(operation)], "collect", progress, Job, timeout)
        style = TableauStyle(
            self.config.get(TableConfigOptions.DISPLAY_MAX_COLUMN_WIDTH), by_type=self.is_streaming_mode, row_kinds=self.is_streaming_mode
        )
        time_zone = time_zone_of(self.config.get_local_timezone())
        result = TableResult(operation.resolved_schema, job=job, style=style, time_zone=time_zone)
        if job.is_unbounded:
            weakref.finalize(result, job.discard).atexit = False
        return result

    def run_inserts(
        self,
        operations: Sequence[SinkModifyOperation],
        progress: ProgressListener | None = None,
        finish: Callable[[BaseException | None], None] | None = None,
    ) -> TableResult:
        """Starts one job that writes to all sinks; the result has one BIGINT per sink, named after it: the rows written, or -1.

        The job runs in the background. ``result.wait()``, the end of a ``with`` block, the end of the program and, with the option
        ``table.dml-sync``, this call wait for its end. ``finish`` is called with the failure, or None, before the end is visible to others;
        an error that it raises becomes the job's failure.
        """
        names = [operation.table.identifier.as_summary_string() for operation in operations]
        name = f"insert-into_{','.join(names)}"
        from table_api.jobs.insert_job import JobProgress  # not needed by queries

        job_progress = JobProgress(progress)
        job, schema = self._start(operations, name, job_progress, self._started_inserts().creator(job_progress, finish))
        job.start()
        if self.config.get(TableConfigOptions.TABLE_DML_SYNC):
            job.wait()
        if len(schema.columns) != len(names):
            names = [", ".join(names)]  # the engine counts the rows of all sinks together
        schema = ResolvedSchema.physical((_unique(name, names[:i]), BigIntType(nullable=False)) for i, name in enumerate(names))
        style = TableauStyle(max_column_width=None)
        result = TableResult(schema, job=job, style=style, repeatable=True)
        weakref.finalize(result, job.abandon).atexit = False
        return result

    def rule_context(self) -> RuleContext:
        """Returns the context of rewrite rules, for planning outside of a job."""
        from table_api.plan.context import RuleContext

        return RuleContext(self, self.planner)

    def explain(self, operations: Sequence[ModifyOperation], details: Sequence[ExplainDetail] = ()) -> str:
        """Returns the plan as text."""
        from table_api.plan.explain import explain_operations
        from table_api.plan.redaction import hidden_options

        hidden = hidden_options(operations)
        with hidden.in_errors(), restrictions_in_force(self.configuration):
            return hidden.in_own_text(explain_operations(operations, self, self.planner, details))

    def explain_graph(self, operations: Sequence[ModifyOperation]) -> PlanGraph:
        """Returns the optimized plan as a drawing."""
        from table_api.plan.graph import graph_of_operations
        from table_api.plan.redaction import hidden_options

        hidden = hidden_options(operations)
        with hidden.in_errors(), restrictions_in_force(self.configuration):
            return graph_of_operations(operations, self, self.planner, hidden.in_own_text)

    def query_text(self, operation: QueryOperation) -> str:
        """Returns a query as SQL with full names, as views store it.

        Raises:
            ValidationException: the query contains something that SQL text cannot express.
        """
        from table_api.operations.sql_text import query_text  # needed only to store views

        return query_text(operation, self.function_catalog.sql_name)

    def to_external(self, operation: QueryOperation) -> object:
        """Returns a query as a native object of the engine, such as a DataFrame; does not execute it."""
        from table_api.plan.optimizer import optimize
        from table_api.plan.redaction import hidden_options
        from table_common.tree import deep_recursion

        collected = CollectModifyOperation(operation)
        with deep_recursion(), hidden_options([collected]).in_errors(), restrictions_in_force(self.configuration):
            (optimized,) = optimize([collected], self, self.planner)
            return self.planner.to_external(optimized.child)

    def _start(
        self,
        operations: Sequence[ModifyOperation],
        name: str,
        progress: ProgressListener | None,
        create: CreateJob[AnyJob],
        timeout: timedelta | None = None,
    ) -> tuple[AnyJob, ResolvedSchema]:
        from table_api.plan.optimizer import translate
        from table_api.plan.redaction import hidden_options
        from table_common.tree import deep_recursion

        hidden = hidden_options(operations)
        with deep_recursion(), collection_paused(), hidden.in_errors(), restrictions_in_force(self.configuration):
            plan = translate(operations, self, self.planner)
            job_name = self.config.get(PipelineOptions.NAME) or name
            log = sys.modules.get("table_api.execution.statement_log")  # not loaded if statements are not logged
            statement = None if log is None else log.current_statement()
            execution = plan.execute(JobOptions(job_name, progress, statement=statement))
        limits = [limit for limit in (self.config.get(ExecutionConfigOptions.TABLE_EXEC_TIMEOUT), timeout) if limit is not None]
        job = create(execution, job_name, min(limits, default=None), self.jobs.ended, hidden.in_error)
        if "logging" in sys.modules:
            from table_api.execution.statement_log import started_job

            job.log(started_job(execution.client.job_id, name, self.configuration), writes=name != "collect")
        self.jobs.add(job)
        return job, plan.schema

    # --- the end -----------------------------------------------------------------------------------------------------------------

    def begin_block(self) -> None:
        """Called when a ``with`` block begins; its end raises unseen failures of INSERTs."""
        self._is_block = True
        if self._inserts is not None:
            self._inserts.is_block = True

    def end_block(self, error: BaseException | None) -> None:
        """Called when a ``with`` block ends: waits for INSERTs, or cancels them if an exception ended the block, and closes the session.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the INSERTs were cancelled, which is reported on standard error.
            TableError: an INSERT failed and its failure was not seen before. After ``sys.exit`` it is only written to standard error.
        """
        if error is not None and not isinstance(error, SystemExit):
            self.close(f"the block of the environment ended with {type(error).__name__}")
            return
        try:
            if self._inserts is not None:
                self._inserts.complete(raises=error is None)
        finally:
            self.close()

    def close(self, reason: str = "the environment was closed") -> None:
        """Cancels jobs that still run, and closes planner and catalogs; may be called again.

        Reports on standard error the INSERTs that it cancelled, and unseen failures.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        if self._inserts is not None:
            self._inserts.end(reason)
        with self._lock:
            for job in self.jobs:
                job.cancel()
            for session in (*self.derived_sessions.values(), self):
                session._is_closed = True
                if session._planner is not None:
                    session._planner.close()
            self.catalog_manager.close()

    def _started_inserts(self) -> SessionInserts:
        from table_api.jobs.session_inserts import SessionInserts

        with self._lock:
            if self._inserts is None:
                self._inserts = SessionInserts()
                self._inserts.is_block = self._is_block
            return self._inserts

    def rows_with_schema(self, rows: QueryOperation, schema: Schema) -> QueryOperation:
        """Returns the columns of a schema over rows of the program, in streaming mode with its watermark; raises as ``rows_with_schema`` does."""
        from table_api.resolution.rows_with_schema import rows_with_schema

        return rows_with_schema(rows, schema, self.catalog_manager.schema_resolver, has_event_time=self.is_streaming_mode)

    def reset_option(self, key: str | None) -> None:
        """Resets an option, or all options, to the initial values of the session."""
        if key is None:
            kept = {key: value for key, value in self.configuration.to_map().items() if key in (ALLOWED_MODULES_KEY, ALLOWED_PATHS_KEY)}
            self.config.get_configuration().reset_to({**self.initial_options, **kept})
        elif key in self.initial_options:
            self.configuration.set(key, self.initial_options[key])
        else:
            self.configuration.remove(key)

    def _check_open(self) -> None:
        if self._is_closed:
            raise TableException("This environment was closed.", hint="create another one with TableEnvironment.create(…)")


def _unique(name: str, before: Sequence[str]) -> str:
    return f"{name}_{before.count(name)}" if name in before else name


def require_statement_text(text: object) -> None:
    """Raises ``WrongKindException`` unless a statement is text."""
    if not isinstance(text, str):
        raise WrongKindException(f"A statement is text, but got {type(text).__name__}.", hint='execute_sql("SHOW TABLES")')
