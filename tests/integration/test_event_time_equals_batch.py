"""Streaming programs by event time whose final table is that of batch mode."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.connector import RowKind

ROWS = [
    "1,a,5,2026-01-30 10:00:00",
    "2,b,7,2026-01-31 23:59:59",
    "3,a,3,2026-02-28 00:00:00",
    "4,a,1,2026-02-28 23:59:59",
    "5,b,2,2026-03-31 00:00:00",
]


def final_table(sql: str, path: Path, mode: str) -> Counter[str]:
    (path / "rows.csv").write_text("\n".join(ROWS))
    builder = EnvironmentSettings.new_instance().with_planner("arrow")
    env = TableEnvironment.create((builder.in_streaming_mode() if mode == "streaming" else builder.in_batch_mode()).build())
    env.execute_sql(
        "CREATE TABLE t (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) "
        f"WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
    )
    table: Counter[str] = Counter()
    for row in env.execute_sql(sql).collect():
        table[repr(list(row))] += 1 if row.get_row_kind() in (RowKind.INSERT, RowKind.UPDATE_AFTER) else -1
    return +table


@pytest.mark.parametrize("length", ["'1' MONTH", "'2' YEAR", "'0' MONTH", "'1-1' YEAR TO MONTH"])
def test_a_frame_of_months_has_the_rows_of_these_months(length: str, tmp_path: Path) -> None:
    sql = f"SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL {length} PRECEDING AND CURRENT ROW) AS s FROM t"
    batch, streaming = (final_table(sql, tmp_path, mode) for mode in ("batch", "streaming"))
    assert len(batch) == len(ROWS)
    assert streaming == batch
