"""Event time with bad input: definitions and queries that are refused, with what would work, and times that are far away, NULL or late."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import SqlParserException, TableError, TableException, ValidationException

OPTIONS = "WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
TUMBLE = "SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE {}, DESCRIPTOR({}), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"


def environment() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.new_instance().with_planner("arrow").in_streaming_mode().build())


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    made = environment()
    watermark = "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
    for sql in (
        f"CREATE TABLE a (k STRING, v INT, ts TIMESTAMP(3), n TIMESTAMP(3), pt AS PROCTIME(), {watermark}) {OPTIONS}",
        f"CREATE TABLE b (k STRING, v INT, ts TIMESTAMP(3), {watermark}) {OPTIONS}",
        f"CREATE TABLE z (k STRING, v INT, ts TIMESTAMP_LTZ(3), {watermark}) {OPTIONS}",
        f"CREATE TABLE plain (k STRING, v INT, ts TIMESTAMP(3)) {OPTIONS}",
        f"CREATE TABLE vers (k STRING, r INT, ts TIMESTAMP(3), PRIMARY KEY (k) NOT ENFORCED, {watermark}) {OPTIONS}",
        "CREATE VIEW last AS SELECT k, v, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM b) WHERE n = 1",
    ):
        made.execute_sql(sql)
    return made


def refused(env: TableEnvironment, sql: str, *texts: str, error: type[TableError] = ValidationException) -> None:
    """Runs a statement that is refused with an error that has all texts, its hint among them."""
    with pytest.raises(error) as raised:
        env.execute_sql(sql)
    assert all(text in str(raised.value) for text in texts), str(raised.value)


# --- WATERMARK ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "texts"),
    [
        ("e BIGINT, WATERMARK FOR e AS e", ("column 'e'", "BIGINT", "x AS TO_TIMESTAMP_LTZ(e, 3)")),
        ("e STRING, WATERMARK FOR e AS e", ("column 'e'", "STRING", "x AS TO_TIMESTAMP(e)")),
        ("e DATE, WATERMARK FOR e AS e", ("column 'e'", "DATE", "x AS CAST(e AS TIMESTAMP(3))")),
        ("e TIMESTAMP(6), WATERMARK FOR e AS e", ("column 'e'", "TIMESTAMP(6)", "from 0 to 3", "x AS CAST(e AS TIMESTAMP(3))")),
        ("e TIMESTAMP_LTZ(9), WATERMARK FOR e AS e", ("TIMESTAMP_LTZ(9)", "x AS CAST(e AS TIMESTAMP_LTZ(3))")),
        ("r ROW<e TIMESTAMP(3)>, WATERMARK FOR r.e AS r.e", ("'r.e'", "a field of a row", "x AS r.e")),
        ("e TIMESTAMP(3), WATERMARK FOR f AS e", ("'f' does not exist", "Available: e")),
        ("e TIMESTAMP(3), WATERMARK FOR e AS 'later'", ("The watermark of 'e'", "CHAR(5)")),
        (
            "e TIMESTAMP(3), WATERMARK FOR e AS CAST(e AS TIMESTAMP_LTZ(3))",
            ("'e' is TIMESTAMP_LTZ(3)", "the column is TIMESTAMP(3)", "e - INTERVAL"),
        ),
        ("e TIMESTAMP_LTZ(3), WATERMARK FOR e AS CAST(e AS TIMESTAMP(3))", ("'e' is TIMESTAMP(3)", "the column is TIMESTAMP_LTZ(3)")),
        ("p AS PROCTIME(), WATERMARK FOR p AS p", ("'p' is processing time", "needs no watermark")),
    ],
)
def test_a_watermark_is_for_a_column_with_event_time(env: TableEnvironment, columns: str, texts: tuple[str, ...]) -> None:
    refused(env, f"CREATE TABLE t ({columns}) {OPTIONS}", *texts)


def test_a_table_has_one_watermark(env: TableEnvironment) -> None:
    sql = f"CREATE TABLE t (e TIMESTAMP(3), f TIMESTAMP(3), WATERMARK FOR e AS e, WATERMARK FOR f AS f) {OPTIONS}"
    refused(env, sql, "one WATERMARK at most", error=SqlParserException)


# --- windows and joins --------------------------------------------------------------------------------------------------------------


def test_a_window_is_over_a_time_attribute(env: TableEnvironment) -> None:
    refused(env, TUMBLE.format("plain", "ts"), "column 'ts' is TIMESTAMP(3)", "declares a WATERMARK")
    refused(env, TUMBLE.format("plain", "k"), "column 'k' takes TIMESTAMP or TIMESTAMP_LTZ", "STRING")
    refused(env, TUMBLE.format("plain", "x"), "Column 'x' does not exist")
    refused(env, "SELECT COUNT(*) FROM plain GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)", "declares a WATERMARK")
    refused(
        env, "SELECT COUNT(*) FROM plain GROUP BY TUMBLE(ts + INTERVAL '1' DAY, INTERVAL '1' MINUTE)", "an expression has type", "as it is"
    )


def test_windows_over_updates_are_accepted(env: TableEnvironment) -> None:
    for kind in ("TUMBLE", "SESSION"):
        assert "WindowAggregate" in env.explain_sql(TUMBLE.replace("TUMBLE", kind).format("last", "ts"))


def test_a_join_with_one_bound_is_a_regular_join(env: TableEnvironment) -> None:
    lower = "a.ts >= {0}.ts - INTERVAL '5' SECOND"
    for right, condition in (("b", lower), ("b", lower.replace(">=", "<=")), ("z", lower), ("z", "a.ts = {0}.ts")):
        plan = env.explain_sql(f"SELECT a.v FROM a JOIN {right} ON a.k = {right}.k AND {condition.format(right)}")
        assert "IntervalJoin" not in plan
    assert "IntervalJoin" in env.explain_sql(f"SELECT a.v FROM a JOIN b ON a.k = b.k AND {lower.format('b')} AND a.ts <= b.ts")


JOIN = "SELECT a.v FROM a {kind} JOIN {right} FOR SYSTEM_TIME AS OF {time} ON {condition}"


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ({"right": "b"}, ("needs a primary key", "declare PRIMARY KEY (…) NOT ENFORCED", "ROW_NUMBER()")),
        ({"right": "plain"}, ("one event-time attribute of the right table, but plain has none", "declare WATERMARK FOR")),
        ({"condition": "a.v = vers.r"}, ("compares all columns of the right table's primary key (k)", "add left.column = right.column")),
        ({"kind": "RIGHT"}, ("an INNER or LEFT JOIN, but this is a RIGHT JOIN", "write the table whose rows are looked up first")),
        ({"kind": "FULL"}, ("an INNER or LEFT JOIN, but this is a FULL JOIN",)),
        ({"time": "PROCTIME()"}, ("PROCTIME()", "declare a column 'proc_time AS PROCTIME()'")),
        ({"time": "a.n"}, ("a time attribute of the left table, but n is TIMESTAMP(3)", "declares a WATERMARK, as it is")),
        ({"time": "TIMESTAMP '2020-01-01 00:00:00'"}, ("a time attribute of the left table",)),
    ],
)
def test_a_temporal_join_that_is_not_possible_is_refused(env: TableEnvironment, changes: dict[str, str], texts: tuple[str, ...]) -> None:
    parts = {"kind": "INNER", "right": "vers", "time": "a.ts", "condition": f"a.k = {changes.get('right', 'vers')}.k", **changes}
    refused(env, JOIN.format(**parts), *texts)


def test_the_times_of_a_temporal_join_have_one_type(env: TableEnvironment) -> None:
    refused(
        env,
        "SELECT z.v FROM z JOIN vers FOR SYSTEM_TIME AS OF z.ts ON z.k = vers.k",
        "ts is TIMESTAMP_LTZ(3), vers.ts is TIMESTAMP(3).",
        "declare in vers: x AS CAST(ts AS TIMESTAMP_LTZ(3)), WATERMARK FOR x",
    )


@pytest.mark.parametrize(
    "condition",
    [
        "a.ts BETWEEN z.ts - INTERVAL '5' SECOND AND z.ts",
        "z.ts > a.ts AND z.ts < a.ts + INTERVAL '1' HOUR",
        "CAST(a.ts AS TIMESTAMP_LTZ(3)) >= z.ts AND a.ts - INTERVAL '1' HOUR <= z.ts",
    ],
)
def test_bounds_between_times_of_different_types_say_which_cast_to_declare(env: TableEnvironment, condition: str) -> None:
    refused(
        env,
        f"SELECT a.v FROM a JOIN z ON a.k = z.k AND {condition}",
        "ts of the left table is TIMESTAMP(3), ts of the right table is TIMESTAMP_LTZ(3)",
        "declare in the right table x AS CAST(ts AS TIMESTAMP(3)), WATERMARK FOR x",
        "in the left table x AS CAST(ts AS TIMESTAMP_LTZ(3))",
    )


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("n", "but n is TIMESTAMP(3)"),
        ("pt", "but pt is TIMESTAMP_LTZ(3) NOT NULL"),
        ("CAST(ts AS TIMESTAMP(3))", "is TIMESTAMP(3)"),
        ("TIMESTAMP '2020-01-01 00:00:00'", "is TIMESTAMP(0) NOT NULL"),
    ],
)
def test_current_watermark_takes_an_event_time(env: TableEnvironment, argument: str, text: str) -> None:
    refused(
        env,
        f"SELECT CURRENT_WATERMARK({argument}) FROM a",
        "takes a column with event time",
        text,
        "call it for the column of the WATERMARK",
    )


@pytest.mark.parametrize(
    "query",
    ["SELECT UPPER(ts) FROM a", "SELECT CAST(ts AS INT) FROM a", "SELECT ts FROM a UNION ALL SELECT k FROM b", "SELECT ts = v FROM a"],
)
def test_errors_of_types_do_not_show_how_time_attributes_are_marked(env: TableEnvironment, query: str) -> None:
    with pytest.raises(ValidationException, match=r"TIMESTAMP\(3\)") as raised:
        env.execute_sql(query)
    assert "ROWTIME" not in str(raised.value)


# --- rows ---------------------------------------------------------------------------------------------------------------------------


def rows_of(tmp_path: Path, lines: list[str], query: str, delay: int = 5) -> list[tuple[object, ...]]:
    """Returns the rows of a query over table ``t`` with these lines."""
    (tmp_path / "t.csv").write_text("".join(f"{line}\n" for line in lines))
    env = environment()
    env.execute_sql(
        f"CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '{delay}' SECOND) "
        f"WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'csv', 'csv.null-literal' = 'N')"
    )
    with env.execute_sql(query).collect() as rows:
        return [tuple(row) for row in rows]


FAR = ["1,0001-01-01 00:00:00", "2,1969-12-31 23:59:59.999", "3,1969-12-31 23:59:50", "4,1970-01-01 00:00:01", "6,9998-01-01 00:00:00"]


@pytest.mark.parametrize("delay", [0, 5])
def test_far_times_and_times_before_1970_are_in_their_windows(tmp_path: Path, delay: int) -> None:
    query = TUMBLE.replace("window_start,", "CAST(window_start AS STRING) AS s,", 1).format("t", "ts")
    assert rows_of(tmp_path, FAR, query, delay) == [
        ("0001-01-01 00:00:00.000", 1),
        ("1969-12-31 23:59:50.000", 1 if delay == 0 else 2),  # without a delay, the third row comes after the end of its window
        ("1970-01-01 00:00:00.000", 1),
        ("9998-01-01 00:00:00.000", 1),
    ]


def test_far_times_are_sorted_and_counted(tmp_path: Path) -> None:
    assert rows_of(tmp_path, FAR, "SELECT id FROM t ORDER BY ts") == [(1,), (3,), (2,), (4,), (6,)]
    query = "SELECT id, COUNT(*) OVER (ORDER BY ts) AS n FROM t"
    assert rows_of(tmp_path, FAR, query, delay=10) == [(1, 1), (3, 2), (2, 3), (4, 4), (6, 5)]
    assert rows_of(tmp_path, FAR, query, delay=5) == [(1, 1), (2, 2), (4, 3), (6, 4)]


def test_rows_before_1970_are_in_frames_and_join(tmp_path: Path) -> None:
    query = "SELECT id, COUNT(*) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW) AS n FROM t"
    assert rows_of(tmp_path, FAR, query) == [(1, 1), (3, 1), (2, 2), (4, 2), (6, 1)]
    query = "SELECT x.id, y.id FROM t AS x JOIN t AS y ON x.ts BETWEEN y.ts - INTERVAL '1' DAY AND y.ts"
    assert sorted(rows_of(tmp_path, FAR, query)) == [(1, 1), (2, 2), (2, 4), (3, 2), (3, 3), (3, 4), (4, 4), (6, 6)]


def test_the_last_time_of_all_is_in_its_window(tmp_path: Path) -> None:
    assert rows_of(tmp_path, ["1,9999-12-31 23:59:59.999"], TUMBLE.replace("window_start,", "", 1).format("t", "ts")) == [(1,)]


def test_null_in_a_time_attribute_names_table_and_row(tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"(?s)'ts'.*NULL|NULL.*'ts'") as raised:
        rows_of(tmp_path, ["1,2020-01-01 00:00:00", "2,N"], TUMBLE.format("t", "ts"))
    assert "row 2" in str(raised.value)


def test_null_in_a_time_attribute_fails_queries_that_need_no_watermark(tmp_path: Path) -> None:
    for query in (
        "SELECT id FROM t",
        "SELECT id + 1 AS n FROM t WHERE id > 0",
        "SELECT id FROM t LIMIT 5",
        "SELECT id FROM t WHERE ts IS NOT NULL",
    ):
        with pytest.raises(Exception, match=r"'ts' of table .*t is NULL in"):
            rows_of(tmp_path, ["1,2020-01-01 00:00:00", "2,N"], query)


def test_rows_that_are_all_late_but_the_first(tmp_path: Path) -> None:
    lines = ["1,2020-01-01 00:01:00", *(f"{i},2020-01-01 00:00:{i % 50:02}" for i in range(2, 1000))]
    assert rows_of(tmp_path, lines, TUMBLE.replace("window_start,", "", 1).format("t", "ts")) == [(1,)]


def test_an_over_whose_results_are_not_used_drops_no_late_rows(tmp_path: Path) -> None:
    lines = ["1,2020-01-01 00:01:00", "2,2020-01-01 00:00:00"]
    over = "(SELECT *, COUNT(*) OVER (ORDER BY ts) AS n FROM t)"
    assert rows_of(tmp_path, lines, f"SELECT id, n FROM {over}") == [(1, 1)]
    assert rows_of(tmp_path, lines, f"SELECT id FROM {over} WHERE id < 9") == [(1,), (2,)]


def test_time_that_goes_back_moves_no_watermark_back(tmp_path: Path) -> None:
    lines = ["1,2020-01-01 00:00:10", "2,2020-01-01 00:00:07", "3,2020-01-01 00:00:20", "4,2020-01-01 00:00:12", "5,2020-01-01 00:00:16"]
    query = "SELECT id, CAST(CURRENT_WATERMARK(ts) AS STRING) AS w FROM t"
    expected = [None, "00:00:05.000", "00:00:05.000", "00:00:15.000", "00:00:15.000"]
    assert rows_of(tmp_path, lines, query) == [(i + 1, w and f"2020-01-01 {w}") for i, w in enumerate(expected)]


@pytest.mark.parametrize("kind", ["", "LEFT "])
def test_the_watermark_in_the_condition_of_a_join_is_refused(tmp_path: Path, kind: str) -> None:
    lines = ["1,2020-01-01 00:00:10", "2,2020-01-01 00:00:20"]
    condition = f"FROM {{}} AS x {kind}JOIN t AS y ON x.id = y.id AND x.ts > {{}}"
    with pytest.raises(TableException, match="CURRENT_WATERMARK cannot be called in the condition of a join") as caught:
        rows_of(tmp_path, lines, "SELECT x.id " + condition.format("t", "CURRENT_WATERMARK(x.ts)"))
    assert "call it in a subquery over the table" in str(caught.value)


def test_the_watermark_of_a_subquery_can_be_joined_by(tmp_path: Path) -> None:
    lines = ["1,2020-01-01 00:00:10", "2,2020-01-01 00:00:20"]
    query = "SELECT x.id FROM (SELECT *, CURRENT_WATERMARK(ts) AS w FROM t) AS x JOIN t AS y ON x.id = y.id AND x.ts > x.w"
    assert rows_of(tmp_path, lines, query) == [(2,)]


def test_a_session_of_many_rows(tmp_path: Path) -> None:
    session = TUMBLE.replace("TUMBLE", "SESSION").replace("window_start,", "window_end,", 1).format("t", "ts")
    lines = [f"{i},2020-01-01 {i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}" for i in range(86_400)]
    ((_, count),) = rows_of(tmp_path, lines * 12, session, 86_400)
    assert count == 1_036_800


@pytest.mark.parametrize(
    "query",
    [
        TUMBLE.format("t", "ts"),
        TUMBLE.replace("TUMBLE", "SESSION").format("t", "ts"),
        "SELECT id, COUNT(*) OVER (ORDER BY ts) AS n FROM t",
        "SELECT x.id FROM t AS x JOIN t AS y ON x.id = y.id AND x.ts BETWEEN y.ts - INTERVAL '1' SECOND AND y.ts",
        "SELECT id FROM t ORDER BY ts",
        "SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts) AS n FROM t) WHERE n = 1",
    ],
)
def test_an_empty_input_gives_no_rows(tmp_path: Path, query: str) -> None:
    assert rows_of(tmp_path, [], query) == []
