"""Queries by processing time with a clock of the test: each file of a table is a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import ValidationException
from table_runtime.streaming.time import clock

Clock = Callable[..., None]
MakeTable = Callable[..., TableEnvironment]
Changes = Callable[[TableEnvironment, str], list[str]]
ROWS = ["a,1\nb,2", "a,3", "a,4\nc,5", "b,6", "a,7"]


@pytest.fixture
def run_at(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets the seconds that the clock shows before each batch; after the last one it stands still."""

    def set_times(*seconds: float) -> None:
        times = [int(1000 * second) for second in seconds]
        monkeypatch.setattr(clock, "processing_time", lambda: times.pop(0) if len(times) > 1 else times[0])

    return set_times


@pytest.fixture
def table(tmp_path: Path) -> Iterator[MakeTable]:
    """Makes a table with columns k, v and the processing time p, whose batches are files."""
    environments: list[TableEnvironment] = []

    def make(batches: Sequence[str] = ROWS, name: str = "t") -> TableEnvironment:
        folder = tmp_path / name
        folder.mkdir()
        for number, rows in enumerate(batches):
            (folder / f"{number:03d}.csv").write_text(rows + "\n")
        if not environments:
            environments.append(
                TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build())
            )
            environments[0].get_config().set("table.local-time-zone", "UTC")
        environments[0].execute_sql(
            f"CREATE TABLE {name} (k STRING, v INT, p AS PROCTIME()) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'csv')"
        )
        return environments[0]

    yield make
    for env in environments:
        env.close()


def test_windows_are_emitted_when_the_clock_passes_their_end(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 4, 9.999, 10, 25)
    assert changes(
        table(),
        "SELECT MINUTE(window_start) * 60 + SECOND(window_start), k, COUNT(*), SUM(v) FROM TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '10' SECOND) "
        "GROUP BY window_start, window_end, k",
    ) == ["+I[0, 'a', 3, 8]", "+I[0, 'b', 1, 2]", "+I[0, 'c', 1, 5]", "+I[10, 'b', 1, 6]", "+I[20, 'a', 1, 7]"]


def test_a_window_is_emitted_before_the_batch_that_comes_after_its_end(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 4, 12, 13, 14)
    union = "SELECT k, SUM(v) FROM TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '10' SECOND) GROUP BY window_start, window_end, k"
    assert changes(table(), f"{union} UNION ALL SELECT k, v FROM t WHERE v > 2")[:4] == [
        "+I['a', 3]",
        "+I['a', 4]",
        "+I['b', 2]",
        "+I['a', 4]",
    ]


