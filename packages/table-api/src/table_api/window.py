"""Windows of the Table API, under the names of ``pyflink.table.window``."""

from table_api.over_windows import (
    Over,
    OverWindow,
    OverWindowPartitioned,
    OverWindowPartitionedOrdered,
    OverWindowPartitionedOrderedPreceding,
)

__all__ = [
    "Over",
    "OverWindow",
    "OverWindowPartitioned",
    "OverWindowPartitionedOrdered",
    "OverWindowPartitionedOrderedPreceding",
]
