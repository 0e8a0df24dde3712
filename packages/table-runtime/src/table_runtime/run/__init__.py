"""What a run of a plan needs beside its operators: their base class, threads, memory, cancellation, measurements."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .execution: ExecutionContext
    .job_metrics: JobMetrics
    .operator: Operator
    """,
)
