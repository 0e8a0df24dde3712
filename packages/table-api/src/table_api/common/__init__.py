"""Names of ``pyflink.common``: rows, options, times, types of data streams, and the parts of jobs."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .time: Duration Instant Time
    .type_information: TypeInformation Types
    table_api.delegation: CompletableFuture JobClient JobExecutionResult JobID JobStatus
    table_common.configuration: ConfigOption ConfigOptions Configuration
    table_common.data: Row RowKind
    """,
)