def test_hopping_windows_hold_a_row_several_times(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(11, 21)
    assert changes(
        table(["a,1", "a,2"]),
        "SELECT SECOND(window_start), SUM(v) FROM HOP(TABLE t, DESCRIPTOR(p), INTERVAL '10' SECOND, INTERVAL '20' SECOND) GROUP BY window_start, window_end",
    ) == ["+I[0, 1]", "+I[10, 3]", "+I[20, 2]"]


def test_cumulated_windows_grow(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(1, 6)
    assert changes(
        table(["a,1", "a,2"]),
        "SELECT SECOND(window_end), SUM(v) FROM CUMULATE(TABLE t, DESCRIPTOR(p), INTERVAL '5' SECOND, INTERVAL '10' SECOND) GROUP BY window_start, window_end",
    ) == ["+I[5, 1]", "+I[10, 3]"]


@pytest.mark.parametrize(("gap", "expected"), [("4", [1, 3, 4, 6, 7, 2, 5]), ("4.001", [8, 2, 6, 5, 7])])
def test_a_session_ends_a_gap_after_its_last_row(table: MakeTable, run_at: Clock, changes: Changes, gap: str, expected: list[int]) -> None:
    run_at(0, 4, 8, 12, 16)
    found = changes(
        table(),
        f"SELECT SUM(v) FROM SESSION(TABLE t PARTITION BY k, DESCRIPTOR(p), INTERVAL '{gap}' SECOND) GROUP BY window_start, window_end, k",
    )
    assert sorted(found) == sorted(f"+I[{total}]" for total in expected)


def test_a_cascade_of_windows_loses_no_row(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 4, 8, 12, 16)
    inner = "SELECT COUNT(*) AS n, window_time AS p2 FROM SESSION(TABLE t PARTITION BY k, DESCRIPTOR(p), INTERVAL '4' SECOND) GROUP BY window_start, window_end, window_time, k"
    assert changes(
        table(),
        f"SELECT SECOND(window_start), SUM(n) FROM SESSION(TABLE ({inner}), DESCRIPTOR(p2), INTERVAL '4' SECOND) GROUP BY window_start, window_end",
    ) == ["+I[4, 2]", "+I[8, 1]", "+I[12, 2]", "+I[16, 2]"]


def test_group_by_a_window_function(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 4, 12, 13, 14)
    assert changes(
        table(),
        "SELECT SECOND(TUMBLE_END(p, INTERVAL '10' SECOND)), COUNT(*), SECOND(TUMBLE_PROCTIME(p, INTERVAL '10' SECOND)) FROM t GROUP BY TUMBLE(p, INTERVAL '10' SECOND)",
    ) == ["+I[10, 3, 12]", "+I[20, 4, 14]"]


def test_the_best_row_of_a_window(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 4, 12, 13, 14)
    ranked = "SELECT k, v, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY v DESC) AS r FROM TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '10' SECOND)"
    assert changes(table(), f"SELECT k, v FROM ({ranked}) WHERE r = 1") == ["+I['a', 3]", "+I['a', 7]"]


def test_the_last_row_of_each_key_in_a_window(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 4, 12, 13, 14)
    ranked = "SELECT k, v, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY p DESC) AS r FROM TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '10' SECOND)"
    found = changes(table(), f"SELECT k, v FROM ({ranked}) WHERE r = 1")
    assert sorted(found) == ["+I['a', 3]", "+I['a', 7]", "+I['b', 2]", "+I['b', 6]", "+I['c', 5]"]


def test_windows_of_two_tables_are_joined(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 1, 12, 13)
    table(["a,1", "a,2"])
    env = table(["a,10", "a,20"], "u")
    windows = [f"TUMBLE(TABLE {name}, DESCRIPTOR(p), INTERVAL '10' SECOND)" for name in "tu"]
    condition = "l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end"
    # The tables are read in turn, so that rows of one window meet.
    assert changes(env, f"SELECT l.v, r.v FROM {windows[0]} AS l JOIN {windows[1]} AS r ON {condition}") == ["+I[1, 10]", "+I[2, 20]"]


def test_rows_close_in_processing_time_are_joined(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 1, 12, 13)
    table(["a,1", "a,2"])
    env = table(["a,10", "a,20"], "u")
    condition = "t.k = u.k AND t.p BETWEEN u.p AND u.p + INTERVAL '1' SECOND"
    assert changes(env, f"SELECT t.v, u.v FROM t LEFT JOIN u ON {condition}") == ["+I[1, 10]", "+I[2, 20]"]


def test_a_row_without_partner_is_emitted_when_the_clock_has_passed_its_interval(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 3, 12, 13)
    table(["a,1", "b,2"])
    env = table(["a,10", "c,20"], "u")
    condition = "t.k = u.k AND u.p BETWEEN t.p AND t.p + INTERVAL '1' SECOND"
    assert changes(env, f"SELECT t.v, u.v FROM t LEFT JOIN u ON {condition}") == ["+I[1, None]", "+I[2, None]"]


def test_all_rows_of_a_batch_have_one_time_and_each_batch_its_own(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(1, 2, 3, 4, 5)
    found = changes(table(), "SELECT v, SECOND(CURRENT_TIMESTAMP), SECOND(p), COUNT(*) OVER (ORDER BY p) FROM t")
    assert found == [
        "+I[1, 1, 1, 1]",
        "+I[2, 1, 1, 2]",
        "+I[3, 2, 2, 3]",
        "+I[4, 3, 3, 4]",
        "+I[5, 3, 3, 5]",
        "+I[6, 4, 4, 6]",
        "+I[7, 5, 5, 7]",
    ]


def test_the_last_row_of_each_key(table: MakeTable, changes: Changes) -> None:
    ranked = "SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p DESC) AS r FROM t"
    assert changes(table(ROWS[:3]), f"SELECT k, v FROM ({ranked}) WHERE r = 1") == [
        "+I['a', 1]",
        "+I['b', 2]",
        "-U['a', 1]",
        "+U['a', 3]",
        "-U['a', 3]",
        "+U['a', 4]",
        "+I['c', 5]",
    ]


def test_the_first_row_of_each_key(table: MakeTable, changes: Changes) -> None:
    ranked = "SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p) AS r FROM t"
    assert changes(table(), f"SELECT k, v FROM ({ranked}) WHERE r = 1") == ["+I['a', 1]", "+I['b', 2]", "+I['c', 5]"]


def test_a_pattern_within_a_time(table: MakeTable, run_at: Clock, changes: Changes) -> None:
    run_at(0, 4, 6, 30, 60)
    pattern = "MATCH_RECOGNIZE (PARTITION BY k ORDER BY p MEASURES A.v AS x, B.v AS y AFTER MATCH SKIP TO NEXT ROW PATTERN (A B) WITHIN INTERVAL '5' SECOND DEFINE B AS B.v > A.v)"
    assert changes(table(), f"SELECT x, y FROM t {pattern}") == ["+I[1, 3]", "+I[3, 4]"]


# --- FOR SYSTEM_TIME AS OF a processing time, over tables that are scanned ------------------------------------------------------------


def with_changes(env: TableEnvironment, folder: Path, batches: Sequence[str]) -> None:
    """Makes a view ``d`` (k, n) of a changelog: rows are op,k,n with op i (insert), b, a (before and after an update) or d (delete)."""
    folder.mkdir()
    for number, rows in enumerate(batches):
        (folder / f"{number:03d}.csv").write_text(rows + "\n")
    env.execute_sql(
        f"CREATE TABLE log (op STRING, k STRING, n INT) WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'csv', 'csv.null-literal' = 'N')"
    )
    mapping = "MAP['i', 'INSERT', 'b', 'UPDATE_BEFORE', 'a', 'UPDATE_AFTER', 'd', 'DELETE']"
    env.execute_sql(f"CREATE VIEW d AS SELECT * FROM FROM_CHANGELOG(input => TABLE log, op => DESCRIPTOR(op), op_mapping => {mapping})")


CHANGES = ["i,a,1\ni,b,2\ni,N,9", "b,a,1\na,a,10\ni,c,3", "d,b,2\ni,a,11"]


LEFT = "+I[1, 10] +I[1, 11] +I[2, None] +I[3, 10] +I[3, 11] +I[4, 10] +I[4, 11] +I[5, 3] +I[6, None] +I[7, 10] +I[7, 11]"
INNER = "+I[1, 10] +I[1, 11] +I[3, 10] +I[3, 11] +I[4, 10] +I[4, 11] +I[5, 3] +I[7, 10] +I[7, 11]"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("", INNER),
        ("LEFT", LEFT),
    ],
)
def test_rows_are_joined_with_the_rows_that_are_left_at_the_end(
    table: MakeTable, changes: Changes, tmp_path: Path, kind: str, expected: str
) -> None:
    env = table()
    with_changes(env, tmp_path / "log", CHANGES)
    assert changes(env, f"SELECT t.v, d.n FROM t {kind} JOIN d FOR SYSTEM_TIME AS OF t.p ON t.k = d.k") == expected.replace(
        " +", "|+"
    ).split("|")


def test_a_condition_beside_the_keys(table: MakeTable, changes: Changes, tmp_path: Path) -> None:
    env = table(ROWS[:3])
    with_changes(env, tmp_path / "log", CHANGES)
    sql = "SELECT t.v, d.n FROM t LEFT JOIN d FOR SYSTEM_TIME AS OF t.p ON t.k = d.k AND d.n + t.v > 14 AND d.n <> 3"
    assert changes(env, sql) == ["+I[1, None]", "+I[2, None]", "+I[3, None]", "+I[4, 11]", "+I[5, None]"]


def test_null_and_an_empty_table_match_nothing(table: MakeTable, changes: Changes, tmp_path: Path) -> None:
    env = table(["N,1"])
    with_changes(env, tmp_path / "log", ["i,N,1"])
    as_null = "(SELECT NULLIF(k, 'N') AS k, v, p FROM t) AS l"
    assert changes(env, f"SELECT l.v, d.n FROM {as_null} LEFT JOIN d FOR SYSTEM_TIME AS OF l.p ON l.k = d.k") == ["+I[1, None]"]
    assert changes(env, "SELECT l.v, d.n FROM t AS l JOIN d FOR SYSTEM_TIME AS OF l.p ON l.k = d.k") == []


def test_the_result_of_an_aggregate_is_joined(table: MakeTable, changes: Changes) -> None:
    table(ROWS[:2])
    env = table(ROWS, "u")
    env.execute_sql("CREATE VIEW s AS SELECT k, SUM(v) AS n FROM u GROUP BY k")
    assert changes(env, "SELECT t.k, t.v, s.n FROM t JOIN s FOR SYSTEM_TIME AS OF t.p ON t.k = s.k") == [
        "+I['a', 1, 15]",
        "+I['b', 2, 8]",
        "+I['a', 3, 15]",
    ]


def test_rows_of_one_scan_wait_for_its_end(table: MakeTable, changes: Changes) -> None:
    env = table()
    env.execute_sql("CREATE VIEW s AS SELECT k, SUM(v) AS n FROM t GROUP BY k")
    found = changes(env, "SELECT t.k, t.v, s.n FROM t JOIN s FOR SYSTEM_TIME AS OF t.p ON t.k = s.k")
    assert found == [
        "+I['a', 1, 15]",
        "+I['b', 2, 8]",
        "+I['a', 3, 15]",
        "+I['a', 4, 15]",
        "+I['c', 5, 5]",
        "+I['b', 6, 8]",
        "+I['a', 7, 15]",
    ]


def test_left_rows_keep_their_kinds(table: MakeTable, changes: Changes) -> None:
    table(["a,1\na,2"])
    env = table(["a,10"], "u")
    left = "(SELECT k, SUM(v) AS s, PROCTIME() AS p FROM t GROUP BY k) AS l"
    assert changes(env, f"SELECT l.s, u.v FROM {left} LEFT JOIN u FOR SYSTEM_TIME AS OF l.p ON l.k = u.k") == [
        "+I[1, 10]",
        "-U[1, 10]",
        "+U[3, 10]",
    ]


def test_event_time_goes_on_behind_the_join(table: MakeTable, changes: Changes, tmp_path: Path) -> None:
    env = table(["a,1", "b,2"], "u")
    (tmp_path / "e.csv").write_text(
        "".join(f"{k},2024-01-01 00:00:{s:02d}\n" for k, s in [("a", 1), ("b", 5), ("a", 21), ("b", 3), ("a", 25)])
    )
    env.execute_sql(
        "CREATE TABLE e (k STRING, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH "
        f"('connector' = 'filesystem', 'path' = '{tmp_path / 'e.csv'}', 'format' = 'csv')"
    )
    joined = "(SELECT e.ts, u.v FROM e JOIN u FOR SYSTEM_TIME AS OF e.p ON e.k = u.k)"
    # The row of second 3 is late.
    assert changes(
        env,
        f"SELECT SECOND(window_start), SUM(v) FROM TUMBLE(TABLE {joined}, DESCRIPTOR(ts), INTERVAL '10' SECOND) GROUP BY window_start, window_end",
    ) == ["+I[0, 3]", "+I[20, 2]"]


def test_explain_says_that_the_right_side_is_read_first(table: MakeTable) -> None:
    table()
    env = table(["a,10"], "u")
    text = env.explain_sql("SELECT t.v, u.v FROM t JOIN u FOR SYSTEM_TIME AS OF t.p ON t.k = u.k")
    assert "TemporalJoin(joinType=[InnerJoin], where=[(left.k = right.k)], right=[current rows, read first])" in text


def test_the_hint_lookup_is_refused(table: MakeTable) -> None:
    table()
    env = table(["a,10"], "u")
    with pytest.raises(ValidationException, match="The hint LOOKUP is for tables whose connector supports lookups"):
        env.execute_sql("SELECT /*+ LOOKUP('table' = 'u', 'async' = 'true') */ t.v FROM t JOIN u FOR SYSTEM_TIME AS OF t.p ON t.k = u.k")
