"""Which columns are time attributes: one query per row of the table in docs/guide/event-time.md, and whether a window can be over its result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from table_api import DataTypes, EnvironmentSettings, Table, TableEnvironment, col, lit
from table_api.window import Tumble
from table_common.exceptions import ValidationException

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "event-time.md"
TUMBLE = "TABLE(TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
OF_B = TUMBLE.replace("TABLE a", "TABLE b")
JOINED = f"SELECT l.*, r.v AS v2 FROM (SELECT * FROM {TUMBLE}) l JOIN (SELECT * FROM {OF_B}) r ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end"


class Rule(NamedTuple):
    """A row of the guide's table: its first column, and queries whose column ``x`` is (``keeps``) or is not a time attribute."""

    row: str
    keeps: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()


RULES = (
    Rule(
        "a column, renamed or not; subqueries, views, WITH",
        keeps=(
            "SELECT ts AS x FROM a",
            "SELECT x FROM (SELECT ts AS x, k FROM a WHERE v > 3)",
            "WITH c AS (SELECT ts AS y FROM a) SELECT y AS x FROM c",
            "SELECT t2 AS x FROM va",
            "SELECT ts AS x FROM z",
            "SELECT ts AS x FROM computed",
            "SELECT pt AS x FROM a",
            "SELECT PROCTIME() AS x FROM a",
        ),
    ),
    Rule(
        "an expression: a call, an operator, CASE, COALESCE, CAST, a field of a row, an element of an array",
        loses=(
            "SELECT ts + INTERVAL '1' SECOND AS x FROM a",
            "SELECT CAST(ts AS TIMESTAMP(3)) AS x FROM a",
            "SELECT COALESCE(ts, n) AS x FROM a",
            "SELECT CASE WHEN v > 1 THEN ts ELSE n END AS x FROM a",
            "SELECT IF(v > 1, ts, ts) AS x FROM a",
            "SELECT r.f AS x FROM (SELECT CAST(ROW(ts, v) AS ROW<f TIMESTAMP(3), v INT>) AS r FROM a)",
            "SELECT ARRAY[ts][1] AS x FROM a",
            "SELECT FLOOR(ts TO SECOND) AS x FROM a",
            "SELECT CAST(pt AS TIMESTAMP_LTZ(3)) AS x FROM a",
            "SELECT CURRENT_TIMESTAMP AS x FROM a",
            "SELECT (SELECT MAX(ts) FROM b) AS x FROM a",
        ),
    ),
    Rule("WHERE, ORDER BY, LIMIT", keeps=("SELECT ts AS x FROM a WHERE v > 1", "SELECT ts AS x FROM a LIMIT 5")),
    Rule("DISTINCT", loses=("SELECT DISTINCT ts AS x, k FROM a",)),
    Rule(
        "UNION ALL of time attributes of one kind and type",
        keeps=("SELECT ts AS x, k FROM a UNION ALL SELECT ts, k FROM b",),
        loses=(
            "SELECT ts AS x FROM a UNION ALL SELECT ts FROM z",
            "SELECT ts AS x FROM a UNION ALL SELECT n FROM a",
            "SELECT n AS x FROM a UNION ALL SELECT ts FROM a",
            "SELECT a.ts AS x FROM a JOIN b ON a.k = b.k UNION ALL SELECT ts FROM a",
        ),
    ),
    Rule(
        "UNION, INTERSECT, EXCEPT",
        loses=tuple(f"SELECT ts AS x, k FROM a {operation} SELECT ts, k FROM b" for operation in ("UNION", "INTERSECT", "EXCEPT")),
    ),
    Rule(
        "GROUP BY; the result of an aggregate function",
        loses=(
            "SELECT ts AS x, COUNT(*) AS n FROM a GROUP BY ts",
            "SELECT ts AS x, k, COUNT(*) AS n FROM a GROUP BY GROUPING SETS ((ts), (ts, k))",
            "SELECT MAX(ts) AS x FROM a",
            "SELECT FIRST_VALUE(ts) AS x FROM a GROUP BY k",
            f"SELECT ts AS x FROM {TUMBLE} GROUP BY ts",
        ),
    ),
    Rule(
        "a join of any kind, IN, EXISTS, LATERAL",
        loses=(
            "SELECT a.ts AS x FROM a JOIN b ON a.k = b.k",
            "SELECT b.ts AS x FROM a LEFT JOIN b ON a.k = b.k",
            "SELECT a.ts AS x FROM a FULL JOIN b ON a.k = b.k",
            "SELECT a.ts AS x FROM a, b",
            "SELECT a.pt AS x FROM a JOIN b ON a.k = b.k",
            "SELECT a.ts AS x FROM a JOIN b ON a.k = b.k AND a.ts >= b.ts",
            "SELECT ts AS x FROM a WHERE k IN (SELECT k FROM b)",
            "SELECT ts AS x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)",
            "SELECT ts AS x FROM a WHERE k NOT IN (SELECT k FROM b)",
            "SELECT ts AS x FROM a WHERE v > (SELECT MAX(v) FROM b)",
            "SELECT a.ts AS x FROM a, LATERAL (SELECT v FROM b WHERE b.k = a.k) AS s",
        ),
    ),
    Rule(
        "UNNEST",
        keeps=("SELECT ts AS x, e FROM a CROSS JOIN UNNEST(arr) AS t(e)", "SELECT ts AS x FROM a LEFT JOIN UNNEST(arr) AS t(e) ON TRUE"),
    ),
    Rule(
        "an interval join: lower and upper bounds between times of both sides",
        keeps=(
            *(
                f"SELECT {side}.ts AS x FROM a {kind} JOIN b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '5' SECOND AND b.ts"
                for side, kind in (("a", "INNER"), ("b", "INNER"), ("a", "LEFT"), ("b", "RIGHT"), ("b", "FULL"))
            ),
            "SELECT a.ts AS x FROM a, b WHERE a.k = b.k AND a.ts = b.ts",
            "SELECT o.pt AS x FROM a JOIN a AS o ON a.k = o.k AND a.pt BETWEEN o.pt - INTERVAL '5' SECOND AND o.pt",
            "SELECT ts AS x FROM a JOIN b USING (k, ts)",
        ),
        loses=("SELECT a.ts AS x FROM a JOIN a AS o ON a.k = o.k AND a.pt BETWEEN o.pt - INTERVAL '5' SECOND AND o.pt",),
    ),
    Rule(
        "a temporal join: the left side",
        keeps=("SELECT a.ts AS x FROM a LEFT JOIN vers FOR SYSTEM_TIME AS OF a.ts ON a.k = vers.k",),
        loses=("SELECT vers.ts AS x FROM a JOIN vers FOR SYSTEM_TIME AS OF a.ts ON a.k = vers.k",),
    ),
    Rule(
        "a window table function: its input's columns and window_time; not window_start and window_end",
        keeps=(f"SELECT l.ts AS x FROM ({JOINED}) l",),
        loses=(f"SELECT window_start AS x FROM {TUMBLE}", f"SELECT window_end AS x FROM {TUMBLE}"),
    ),
    Rule(
        "GROUP BY window_start, window_end, window_time; TUMBLE_ROWTIME, HOP_ROWTIME, SESSION_ROWTIME: the time of the window",
        keeps=(
            f"SELECT window_time AS x, COUNT(*) AS n FROM {TUMBLE} GROUP BY window_start, window_end, window_time",
            f"SELECT window_time AS x FROM ({JOINED}) GROUP BY window_start, window_end, window_time",
            (
                f"SELECT window_time AS x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY v) AS rn FROM {TUMBLE}) "
                "WHERE rn < 3 GROUP BY window_start, window_end, window_time"
            ),
            "SELECT TUMBLE_ROWTIME(ts, INTERVAL '1' MINUTE) AS x FROM a GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)",
            "SELECT HOP_ROWTIME(ts, INTERVAL '1' MINUTE, INTERVAL '2' MINUTE) AS x FROM a GROUP BY HOP(ts, INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)",
        ),
        loses=(
            f"SELECT ts AS x FROM {TUMBLE} GROUP BY window_start, window_end, ts",
            f"SELECT window_time AS x FROM {TUMBLE} GROUP BY window_time",
            "SELECT TUMBLE_END(ts, INTERVAL '1' MINUTE) AS x FROM a GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)",
        ),
    ),
    Rule("a join of equal windows, also IN and EXISTS", keeps=(f"SELECT window_time AS x FROM ({JOINED})",)),
    Rule(
        "OVER: the input's columns; not the results of its functions",
        keeps=("SELECT ts AS x, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM a",),
        loses=(
            "SELECT LAG(ts) OVER (PARTITION BY k ORDER BY ts) AS x FROM a",
            "SELECT MAX(ts) OVER (PARTITION BY k ORDER BY ts) AS x FROM a",
        ),
    ),
    Rule(
        "ROW_NUMBER, RANK and DENSE_RANK under a bound",
        keeps=(
            "SELECT ts AS x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS rn FROM a) WHERE rn = 1",
            "SELECT ts AS x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM a) WHERE rn <= 3",
        ),
    ),
    Rule(
        "MATCH_ROWTIME(); not other measures",
        keeps=(
            "SELECT x FROM a MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES MATCH_ROWTIME() AS x PATTERN (A B) DEFINE A AS A.v > 1)",
            "SELECT x FROM z MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES MATCH_ROWTIME(ts) AS x PATTERN (A B) DEFINE A AS A.v > 1)",
        ),
        loses=(
            "SELECT x FROM a MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(B.ts) AS x PATTERN (A B) DEFINE A AS A.v > 1)",
            "SELECT x FROM a MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES MAX(A.ts) AS x PATTERN (A B) DEFINE A AS A.v > 1)",
        ),
    ),
    Rule("VALUES, literals", loses=("SELECT * FROM (VALUES (TIMESTAMP '2020-01-01 00:00:00.000')) AS t(x)", "SELECT n AS x FROM a")),
)


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    made = TableEnvironment.create(EnvironmentSettings.new_instance().with_planner("arrow").in_streaming_mode().build())
    options = "WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
    watermark = "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
    for sql in (
        f"CREATE TABLE a (k STRING, v INT, ts TIMESTAMP(3), n TIMESTAMP(3), arr ARRAY<INT>, pt AS PROCTIME(), {watermark}) {options}",
        f"CREATE TABLE b (k STRING, v INT, ts TIMESTAMP(3), {watermark}) {options}",
        f"CREATE TABLE z (k STRING, v INT, ts TIMESTAMP_LTZ(3), {watermark}) {options}",
        f"CREATE TABLE computed (e BIGINT, ts AS TO_TIMESTAMP_LTZ(e, 3), {watermark}) {options}",
        f"CREATE TABLE vers (k STRING, r INT, ts TIMESTAMP(3), PRIMARY KEY (k) NOT ENFORCED, {watermark}) {options}",
        "CREATE VIEW va AS SELECT ts AS t2, k FROM a",
    ):
        made.execute_sql(sql)
    return made


