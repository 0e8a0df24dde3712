"""The embedded planner."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from table_api.delegation import (
    ExecutablePlan,
    ExplainDetail,
    ExpressionServices,
    JobStatus,
    Planner,
    PlannerCapabilities,
    PlannerContext,
    StreamPlan,
)
from table_api.operations import AggregateQueryOperation, JoinQueryOperation, ModifyOperation, QueryOperation
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.configuration import CheckpointingOptions, ExecutionConfigOptions, OptimizerConfigOptions
from table_common.exceptions import TableException
from table_common.frozen_dataclass import replace
from table_common.tree import nodes_of, preorder
from table_common.types import BigIntType
from table_runtime.expressions import EvaluationContext
from table_runtime.kernel_expressions import KernelExpressions
from table_runtime.planner.context import LoweringContext, evaluation_now
from table_runtime.planner.executor import ArrowExecutablePlan, JobRegistry
from table_runtime.planner.lowering import lower_all
from table_runtime.planner.refusals import provider_refusal
from table_runtime.run.execution import SpillOptions
from table_runtime.run.operator import Operator, describe, shown_estimate

if TYPE_CHECKING:
    from table_api.operations import ProcessTableFunctionQueryOperation
    from table_common.connector import ScanTableSource, VectorSearchCall, VectorSearchFunctionProvider
    from table_runtime.planner.process_table_test_run import ProcessTableTestRun
    from table_runtime.planner.streaming import LoweredStream
    from table_runtime.streaming.workers.worker_group import GroupUser


class ArrowPlanner(Planner):
    """Plans queries that run in this process, or streams in its workers; its only state is the registry of its jobs, and that workers wait for the next one."""

    def __init__(self, context: PlannerContext) -> None:
        self._context = context
        self._jobs = JobRegistry()
        self._workers: GroupUser | None = None
        self._expressions = KernelExpressions(self._evaluation)

    @property
    @override
    def name(self) -> str:
        return "arrow"

    @override
    def supports(self, provider: object) -> str | None:
        return provider_refusal(provider, is_unbounded_allowed=self._context.is_streaming_mode)

    @override
    def translate(self, operations: Sequence[ModifyOperation]) -> ExecutablePlan:
        return self._executable(operations, lambda: self._lower(operations))

    def process_table_test_run(self, node: ProcessTableFunctionQueryOperation) -> ProcessTableTestRun:
        """Returns one call of a process table function without a job, for the harness of ``table_api.testing``."""
        from table_runtime.planner.process_table_test_run import ProcessTableTestRun

        return ProcessTableTestRun(node, LoweringContext(self._evaluation(), self._context.configuration))

    def _executable(self, operations: Sequence[ModifyOperation], lower: Callable[[], Sequence[Operator]]) -> ExecutablePlan:
        configuration = self._context.configuration
        return ArrowExecutablePlan(
            lower,
            self._schema(operations),
            self._jobs,
            is_sink=any(operation.target_name is not None for operation in operations),
            parallelism=self._parallelism(),
            memory=configuration.get(ExecutionConfigOptions.TABLE_EXEC_MEMORY),
            spill=self._spill_options(),
        )

    def _spill_options(self) -> SpillOptions:
        configuration = self._context.configuration
        return SpillOptions(
            configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPILL_DIR),
            configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPILL_COMPRESSION_ENABLED),
        )

    def _parallelism(self) -> int | None:
        parallelism = self._context.configuration.get(ExecutionConfigOptions.TABLE_EXEC_RESOURCE_DEFAULT_PARALLELISM)
        return parallelism if parallelism > 0 else None

    @override
    def translate_stream(self, plan: StreamPlan) -> ExecutablePlan:
        from table_runtime.planner.streaming import StreamExecutablePlan

        configuration = self._context.configuration
        return StreamExecutablePlan(
            lambda: self._lower_stream(plan),
            self._schema(plan.operations),
            self._jobs,
            configuration,
            parallelism=self._parallelism(),
            memory=configuration.get(ExecutionConfigOptions.TABLE_EXEC_MEMORY),
        )

    @override
    def explain_stream(self, plan: StreamPlan, details: Collection[ExplainDetail]) -> str:
        if ExplainDetail.ANALYZE in details:
            raise TableException("EXPLAIN ANALYZE measures batch queries.", hint="SET 'execution.runtime-mode' = 'batch'")
        return self._lower_stream(plan).explain(self._context.configuration)

    def _lower_stream(self, plan: StreamPlan) -> LoweredStream:
        from table_runtime.planner.streaming import lower_stream, translate_stream

        lowered = lower_stream(
            lambda nets: translate_stream(plan, self._lowering_context(), nets_batches=nets), self._context.configuration
        )
        if lowered.workers > 1 and self._workers is None:
            from table_runtime.streaming.workers.worker_group import GroupUser  # few jobs have workers

            self._workers = GroupUser()
        return lowered

    @override
    def explain_upgrade(self, plan: StreamPlan, job: str) -> str:
        from table_runtime.planner.streaming import explain_upgrade, translate_stream

        return explain_upgrade(translate_stream(plan, self._lowering_context()), job, self._context.configuration)

    @override
    def stored_jobs(self) -> Sequence[Mapping[str, Any]]:
        directory = self._context.configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY)
        if not directory:
            return ()
        from table_runtime.streaming.checkpoints.stored_jobs import stored_jobs  # needed by statements about jobs

        return [{**job, "status": JobStatus.RUNNING if job["is_running"] else JobStatus.SUSPENDED} for job in stored_jobs(directory)]

    @override
    def explain(self, operations: Sequence[ModifyOperation], details: Collection[ExplainDetail]) -> str:
        estimates = ExplainDetail.ESTIMATED_COST in details or ExplainDetail.ANALYZE in details
        context = self._lowering_context()
        roots = self._lower(operations, context, estimates=estimates)
        if ExplainDetail.ANALYZE in details:
            from table_runtime.planner.analysis import analyze  # few statements are measured

            return analyze(roots, operations, context, self._parallelism(), self._spill_options())
        return "\n\n".join(describe(root, shown_estimate) for root in roots)

    @override
    def rules(self) -> Sequence[Callable[[QueryOperation], QueryOperation]]:
        return (self.order_joins,)

    def order_joins(self, plan: QueryOperation) -> QueryOperation:
        """Reorders inner joins by estimated row counts."""
        if not nodes_of(plan, QueryOperation, JoinQueryOperation):
            return plan
        from table_runtime.planner.rules.order_joins import order_joins  # most small statements never need it

        ask_sources = self._context.configuration.get(OptimizerConfigOptions.TABLE_OPTIMIZER_SOURCE_REPORT_STATISTICS_ENABLED)
        return order_joins(plan, self._context.table_statistics, ask_sources=ask_sources, evaluation=self._evaluation())

    @override
    def estimated_rows(self, root: QueryOperation) -> Callable[[QueryOperation], float]:
        from table_runtime.planner.rules.estimates import estimate

        estimates = estimate(
            root,
            self._context.table_statistics,
            ask_sources=self._context.configuration.get(OptimizerConfigOptions.TABLE_OPTIMIZER_SOURCE_REPORT_STATISTICS_ENABLED),
            evaluation=self._evaluation(),
        )
        return lambda node: estimates(node).rows

    @property
    @override
    def capabilities(self) -> PlannerCapabilities:
        if not self._context.is_streaming_mode:
            return PlannerCapabilities(dynamic_filtering=True)
        from table_runtime.planner.streaming.operations import CHANGELOG_OPERATIONS  # batch plans have no changes

        return PlannerCapabilities(
            dynamic_filtering=True, changelog_operations=CHANGELOG_OPERATIONS, shared_scans=True, unbounded_inputs=True
        )

    @property
    @override
    def expressions(self) -> ExpressionServices:
        return self._expressions

    @override
    def vector_comparison(
        self, scan: ScanTableSource.ScanRuntimeProvider, call: VectorSearchCall, metric: str
    ) -> VectorSearchFunctionProvider | None:
        from table_runtime.batch.vector_search import vector_comparison  # few queries search

        return vector_comparison(scan, call, metric)

    @override
    def close(self) -> None:
        self._jobs.cancel_all()
        if self._workers is not None:
            self._workers.close()

    def _lower(
        self, operations: Sequence[ModifyOperation], context: LoweringContext | None = None, *, estimates: bool = False
    ) -> list[Operator]:
        has_joins = any(nodes_of(operation.child, QueryOperation, JoinQueryOperation) for operation in operations)
        narrowed = [_with_moved_sums(_without_join_columns(operation) if has_joins else operation) for operation in operations]
        context = context if context is not None else self._lowering_context()
        if estimates:
            of_each = [(operation.child, self.estimated_rows(operation.child)) for operation in narrowed]
            context = replace(context, estimated_rows=_first_known(of_each))
        if has_joins and context.is_bounded:
            from table_runtime.planner.rules.build_sides import built_left  # most small statements never need it

            decided = (built_left(operation.child, self.estimated_rows) for operation in narrowed)
            context = replace(context, built_left=frozenset().union(*decided))
        return lower_all(narrowed, context)

    def _lowering_context(self) -> LoweringContext:
        is_bounded = not self._context.is_streaming_mode
        return LoweringContext(self._evaluation(), self._context.configuration, is_bounded)

    def _evaluation(self) -> EvaluationContext:
        return evaluation_now(self._context.configuration)

    def _schema(self, operations: Sequence[ModifyOperation]) -> ResolvedSchema:
        if len(operations) == 1 and operations[0].target_name is None:
            return operations[0].child.resolved_schema
        names = [operation.target_name for operation in operations if operation.target_name is not None]
        return ResolvedSchema.physical((name, BigIntType(nullable=False)) for name in names)


def _first_known(estimates: Sequence[tuple[QueryOperation, Callable[[QueryOperation], float]]]) -> Callable[[QueryOperation], float]:
    """Returns one function for the nodes of several plans."""
    owner = {id(node): rows for root, rows in estimates for node in preorder(root, QueryOperation)}
    return lambda node: owner[id(node)](node)


def _without_join_columns(operation: ModifyOperation) -> ModifyOperation:
    """Returns the operation with joins that output only the columns used above them."""
    from table_api.plan import drop_join_columns  # most small statements never need it

    return replace(operation, child=drop_join_columns(operation.child))


def _with_moved_sums(operation: ModifyOperation) -> ModifyOperation:
    """Returns the operation with sums of a column plus constants that are computed from one sum of the column."""
    if not nodes_of(operation.child, QueryOperation, AggregateQueryOperation):
        return operation
    from table_runtime.planner.rules.move_sums import move_sums  # most small statements never need it

    return replace(operation, child=move_sums(operation.child))
