"""Queries by processing time with a clock of the test: each file of a table is a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.changelog import clock

Clock = Callable[..., None]
MakeTable = Callable[..., TableEnvironment]
Changes = Callable[[TableEnvironment, str], list[str]]
ROWS = ["a,1\nb,2", "a,3", "a,4\nc,5", "b,6", "a,7"]


@pytest.fixture
def run_at(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Sets the seconds that the clock shows before each batch; behind the last one it stands still."""

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
