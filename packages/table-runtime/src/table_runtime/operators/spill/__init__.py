"""Spilling: rows that exceed an operator's share of the memory budget are written to temporary files, partitioned by key or as sorted runs.

An operator that collects rows calls ``collect`` with its ``Account``. If the rows are more than its share, it writes them through a
``SpillFile`` and processes one partition or run after the other; a partition is processed by a copy of the operator itself, which spills again
if the partition is still too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.operators.spill.collected import Collected, collect
    from table_runtime.operators.spill.merge import merge_runs
    from table_runtime.operators.spill.partitions import partition_rows
    from table_runtime.operators.spill.rows import SpilledRows, over_inputs

__all__ = [
    "Collected",
    "SpilledRows",
    "collect",
    "merge_runs",
    "over_inputs",
    "partition_rows",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.operators.spill.collected": ("Collected", "collect"),
        "table_runtime.operators.spill.merge": ("merge_runs",),
        "table_runtime.operators.spill.partitions": ("partition_rows",),
        "table_runtime.operators.spill.rows": ("SpilledRows", "over_inputs"),
    },
)
