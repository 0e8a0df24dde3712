"""The planner: lowers operations to Spark SQL and returns the plans that run them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as fns

from table_api.delegation import ExecutablePlan, ExplainDetail, ExpressionServices, Planner, PlannerCapabilities, PlannerContext, StreamPlan
from table_api.operations import CollectModifyOperation, ModifyOperation, QueryOperation, SinkModifyOperation, SourceQueryOperation
from table_api.plan import unbounded_leaves
from table_api_bridge import DataFrameQueryOperation, is_spark_connect, logical_type_metadata, streaming_on_connect
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.configuration import ExecutionConfigOptions, session_time_zone
from table_common.connector import ScanTableSource, VectorSearchCall, VectorSearchFunctionProvider
from table_common.exceptions import TableException, TableInternalError, TableRuntimeException
from table_common.functions import EngineFunction, FunctionDefinition
from table_common.types import BigIntType
from table_planner_spark.context import LoweringContext
from table_planner_spark.errors import to_translation_error
from table_planner_spark.executor import CollectPlan, SinkPlan
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.expressions.engine_functions import EngineFunctions
from table_planner_spark.expressions.session_scope import SessionScope, session_scope
from table_planner_spark.file_relation_cache import FileRelationCache
from table_planner_spark.in_process_frames import InProcessFrames
from table_planner_spark.lowering import lower_query
from table_planner_spark.lowering.collect import lower_collect
from table_planner_spark.lowering.fusion import fuse
from table_planner_spark.lowering.map_batches import encoded_columns
from table_planner_spark.lowering.sink import lower_sink
from table_planner_spark.optimizer_rules import EXCLUDED_RULES, optimizer_options, without_evaluation
from table_planner_spark.options import analysis_options
from table_planner_spark.plan_splitting import PartReader, placeholder, rows_once
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_planner_spark.scan.data_frame import rename
from table_planner_spark.scan.providers import why_unsupported
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.connect_session import ConnectSession
from table_planner_spark.session.engine_session import EngineSession, open_session
from table_planner_spark.session.log_filter import quiet_logs
from table_planner_spark.sink.write import SinkWrite
from table_planner_spark.streaming_frames import (
    frame_of,
    is_streaming_frame,
    require_no_run,
    require_one_by_one,
    require_one_stream,
    require_streaming,
    watermark_metadata,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from table_planner_spark.streaming.job import SparkStreamJob
    from table_runtime.expressions import EvaluationContext
    from table_runtime.run import Operator

_STOP_SECONDS = 30.0
"""Seconds that a streaming job has for its last epoch when the environment is closed."""


class SparkPlanner(Planner):
    """Plans on one Spark session: the one passed in, or one that the planner starts with the first query."""

    def __init__(self, context: PlannerContext) -> None:
        self._context = context
        self._session: EngineSession | None = None
        self._file_relations = FileRelationCache()
        self._in_process = InProcessFrames()
        self._open_scans: list[Callable[[], None]] = []
        """What closes the scans of DataFrames that the user holds; called at the end of the planner."""
        self._lock = threading.Lock()
        self._streams: weakref.WeakSet[SparkStreamJob] = weakref.WeakSet()
        self._engine_functions = EngineFunctions(lambda: self._translating(self._session_for_analysis()), to_spark_sql)

    @property
    @override
    def name(self) -> str:
        return "spark"

    @property
    def session(self) -> EngineSession:
        """The Spark session. It is started on first use, and again if Spark has ended."""
        with self._lock:
            if self._session is not None and not self._session.is_usable:
                ended, self._session = self._session, None
                self._file_relations, self._in_process = FileRelationCache(), InProcessFrames()
                ended.give_up()
            if self._session is None:
                given = self._context.external.get("spark")
                opened = ConnectSession(given) if is_spark_connect(given) else open_session(self._context.configuration, given)
                if not opened.is_usable:
                    opened.give_up()
                self._session = opened
            return self._session

    @override
    def rules(self) -> Sequence[Callable[[QueryOperation], QueryOperation]]:
        return (fuse,)

    @override
    def supports(self, provider: object) -> str | None:
        return why_unsupported(provider)

    @property
    def _scan_context(self) -> ScanTableSource.ScanContext:
        return ScanTableSource.ScanContext(not self._context.is_streaming_mode, session_time_zone(self._context.configuration))

    @override
    def translate(self, operations: Sequence[ModifyOperation]) -> ExecutablePlan:
        require_no_run(operations, self._scan_context)
        session = self.session.for_options(self._options(operations))
        with self._translating(session) as context:
            if len(operations) == 1 and operations[0].target_name is None:
                query = operations[0].child
                node = self._collected(operations[0], context)
                if node.has_separate_parts:
                    context.snapshots.end_listing()
                    return CollectPlan(session, query.resolved_schema, node, context.snapshots)
                frame = node.frame
                adapter_of(session.spark).analyze(frame)
                context.snapshots.end_listing()
                return CollectPlan(session, query.resolved_schema, frame, context.snapshots)
            sinks = [self._sink(operation, context) for operation in operations]
            context.snapshots.end_listing()
        return SinkPlan(session, _schema_of(operations), sinks, context.snapshots)

    @override
    def explain(self, operations: Sequence[ModifyOperation], details: Collection[ExplainDetail]) -> str:
        if ExplainDetail.ANALYZE in details:
            raise TableException(
                "EXPLAIN ANALYZE measures queries of the embedded engine.", hint="Spark's own interface shows what its stages did."
            )
        require_no_run(operations, self._scan_context)
        options = self._options(operations)
        try:
            return self._plan_text(operations, details, options)
        except TableRuntimeException:
            # Spark evaluates constants while it plans. What fails then fails at run time, if a row needs it, but is no reason not to show the plan.
            return self._plan_text(operations, details, without_evaluation(options))

    def _plan_text(self, operations: Sequence[ModifyOperation], details: Collection[ExplainDetail], options: Mapping[str, str]) -> str:
        with self._translating(self.session.for_options(options)) as context:
            frames: list[DataFrame] = []

            def explained(part: DataFrame) -> DataFrame:
                frames.append(part)
                return placeholder(part)

            for operation in operations:
                if operation.target_name is None:
                    frames.append(self._collected(operation, context).through_parts(explained))
                else:
                    frames.append(self._sink(operation, context, explained).frame)
            return "\n".join(_plan_text(frame, details) for frame in frames)

    @cached_property
    @override
    def expressions(self) -> ExpressionServices:
        from table_runtime.kernel_expressions import KernelExpressions

        return KernelExpressions(self._evaluation)

    @override
    def vector_comparison(
        self, scan: ScanTableSource.ScanRuntimeProvider, call: VectorSearchCall, metric: str
    ) -> VectorSearchFunctionProvider | None:
        from table_runtime.batch import vector_comparison  # few queries search

        return vector_comparison(scan, call, metric)

    def _evaluation(self) -> EvaluationContext:
        """Returns the evaluation context for expressions computed by the Arrow kernels."""
        from table_runtime.expressions import EvaluationContext

        configuration = self._context.configuration
        return EvaluationContext(
            session_time_zone(configuration),
            legacy_casts=configuration.get(ExecutionConfigOptions.TABLE_EXEC_LEGACY_CAST_BEHAVIOUR) == "ENABLED",
        )

    @override
    def resolve_function(self, function: EngineFunction) -> FunctionDefinition:
        return self._engine_functions.resolve(function)

    @override
    def to_external(self, operation: QueryOperation) -> object:
        session = self._session_for_analysis()
        streams = unbounded_leaves(operation, self._scan_context)
        if streams:
            if is_spark_connect(session.program):
                raise streaming_on_connect()
            require_one_by_one(operation, streams, session.program)
        with self._translating(session, streams) as context:
            node = _whole(lower_query(operation, context), rows_once)
            watermarks = watermark_metadata(node.frame) if streams else {}
            columns = [
                fns.col(quote_name(name)).alias(
                    column.name, metadata={**logical_type_metadata(column.data_type), **watermarks.get(name, {})}
                )
                for name, column in zip(node.columns, operation.resolved_schema.columns, strict=True)
            ]
            _require_columns_that_differ(context.similar_columns, session)
            self._open_scans += context.snapshots.take_scans()
            frame = session.hand_over(node.frame.select(*columns))
            if streams:
                require_streaming(frame)
            return frame

    @override
    def close(self) -> None:
        streams = list(self._streams)
        for job in streams:
            job.client.end()
        for job in streams:
            job.join(_STOP_SECONDS)
            job.client.cancel()
            job.join(_STOP_SECONDS)
        with self._lock:
            self._in_process.clear()
            while self._open_scans:
                self._open_scans.pop()()
            if self._session is not None:
                self._session.close()
                self._session = None

    def _session_for_analysis(self) -> EngineSession:
        return self.session.for_options(analysis_options(self._context.configuration))

    def _options(self, operations: Sequence[ModifyOperation]) -> dict[str, str]:
        """Returns the Spark options for analyzing and planning the operations."""
        options = analysis_options(self._context.configuration)
        options.update(optimizer_options(operations, lambda: self.session.spark.conf.get(EXCLUDED_RULES, None)))
        return options

    @property
    @override
    def capabilities(self) -> PlannerCapabilities:
        if not self._context.is_streaming_mode:
            return PlannerCapabilities()
        from table_runtime.planner.streaming import CHANGELOG_OPERATIONS  # batch plans have no changes

        return PlannerCapabilities(
            changelog_operations=CHANGELOG_OPERATIONS | {DataFrameQueryOperation},
            bounded_changelogs=not is_spark_connect(self._context.external.get("spark")),
            unbounded_inputs=True,
        )

    @override
    def translate_stream(self, plan: StreamPlan) -> ExecutablePlan:
        from table_planner_spark.streaming.job import SparkStreamPlan

        configuration = self._context.configuration
        options = analysis_options(configuration)
        if is_spark_connect(self._context.external.get("spark")):
            from table_planner_spark.streaming.epoch_frames import FRAME_OPTIONS

            options.update(FRAME_OPTIONS)
        session = self.session.for_options(options)
        return SparkStreamPlan(lambda: self._stream_root(plan), _schema_of(plan.operations), session, configuration, self._streams.add)

    @override
    def explain_stream(self, plan: StreamPlan, details: Collection[ExplainDetail]) -> str:
        if ExplainDetail.ANALYZE in details:
            raise TableException("EXPLAIN ANALYZE measures batch queries.", hint="SET 'execution.runtime-mode' = 'batch'")
        from table_planner_spark.streaming.explanation import explain_stream

        return explain_stream(self._stream_root(plan), self._context.configuration)

    @override
    def explain_upgrade(self, plan: StreamPlan, job: str) -> str:
        from table_runtime.planner.streaming import explain_upgrade

        return explain_upgrade(self._stream_root(plan), job, self._context.configuration)

    def _stream_root(self, plan: StreamPlan) -> Operator:
        """Returns the physical root of a streaming plan. A group changes once per epoch: all rows of an epoch become visible together."""
        require_one_stream(plan.operations, self._scan_context)
        # Differs from Flink: on Spark a group changes once per epoch also without mini-batches.
        from table_runtime.planner.streaming import stream_root  # batch plans do not need it

        return stream_root(plan, self._context.configuration, nets_batches=True, other_scan=self._batch_rows)

    def _batch_rows(self, node: QueryOperation, provider: object, schema: pa.Schema) -> Operator | None:
        """Returns the scan of a leaf that only Spark reads, ``provider`` is that of a source; None: Spark does not read it either."""
        table = node.summary_name
        if isinstance(node, SourceQueryOperation):
            if node.change_column is not None or self.supports(provider) is not None:
                return None
            table = node.table.identifier.as_summary_string()
        if is_streaming_frame(node, provider):
            from table_planner_spark.streaming.frame_batches import FrameStream

            row_type = node.resolved_schema.to_row_type()
            return FrameStream(
                schema, row_type, table, lambda: frame_of(node, provider, self.session.program), lambda rows: self._encoded(rows, node)
            )
        from table_planner_spark.streaming.batch_rows import BatchRows

        return BatchRows(schema, table, lambda: self.translate([CollectModifyOperation(node)]))

    def _encoded(self, rows: DataFrame, node: QueryOperation) -> DataFrame:
        """Returns a batch of the rows of a leaf with the columns in which it travels."""
        with self._translating(self._session_for_analysis()) as context:
            relation = rename(rows, node.resolved_schema, context)
            return relation.frame.selectExpr(*encoded_columns(relation, node.resolved_schema.to_row_type()))

    @contextmanager
    def _translating(self, session: EngineSession, streams: Collection[QueryOperation] = ()) -> Iterator[LoweringContext]:
        configuration = self._context.configuration
        legacy_casts = configuration.get(ExecutionConfigOptions.TABLE_EXEC_LEGACY_CAST_BEHAVIOUR) == "ENABLED"
        scope = SessionScope(session.spark, legacy_casts, session_time_zone(configuration), avoids_time=bool(streams))
        try:
            with session.translation, quiet_logs(), session_scope(scope):
                context = LoweringContext(
                    session.spark,
                    configuration,
                    self._file_relations,
                    self._in_process,
                    is_streaming=self._context.is_streaming_mode,
                    adopt=session.adopt,
                    program=session.program,
                    streams=streams,
                )
                yield context
        except Exception as error:
            mended = session.failure(error) or to_translation_error(error)
            if mended is error:
                raise
            raise mended from error

    def _collected(self, operation: ModifyOperation, context: LoweringContext) -> SparkRelation:
        return lower_collect(operation, lower_query(operation.child, context))

    def _sink(self, operation: ModifyOperation, context: LoweringContext, reader: PartReader = rows_once) -> SinkWrite:
        if not isinstance(operation, SinkModifyOperation):
            raise TableInternalError(f"The planner received {operation.summary_name} together with other operations.")
        return lower_sink(operation, _whole(lower_query(operation.child, context), reader), context)


def _whole(node: SparkRelation, reader: PartReader) -> SparkRelation:
    """Returns the node; if it has repeated subplans, over a DataFrame in which the reader has replaced them."""
    return SparkRelation(node.through_parts(reader), node.columns) if node.has_separate_parts else node


def _require_columns_that_differ(columns: Sequence[str], session: EngineSession) -> None:
    """Rejects files with columns that the program's session takes for one: Spark looks for the columns when the DataFrame runs.

    Raises:
        TableException: there are such columns.
    """
    if columns and session.program.conf.get("spark.sql.caseSensitive") != "true":
        raise TableException(
            f"The columns {', '.join(columns)} of a file differ in case only, and the Spark session of the DataFrame takes them for one.",
            hint="Set spark.sql.caseSensitive to true in the session, or rename the columns.",
        )


def _schema_of(operations: Sequence[ModifyOperation]) -> ResolvedSchema:
    """Returns the schema of what a plan returns: the rows of a query, or how many rows each sink has got."""
    if len(operations) == 1 and operations[0].target_name is None:
        return operations[0].child.resolved_schema
    return ResolvedSchema.physical([(_sink_name(operation), BigIntType(nullable=False)) for operation in operations])


def _sink_name(operation: ModifyOperation) -> str:
    return operation.target_name or operation.summary_name


_EXPLAIN_MODES: Mapping[ExplainDetail, str] = {ExplainDetail.ESTIMATED_COST: "cost"}


def _plan_text(frame: DataFrame, details: Collection[ExplainDetail]) -> str:
    import contextlib
    import io

    mode = next((_EXPLAIN_MODES[detail] for detail in details if detail in _EXPLAIN_MODES), "formatted")
    text = io.StringIO()
    with contextlib.redirect_stdout(text):  # PySpark has no public call that returns the plan
        frame.explain(mode=mode)
    return text.getvalue().strip() + "\n"
