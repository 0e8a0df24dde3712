"""Names of ``pyflink.table.table``."""

from table_api.tables.group_windows import GroupWindowedTable, WindowGroupedTable
from table_api.tables.grouped_table import AggregatedTable, FlatAggregateTable, GroupedTable
from table_api.tables.over_windows import OverWindowedTable
from table_api.tables.table import Table

__all__ = [
    "AggregatedTable",
    "FlatAggregateTable",
    "GroupWindowedTable",
    "GroupedTable",
    "OverWindowedTable",
    "Table",
    "WindowGroupedTable",
]