def window_over(env: TableEnvironment, query: str) -> None:
    """Plans a window over column ``x`` of the query."""
    view = f"q{abs(hash(query))}"
    env.execute_sql(f"CREATE TEMPORARY VIEW {view} AS {query}")
    try:
        env.explain_sql(
            f"SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE {view}, DESCRIPTOR(x), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end"
        )
    finally:
        env.execute_sql(f"DROP TEMPORARY VIEW {view}")


@pytest.mark.parametrize("query", [query for rule in RULES for query in rule.keeps])
def test_a_time_attribute_is_kept(env: TableEnvironment, query: str) -> None:
    window_over(env, query)


@pytest.mark.parametrize("query", [query for rule in RULES for query in rule.loses])
def test_a_time_attribute_is_lost(env: TableEnvironment, query: str) -> None:
    with pytest.raises(ValidationException, match="TUMBLE needs a time attribute"):
        window_over(env, query)


def test_the_guide_has_these_rules() -> None:
    section = GUIDE.read_text().split("## Which columns are time attributes")[1].split("\n## ")[0]
    rows = [re.split(r"\s+\|\s+", line.strip("| "))[0].replace("`", "") for line in section.splitlines() if line.startswith("| ")]
    assert rows[1:] == [rule.row for rule in RULES]


