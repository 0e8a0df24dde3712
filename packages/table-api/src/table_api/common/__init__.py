"""Names of ``pyflink.common``: rows, options, times, types of data streams, and the parts of jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.common.time import Duration, Instant, Time
    from table_api.common.type_information import TypeInformation, Types
    from table_api.delegation import CompletableFuture, JobClient, JobExecutionResult, JobID, JobStatus
    from table_common.configuration import ConfigOption, ConfigOptions, Configuration
    from table_common.data import Row, RowKind

__all__ = [
    "CompletableFuture",
    "ConfigOption",
    "ConfigOptions",
    "Configuration",
    "Duration",
    "Instant",
    "JobClient",
    "JobExecutionResult",
    "JobID",
    "JobStatus",
    "Row",
    "RowKind",
    "Time",
    "TypeInformation",
    "Types",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.common.time": ("Duration", "Instant", "Time"),
        "table_api.common.type_information": ("TypeInformation", "Types"),
        "table_api.delegation": ("CompletableFuture", "JobClient", "JobExecutionResult", "JobID", "JobStatus"),
        "table_common.configuration": ("ConfigOption", "ConfigOptions", "Configuration"),
        "table_common.data": ("Row", "RowKind"),
    },
)
