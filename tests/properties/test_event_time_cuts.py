"""Results in event time do not depend on the batch boundaries of the input, and without late rows they are those of batch mode."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_testing.rounds import rounds

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "proofs"))
from random_changelogs.restoring import cut

CUTS = (1, 3, None)
WINDOW = "window_start, window_end"


def window(function: str, lengths: str, table: str = "t") -> str:
    intervals = ", ".join(f"INTERVAL '{length}' SECOND" for length in lengths.split())
    return f"TABLE({function}(TABLE {table}, DESCRIPTOR(ts), {intervals}))"


TUMBLE = window("TUMBLE", "10")
SESSION = "TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '4' SECOND))"
NUMBERED = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY {WINDOW} ORDER BY v DESC, n) AS r FROM {TUMBLE}"
CASCADE = f"SELECT window_time AS ts, k, COUNT(*) AS v FROM {window('TUMBLE', '5')} GROUP BY {WINDOW}, window_time, k"
QUERIES = (
    f"SELECT {WINDOW}, k, COUNT(*), SUM(v) FROM {TUMBLE} GROUP BY {WINDOW}, k",
    f"SELECT {WINDOW}, COUNT(DISTINCT k), MAX(v), COUNT(*) FILTER (WHERE v > 2) FROM {window('HOP', '5 15')} GROUP BY {WINDOW}",
    f"SELECT {WINDOW}, k, MIN(v), AVG(v) FROM {window('CUMULATE', '5 20')} GROUP BY {WINDOW}, k",
    f"SELECT {WINDOW}, k, COUNT(*) FROM {window('TUMBLE', '20')} GROUP BY GROUPING SETS (({WINDOW}, k), ({WINDOW}))",
    f"SELECT {WINDOW}, k, COUNT(*), SUM(n) FROM {SESSION} GROUP BY {WINDOW}, k",
    f"SELECT window_start, k, n, r FROM ({NUMBERED}) WHERE r <= 2",
    f"SELECT {WINDOW}, SUM(v) FROM TABLE(TUMBLE(({CASCADE}), DESCRIPTOR(ts), INTERVAL '20' SECOND)) GROUP BY {WINDOW}",
    "SELECT n, SUM(v) OVER (PARTITION BY k ORDER BY ts), RANK() OVER (PARTITION BY k ORDER BY ts) FROM t",
    "SELECT n, COUNT(*) OVER (ORDER BY ts), MAX(v) OVER (ORDER BY ts) FROM t",
    "SELECT k, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '7' SECOND PRECEDING AND CURRENT ROW) FROM t",
)
MATCHES = (
    "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.n) AS l, MATCH_ROWTIME() AS rt "
    "AFTER MATCH SKIP PAST LAST ROW PATTERN (A+ B) DEFINE A AS A.v < 4, B AS B.v > 1)"
)
PATTERNS = tuple(
    "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.n) AS f, LAST(B.n) AS l "
    f"AFTER MATCH SKIP {skip} PATTERN ({pattern}) {within} DEFINE A AS A.v < 4, B AS B.v > 1)"
    for skip, pattern, within in (
        ("PAST LAST ROW", "A B", ""),
        ("TO NEXT ROW", "A+ B{2}", "WITHIN INTERVAL '20' SECOND"),
        ("TO LAST B", "A B{2}", "WITHIN INTERVAL '9' SECOND"),
    )
)
LAGGING = "SELECT k, v, n, ts, LAG(n, 1, 0) OVER (PARTITION BY k ORDER BY ts) AS l FROM t"
CHAINED = tuple(
    f"SELECT {WINDOW}, COUNT(*), SUM(l) FROM TABLE({function}(({query}), DESCRIPTOR({time}), INTERVAL '5' SECOND)) GROUP BY {WINDOW}"
    for query, time in ((MATCHES, "rt"), (LAGGING, "ts"), (CASCADE.replace(" AS v", " AS l"), "ts"))
    for function in ("TUMBLE", "SESSION")
)
"""Windows over rows that are emitted at watermarks: rows of OVER may be late, and others may touch a session that is over."""
NEWEST = "SELECT k, ts, n, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY v ORDER BY ts DESC) AS r FROM ({})) WHERE r = 1"
SUMMED = "SELECT k, ts, n, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS v FROM t"
OF_UPDATES = tuple(
    f"SELECT {WINDOW}, k, COUNT(*), MAX(n) FROM TABLE({function}(({NEWEST.format(query)}), DESCRIPTOR(ts), {lengths})) GROUP BY {WINDOW}, k"
    for query, function, lengths in (
        ("SELECT * FROM t", "CUMULATE", "INTERVAL '5' SECOND, INTERVAL '15' SECOND"),
        (SUMMED, "HOP", "INTERVAL '2' SECOND, INTERVAL '8' SECOND"),
    )
)
"""Windows over rows that are updated: a retraction is late when the window of its row is over."""
IN_ORDER_OF_ARRIVAL = (
    "SELECT n, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM t",
    "SELECT n, LAG(v, 2, -1) OVER (PARTITION BY k ORDER BY ts) FROM t",
    "SELECT n, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS r FROM t) WHERE r = 1",
    "SELECT n, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM t) WHERE r = 1",
    "SELECT n, k FROM t WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)",
    "SELECT k, c, CURRENT_WATERMARK(ts) FROM (SELECT k, ts, COUNT(*) AS c FROM t GROUP BY k, ts)",
    f"SELECT k, v, CURRENT_WATERMARK(ts) FROM ({CASCADE})",
    "SELECT k, n, CURRENT_WATERMARK(ts) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS r FROM t) WHERE r = 1",
)
"""Queries whose results depend on which of several rows with one time comes first, and on watermarks."""
OFFSETS = tuple(
    f"SELECT {WINDOW}, k, COUNT(*), SUM(v), MIN(n), COUNT(DISTINCT v) FROM {window(function, lengths)} GROUP BY {WINDOW}, k"
    for function, lengths in (
        ("TUMBLE", "10 3"),
        ("TUMBLE", "10 -4"),
        ("HOP", "5 15 2"),
        ("HOP", "4 12 -1"),
        ("CUMULATE", "5 20 7"),
        ("CUMULATE", "3 9 -2"),
    )
)
"""Windows that do not begin at a multiple of their size."""
FRAMES = (
    *(
        f"{kind} BETWEEN {start} PRECEDING AND CURRENT ROW"
        for kind, start in (("ROWS", 0), ("ROWS", 1), ("ROWS", 5), ("ROWS", "UNBOUNDED"))
    ),
    *(
        f"RANGE BETWEEN {start} PRECEDING AND CURRENT ROW"
        for start in ("INTERVAL '0' SECOND", "INTERVAL '3' SECOND", "INTERVAL '1' MINUTE", "UNBOUNDED")
    ),
)
OVER_FRAMES = tuple(
    f"SELECT n, {call} OVER ({partition} ORDER BY ts {frame}) FROM w"
    for frame in FRAMES
    for partition in ("", "PARTITION BY k")
    for call in ("SUM(v)", "COUNT(v)", "MAX(v)", "MIN(v)", "AVG(v)", "FIRST_VALUE(v)", "LAST_VALUE(n)", "COUNT(DISTINCT v)")
)
"""All frames that end at the current row, over rows of different times."""
NUMBERING = tuple(
    f"SELECT n, {call} OVER (PARTITION BY k ORDER BY ts) FROM w"
    for call in ("ROW_NUMBER()", "RANK()", "DENSE_RANK()", "LAG(v)", "LAG(v, 2, -1)")
)
ON = "k AND x.window_start = y.window_start AND x.window_end = y.window_end"
JOINS = tuple(
    f"SELECT x.n, y.n FROM {TUMBLE} AS x {kind} JOIN {window('TUMBLE', '10', 'u')} AS y ON x.k = y.{ON}" for kind in ("", "LEFT", "FULL")
)


def write(file: Path, chance: random.Random, *, rows: int, are_times_unique: bool = False) -> None:
    """Writes rows whose times go forward, and sometimes back by up to 20 seconds."""
    now, lines = 60, []
    for number in range(rows):
        now += chance.choice([0, 0, 1, 2, 3, 11])
        time = now - chance.choice([0, 0, 0, chance.randrange(4), chance.randrange(20)])
        fraction = f".{number:03d}" if are_times_unique else ""
        clock = f"{time // 3600:02d}:{time // 60 % 60:02d}:{time % 60:02d}{fraction}"
        lines.append(f"{chance.choice(['N', 'a', 'a', 'b'])},2024-01-01 {clock},{number},{chance.choice('N1234')}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(params=rounds(2))
def tables(request: pytest.FixtureRequest, seed: int, tmp_path: Path) -> Iterator[Callable[[bool, int], TableEnvironment]]:
    """Makes an environment with the tables t, u and w, whose watermarks are some seconds behind the time; all times of w are different."""
    chance = random.Random(seed + request.param)
    for name in "tuw":
        write(tmp_path / f"{name}.csv", chance, rows=60, are_times_unique=name == "w")
    environments = []

    def make(streaming: bool, delay: int) -> TableEnvironment:
        builder = EnvironmentSettings.new_instance().with_planner("arrow")
        env = TableEnvironment.create((builder.in_streaming_mode() if streaming else builder.in_batch_mode()).build())
        environments.append(env)
        env.get_config().set("table.exec.session-windows-in-batch", "true")
        for name in "tuw":
            columns = f"k STRING, ts TIMESTAMP(3), n INT, v INT, WATERMARK FOR ts AS ts - INTERVAL '{delay}' SECOND"
            env.execute_sql(
                f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / name}.csv', 'format' = 'csv', "
                "'csv.null-literal' = 'N')"
            )
        return env

    yield make
    for env in environments:
        env.close()


def changes(env: TableEnvironment, query: str) -> list[str]:
    with env.execute_sql(query).collect() as rows:
        return [f"{row.get_row_kind().short_string}{list(row)}" for row in rows]


@pytest.mark.parametrize("delay", [0, 4])
def test_changes_do_not_depend_on_batch_boundaries_nor_on_restores(tables: Callable[[bool, int], TableEnvironment], delay: int) -> None:
    env = tables(True, delay)
    for query in (*QUERIES, *IN_ORDER_OF_ARRIVAL, *CHAINED, *PATTERNS, *OF_UPDATES):
        found = []
        for size in CUTS:
            with cut(size):
                found.append(changes(env, query))
        with cut(3, is_restored=True):
            found.append(changes(env, query))
        assert found[0] or query in PATTERNS, query
        assert found == [found[0]] * len(found), query


def test_rows_that_are_emitted_at_watermarks_come_between_those_of_their_readers(tmp_path: Path) -> None:
    times = [("a", 1_000), ("a", 19_998), ("b", 20_500), ("a", 19_999), ("c", 40_000), ("b", 30_000), ("b", 31_000), ("d", 60_000)]
    text = "".join(f"{k},1970-01-02 00:00:{time // 1000:02d}.{time % 1000:03d},{n},1\n" for n, (k, time) in enumerate(times))
    (tmp_path / "t.csv").write_text(text.replace("00:00:60", "00:01:00"))
    with TableEnvironment.create(EnvironmentSettings.new_instance().with_planner("arrow").in_streaming_mode().build()) as env:
        env.get_config().set("pipeline.auto-watermark-interval", "0")
        env.execute_sql(
            "CREATE TABLE t (k STRING, ts TIMESTAMP(3), n INT, v INT, WATERMARK FOR ts AS ts) "
            f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 't.csv'}', 'format' = 'csv')"
        )
        windows = f"SELECT window_time AS ts, COUNT(*) AS v FROM {TUMBLE} GROUP BY {WINDOW}, window_time"
        for query, expected in (
            # The first session ends at 19.999 with the watermark 19.998; the next window has the time 19.999, which touches it.
            (f"TABLE(SESSION(({windows}), DESCRIPTOR(ts), INTERVAL '10' SECOND))", [1, 2, 1, 1]),
            # The first row of b at 30.000 comes after the watermark 40.000: OVER takes it, because it is later than the last one of b, and the window does not.
            (f"TABLE(TUMBLE(({LAGGING}), DESCRIPTOR(ts), INTERVAL '10' SECOND))", [1, 1, 1, 1, 1]),
        ):
            found = []
            for size in CUTS:
                with cut(size):
                    found.append(changes(env, f"SELECT {WINDOW}, COUNT(*) FROM {query} GROUP BY {WINDOW}"))
            assert found == [found[0]] * len(found), query
            assert [int(row.rsplit(", ", 1)[1][:-1]) for row in found[0]] == expected, query


def test_without_late_rows_results_are_those_of_batch_mode(tables: Callable[[bool, int], TableEnvironment]) -> None:
    streaming, batch = tables(True, 30), tables(False, 30)
    for query in (*QUERIES, *OFFSETS, *JOINS, *NUMBERING):
        assert sorted(changes(streaming, query)) == sorted(changes(batch, query)), query


def test_without_late_rows_frames_hold_the_rows_of_batch_mode(tables: Callable[[bool, int], TableEnvironment]) -> None:
    streaming, batch = tables(True, 30), tables(False, 30)
    for query in OVER_FRAMES:
        assert sorted(changes(streaming, query)) == sorted(changes(batch, query)), query


def test_a_first_row_of_the_time_of_the_watermark_is_late_for_its_readers_at_any_size_of_batch(tmp_path: Path) -> None:
    times = [("a", 1), ("b", 5), ("c", 5), ("d", 20), ("e", 20), ("f", 40)]
    (tmp_path / "t.csv").write_text("".join(f"{k},1970-01-02 00:00:{time:02d},{n},1\n" for n, (k, time) in enumerate(times)))
    with TableEnvironment.create(EnvironmentSettings.new_instance().with_planner("arrow").in_streaming_mode().build()) as env:
        env.execute_sql(
            "CREATE TABLE t (k STRING, ts TIMESTAMP(3), n INT, v INT, WATERMARK FOR ts AS ts) "
            f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 't.csv'}', 'format' = 'csv')"
        )
        first = "SELECT k, ts, n, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS r FROM t) WHERE r = 1"
        query = f"SELECT * FROM ({first}) MATCH_RECOGNIZE (ORDER BY ts MEASURES A.n AS n PATTERN (A) DEFINE A AS A.v = 1)"
        found = []
        for size in CUTS:
            with cut(size):
                found.append(changes(env, query))
        assert found == [["+I[0]", "+I[1]", "+I[3]", "+I[5]"]] * len(CUTS)