def test_methods_of_tables_keep_and_lose_them_as_sql_does(env: TableEnvironment) -> None:
    def windowed(table: Table) -> str:
        window = Tumble.over(lit(1).minute).on(col("x")).alias("w")
        return table.window(window).group_by(col("w")).select(col("w").end, lit(1).count).explain()

    a, b = env.from_path("a"), env.from_path("b").rename_columns(col("k").alias("k2"), col("ts").alias("ts2")).drop_columns(col("v"))
    joined = a.join(b, col("k") == col("k2"))
    kept = (
        a.rename_columns(col("ts").alias("x")),
        a.select(col("ts").alias("x"), col("v")).filter(col("v") > 1).add_columns((col("v") + 1).alias("w2")),
        a.select(col("ts").alias("x")).union_all(env.from_path("b").select(col("ts"))),
        joined.filter((col("ts") >= col("ts2")) & (col("ts") <= col("ts2") + lit(1).hour)).select(col("ts").alias("x")),
    )
    for table in kept:
        assert "WindowAggregate" in windowed(table)
    lost = (
        joined.select(col("ts").alias("x")),
        a.select(col("ts").alias("x")).distinct(),
        a.select(col("ts").alias("x")).union(env.from_path("b").select(col("ts"))),
        a.group_by(col("ts")).select(col("ts").alias("x"), col("v").sum.alias("s")),
        a.select(col("ts").cast(DataTypes.TIMESTAMP(3)).alias("x")),
    )
    for table in lost:
        with pytest.raises(ValidationException, match="needs a time attribute"):
            windowed(table)


