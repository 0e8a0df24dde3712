"""All rows of a query are late: what each kind of operation over event time returns, how many late rows it counts, and the words of its warning.

The first row of the table moves the watermark past all others and is filtered out above it. Rows that come after their window, frame or pattern is over are
dropped. An interval join pairs late rows with rows that are kept and returns them without partner if it is an outer join; a versioned join, bounded frames, a
sort and the last row of a key take them as they come, as Flink does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment

LATE = ("1,a,2020-01-01 00:00:01", "2,a,2020-01-01 00:00:02", "3,b,2020-01-01 00:00:03")
WINDOW = "TABLE(TUMBLE(TABLE late, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
COUNTED = "SELECT window_end, COUNT(*) AS n FROM TABLE({}) GROUP BY window_start, window_end"
RANKED = f"SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY {{}}) AS n FROM {WINDOW}) WHERE n <= {{}}"
SAME_WINDOW = "x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end"
FRAME = "SELECT id, COUNT(*) OVER (PARTITION BY k ORDER BY ts {}) AS n FROM late"
INTERVAL = "SELECT x.id, y.id FROM late AS x {} JOIN late AS y ON x.k = y.k AND x.ts BETWEEN y.ts - INTERVAL '5' SECOND AND y.ts"
VERSIONED = "SELECT x.id, y.id FROM late AS x {} JOIN versions FOR SYSTEM_TIME AS OF x.ts AS y ON x.k = y.k"
NUMBERED = "SELECT id, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts {}) AS n FROM late) WHERE n = 1"
PATTERN = """SELECT * FROM late MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.id AS a, B.id AS b
    AFTER MATCH SKIP PAST LAST ROW PATTERN (A B) DEFINE B AS B.id > A.id)"""

DROPPED = {
    "tumble": (COUNTED.format("TUMBLE(TABLE late, DESCRIPTOR(ts), INTERVAL '10' SECOND)"), "WindowAggregate", 3),
    # A row is in two windows, and counted once.
    "hop": (COUNTED.format("HOP(TABLE late, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)"), "WindowAggregate", 3),
    "cumulate": (COUNTED.format("CUMULATE(TABLE late, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)"), "WindowAggregate", 3),
    "session": (COUNTED.format("SESSION(TABLE late, DESCRIPTOR(ts), INTERVAL '10' SECOND)"), "WindowTableFunction", 3),
    "top n of a window": (RANKED.format("id", 2), "WindowRank", 3),
    "deduplication of a window": (RANKED.format("ts", 1), "WindowRank", 3),
    # The rows of both sides.
    "window join": (f"SELECT x.id FROM (SELECT * FROM {WINDOW}) AS x JOIN (SELECT * FROM {WINDOW}) AS y ON {SAME_WINDOW}", "WindowJoin", 6),
    "outer window join": (
        f"SELECT x.id, y.id FROM (SELECT * FROM {WINDOW}) AS x FULL JOIN (SELECT * FROM {WINDOW}) AS y ON {SAME_WINDOW}",
        "WindowJoin",
        6,
    ),
    "unbounded frame": (FRAME.format(""), "OverAggregate", 3),
    "first row": (NUMBERED.format(""), "Deduplicate", 3),
    "pattern": (PATTERN, "MatchRecognize", 3),
}
TAKEN = {
    "window function alone": (f"SELECT id FROM {WINDOW}", [(1,), (2,), (3,)]),
    "frame of rows": (FRAME.format("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"), [(1, 1), (2, 2), (3, 1)]),
    "frame of time": (FRAME.format("RANGE BETWEEN INTERVAL '1' SECOND PRECEDING AND CURRENT ROW"), [(1, 1), (2, 2), (3, 1)]),
    "interval join": (INTERVAL.format(""), []),
    "left interval join": (INTERVAL.format("LEFT"), [(1, None), (2, None), (3, None)]),
    "full interval join": (INTERVAL.format("FULL"), [(None, 1), (None, 2), (None, 3), (1, None), (2, None), (3, None)]),
    "versioned join": (VERSIONED.format(""), [(1, 7), (2, 7)]),
    "left versioned join": (VERSIONED.format("LEFT"), [(1, 7), (2, 7), (3, None)]),
    "last row": (NUMBERED.format("DESC"), [(2, "a"), (3, "b")]),
    "sort": ("SELECT id FROM late ORDER BY ts", [(1,), (2,), (3,)]),
}


def final_rows(tmp_path: Path, query: str) -> tuple[list[tuple[object, ...]], dict[str, int | float], list[str]]:
    """Returns the final rows of a query, the counters of late rows above 0 by the name of the operator, and the warnings."""
    (tmp_path / "t.csv").write_text("\n".join(("0,first,2020-01-01 01:00:00", *LATE)) + "\n", encoding="utf-8")
    (tmp_path / "versions.csv").write_text("7,a,2020-01-01 00:00:00\n", encoding="utf-8")
    with TableEnvironment.create(EnvironmentSettings.new_instance().with_planner("arrow").in_streaming_mode().build()) as env:
        for table, more in (("t", ""), ("versions", ", PRIMARY KEY (k) NOT ENFORCED")):
            env.execute_sql(
                f"CREATE TABLE {table} (id INT, k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts{more}) "
                f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/{table}.csv', 'format' = 'csv')"
            )
        env.execute_sql("CREATE VIEW late AS SELECT * FROM t WHERE k <> 'first'")
        result = env.execute_sql(query)
        rows: list[tuple[object, ...]] = []
        for row in result.collect():
            if row.get_row_kind().name in ("INSERT", "UPDATE_AFTER"):
                rows.append(tuple(row))
            else:
                rows.remove(tuple(row))
        client = result.get_job_client()
        assert client is not None
        late = {
            name.split("[")[0]: count for name, count in client.get_metrics().items() if name.endswith(".numLateRecordsDropped") and count
        }
        return sorted(rows, key=repr), late, list(result.get_warnings())


@pytest.mark.parametrize("kind", DROPPED)
def test_late_rows_are_dropped_and_counted(tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    query, operator, count = DROPPED[kind]
    rows, late, warnings = final_rows(tmp_path, query)
    assert (rows, late) == ([], {operator: count})
    (warning,) = warnings
    assert warning.startswith(f"{operator}(")
    assert warning.endswith(
        f" dropped {count} late rows: the watermark had reached their time when they came. A longer delay in the WATERMARK would keep them."
    )
    assert warning in caplog.messages


@pytest.mark.parametrize("kind", TAKEN)
def test_late_rows_are_taken_where_flink_takes_them(tmp_path: Path, kind: str) -> None:
    query, expected = TAKEN[kind]
    assert final_rows(tmp_path, query) == (sorted(expected, key=repr), {}, [])
