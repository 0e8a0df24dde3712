"""Spilling: rows that exceed an operator's share of the memory budget are written to temporary files, partitioned by key or as sorted runs.

An operator that collects rows calls ``collect`` with its ``Account``. If the rows are more than its share, it writes them through a
``SpillFile`` and processes one partition or run after the other; a partition is processed by a copy of the operator itself, which spills again
if the partition is still too large.
"""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .collected: Collected collect
    .merge: merge_runs
    .partitions: partition_rows
    .rows: SpilledRows over_inputs
    """,
)