def test_the_error_says_what_took_the_time_attribute(env: TableEnvironment) -> None:
    for query, loser in (
        ("SELECT a.ts AS x FROM a JOIN b ON a.k = b.k", "a join without bounds on the times of both sides"),
        ("SELECT ts AS x FROM a GROUP BY ts", "GROUP BY"),
        ("SELECT DISTINCT ts AS x FROM a", "DISTINCT"),
        ("SELECT ts AS x FROM a INTERSECT SELECT ts FROM b", "INTERSECT"),
        ("SELECT vers.ts AS x FROM a JOIN vers FOR SYSTEM_TIME AS OF a.ts ON a.k = vers.k", "the right side of a temporal join"),
    ):
        with pytest.raises(ValidationException, match=f"column 'x' is no longer one: it comes out of {loser}\\."):
            window_over(env, query)
    joined = "(SELECT a.ts, a.v FROM a JOIN b ON a.k = b.k)"
    with pytest.raises(ValidationException, match=r"ORDER BY of MATCH_RECOGNIZE needs a time attribute, .* a join without bounds"):
        env.explain_sql(f"SELECT * FROM {joined} MATCH_RECOGNIZE (ORDER BY ts MEASURES A.v AS x PATTERN (A B) DEFINE A AS A.v > 1)")


def test_batch_mode_has_no_time_attributes_to_lose() -> None:
    batch = TableEnvironment.create(EnvironmentSettings.new_instance().with_planner("arrow").in_batch_mode().build())
    options = "WITH ('connector' = 'datagen', 'number-of-rows' = '3')"
    batch.execute_sql(f"CREATE TABLE a (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) {options}")
    window_over(batch, "SELECT DISTINCT a.ts AS x FROM a JOIN a AS b ON a.k = b.k")
