"""The planner SPI."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .expression_services: ExpressionServices NoExpressionServices
    .job: ExecutablePlan JobClient JobExecution JobOptions ProgressListener refuse_restoring
    .job_result: CompletableFuture JobExecutionResult JobID
    .metrics_listener: MetricsListener
    .planner: ExplainDetail Planner PlannerCapabilities PlannerContext PlannerFactory
    .session: FoundTable FoundView FunctionLookup ModelLookup Session TableLookup
    .stream_plan: StreamPlan
    table_common.job_state: JobState JobStatus
    """,
)
