"""Statistics of a table that are known before it is read."""

from __future__ import annotations

import pickle

from table_common.connector.source import ColumnStats, TableStats


def test_statistics_are_unknown_by_default() -> None:
    assert TableStats() == TableStats.UNKNOWN
    assert TableStats(3, {"a": ColumnStats(ndv=2)}).column_stats["a"].null_count is None


def test_statistics_travel() -> None:
    stats = TableStats(3, {"a": ColumnStats(min=1, max=2)})
    assert pickle.loads(pickle.dumps(stats)) == stats
