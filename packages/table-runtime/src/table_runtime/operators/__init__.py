"""Physical operators: record batches in, record batches out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.operators.divided_scan import DividedScan, divide_scan
    from table_runtime.operators.execution import ExecutionContext
    from table_runtime.operators.job_metrics import JobMetrics
    from table_runtime.operators.keyed_aggregation import AggregationPlan
    from table_runtime.operators.keys import KeyCodec
    from table_runtime.operators.operator import Operator
    from table_runtime.operators.scan_offsets import ScanOffsets
    from table_runtime.operators.sink import write_to
    from table_runtime.operators.staged_files import StagedFiles

__all__ = [
    "AggregationPlan",
    "DividedScan",
    "ExecutionContext",
    "JobMetrics",
    "KeyCodec",
    "Operator",
    "ScanOffsets",
    "StagedFiles",
    "divide_scan",
    "write_to",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.operators.divided_scan": (
            "DividedScan",
            "divide_scan",
        ),
        "table_runtime.operators.execution": ("ExecutionContext",),
        "table_runtime.operators.job_metrics": ("JobMetrics",),
        "table_runtime.operators.keyed_aggregation": ("AggregationPlan",),
        "table_runtime.operators.keys": ("KeyCodec",),
        "table_runtime.operators.operator": ("Operator",),
        "table_runtime.operators.scan_offsets": ("ScanOffsets",),
        "table_runtime.operators.sink": ("write_to",),
        "table_runtime.operators.staged_files": ("StagedFiles",),
    },
)
