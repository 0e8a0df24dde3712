"""Plans that changelogs refuse, with the reader, the operator that makes the updates and what works; and data that contradicts its changelog."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableError

Row = dict[str, Any]
Create = Callable[..., None]

ONE = {"k": 1, "v": 5, "s": "a"}


def added(**row: Any) -> Row:
    return {"before": None, "after": row, "op": "c"}


def removed(**row: Any) -> Row:
    return {"before": row, "after": None, "op": "d"}


def updated(before: Row, **after: Any) -> Row:
    return {"before": before, "after": after, "op": "u"}


@pytest.fixture
def env(tmp_path: Path) -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as env:
        env.get_config().set("table.dml-sync", "true")
        yield env


@pytest.fixture
def create(env: TableEnvironment, tmp_path: Path) -> Create:
    """Creates the table t from events; ``more`` are further columns and constraints."""

    def create(*events: Row, more: str = "") -> None:
        (tmp_path / "t.json").write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
        options = f"'connector' = 'filesystem', 'path' = '{tmp_path / 't.json'}', 'format' = 'debezium-json'"
        env.execute_sql(f"CREATE TABLE t (k INT, v BIGINT, s STRING{more}) WITH ({options})")

    return create


def changes(env: TableEnvironment, sql: str) -> list[str]:
    with env.execute_sql(sql).collect() as rows:
        return [f"{row.get_row_kind()}{list(row)}" for row in rows]


TIMES = ", ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
WINDOW_HINT = ("TUMBLE", "TO_CHANGELOG")


@pytest.mark.parametrize(
    ("sql", "parts"),
    [
        (
            "INSERT INTO log SELECT k, SUM(v) FROM t GROUP BY k",
            ("Table default_catalog.default_database.log", "Aggregate(groupBy=[k]", *WINDOW_HINT),
        ),
        ("INSERT INTO log SELECT a.k, b.v FROM t AS a LEFT JOIN t AS b ON a.k = b.v", ("log", "Join(joinType=LeftOuterJoin", *WINDOW_HINT)),
        (
            "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.k AS m PATTERN (A) DEFINE A AS A.v > 1)",
            ("MATCH_RECOGNIZE", "TableScan(table=default_catalog.default_database.t", *WINDOW_HINT),
        ),
        (
            "SELECT a.k FROM t AS a JOIN t AS b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '1' SECOND AND b.ts",
            ("Interval join", "TableScan(table=default_catalog.default_database.t", *WINDOW_HINT),
        ),
        (
            "SELECT SUM(v) OVER (PARTITION BY k ORDER BY ts) FROM t",
            ("OVER", "TableScan(table=default_catalog.default_database.t", *WINDOW_HINT),
        ),
        ("SELECT * FROM watched ORDER BY v", ("v ASC", "ascending time attribute", "LIMIT")),
        ("SELECT * FROM watched ORDER BY ts DESC", ("ts DESC", "ascending time attribute", "LIMIT")),
        (
            "SELECT COUNT(*) FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '5' SECOND)) GROUP BY window_start, window_end",
            ("HOP", "5 s", "2 s", "divides"),
        ),
        (
            "INSERT INTO unkeyed SELECT k, SUM(v) FROM t GROUP BY k ON CONFLICT DO NOTHING",
            ("ON CONFLICT", "unkeyed has none", "PRIMARY KEY"),
        ),
        (
            "INSERT INTO keyed SELECT k, v FROM (SELECT s, MAX(k) AS k, SUM(v) AS v FROM t GROUP BY s)",
            ("keyed has the primary key (k)", "no upsert key", "Aggregate(groupBy=[s]", "ON CONFLICT DO DEDUPLICATE"),
        ),
    ],
)
def test_a_plan_is_refused_with_what_works(sql: str, parts: tuple[str, ...], env: TableEnvironment, create: Create, tmp_path: Path) -> None:
    create(more=TIMES)
    env.execute_sql(
        f"CREATE TABLE log (k INT, v BIGINT) WITH ('connector' = 'filesystem', 'path' = '{tmp_path / 'log'}', 'format' = 'csv')"
    )
    watched = f"'connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'json', 'source.monitor-interval' = '1 s'"
    env.execute_sql(f"CREATE TABLE watched (k INT, v BIGINT{TIMES}) WITH ({watched})")
    env.execute_sql("CREATE TABLE unkeyed (k INT, v BIGINT) WITH ('connector' = 'memory')")
    env.execute_sql("CREATE TABLE keyed (k INT, v BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'memory')")
    with pytest.raises(TableError) as caught:
        env.execute_sql(sql)
    assert [part for part in parts if part not in str(caught.value)] == []


QUERIES = {
    "SELECT k, COUNT(*) FROM t GROUP BY k": ["+I[1, 1]", "-D[1, 1]"],
    "SELECT DISTINCT k FROM t": ["+I[1]", "-D[1]"],
    "SELECT k, MAX(v) FROM t GROUP BY k": ["+I[1, 5]", "-D[1, 5]"],
    "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS r FROM t) WHERE r <= 2": ["+I[1, 5]", "-D[1, 5]"],
    "SELECT t.k FROM t JOIN (VALUES (1), (9)) AS w(k) ON t.k = w.k": ["+I[1]", "-D[1]"],
    "SELECT k FROM t EXCEPT SELECT k FROM (VALUES (2)) AS w(k)": ["+I[1]", "-D[1]"],
}


@pytest.mark.parametrize("sql", QUERIES)
def test_retractions_of_rows_that_are_not_there_are_ignored_and_logged_once(
    sql: str, env: TableEnvironment, create: Create, caplog: pytest.LogCaptureFixture
) -> None:
    create(removed(**{**ONE, "k": 9}), added(**ONE), removed(**ONE), removed(**ONE), removed(**ONE))
    assert changes(env, sql) == QUERIES[sql]
    assert len([record for record in caplog.records if "retraction" in record.getMessage()]) == 1


def test_two_retractions_of_one_duplicate_leave_none(env: TableEnvironment, create: Create) -> None:
    create(added(**ONE), added(**ONE), removed(**ONE), removed(**ONE))
    for sql in (
        "SELECT k, COUNT(*) AS n FROM t GROUP BY k",
        "SELECT DISTINCT k, v FROM t",
        "SELECT a.k FROM t AS a JOIN t AS b ON a.k = b.k",
    ):
        found = changes(env, sql)
        assert sum(1 if change[0] == "+" else -1 for change in found) == 0, sql
        assert found, sql


def test_a_change_of_the_key_moves_the_row(env: TableEnvironment, create: Create) -> None:
    create(added(**ONE), updated(ONE, **{**ONE, "k": 2}))
    assert changes(env, "SELECT k, SUM(v) FROM t GROUP BY k") == ["+I[1, 5]", "-D[1, 5]", "+I[2, 5]"]
    assert changes(env, "SELECT t.k FROM t JOIN (VALUES (1), (2)) AS w(k) ON t.k = w.k") == ["+I[1]", "-U[1]", "+U[2]"]


def test_null_is_a_group_but_joins_nothing(env: TableEnvironment, create: Create) -> None:
    create(added(k=None, v=1, s=None), added(k=None, v=2, s=None))
    assert changes(env, "SELECT k, SUM(v) FROM t GROUP BY k") == ["+I[None, 1]", "-U[None, 1]", "+U[None, 3]"]
    assert changes(env, "SELECT a.v FROM t AS a JOIN t AS b ON a.k = b.k") == []


def test_an_overflow_names_the_call_and_the_group(env: TableEnvironment, create: Create) -> None:
    create(added(k=4, v=2**63 - 1, s="a"), added(k=4, v=1, s="a"))
    with pytest.raises(TableError, match=r"SUM\(v\) of the group k = 4"):
        changes(env, "SELECT k, SUM(v) FROM t GROUP BY k")


def test_no_rows_give_no_changes(env: TableEnvironment, create: Create) -> None:
    create()
    for sql in (
        *QUERIES,
        "SELECT COUNT(*) FROM t",
        "SELECT * FROM t ORDER BY v LIMIT 2",
        "SELECT k FROM t WHERE k NOT IN (SELECT k FROM t)",
    ):
        assert changes(env, sql) == [], sql


KEEPERS = {
    "inner join": "SELECT t.k, t.g, t.s, u.v FROM t JOIN u ON t.k = u.k",
    "left join": "SELECT t.k, t.g, t.s, u.v FROM t LEFT JOIN u ON t.k = u.k",
    "join on true": "SELECT t.k, t.g, t.s, u.v FROM t JOIN u ON TRUE",
    "join on another column than the key": "SELECT t.k, t.g, t.s, u.v FROM t JOIN u ON t.g = u.k",
    "full join": "SELECT t.k, t.g, t.s, u.v FROM t FULL JOIN u ON t.g = u.k AND t.s < 'c'",
    "semi join": "SELECT t.k, t.g, t.s FROM t WHERE g IN (SELECT k FROM u)",
    "anti join": "SELECT t.k, t.g, t.s FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.g)",
    "row number": "SELECT k, g, s, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY s) AS n FROM t) WHERE n <= 2",
    "rank": "SELECT k, g, s, n FROM (SELECT *, RANK() OVER (ORDER BY g) AS n FROM t) WHERE n <= 2",
    "limit": "SELECT k, g, s FROM t ORDER BY s LIMIT 2",
    "over": "SELECT k, g, s, SUM(g) OVER (PARTITION BY s ORDER BY k) AS n FROM t",
    "union": "SELECT k, g, s FROM t UNION SELECT k, v, 'x' FROM u",
    "intersect": "SELECT k, g, s FROM t INTERSECT SELECT k, g, s FROM t",
    "except": "SELECT k, g, s FROM t EXCEPT SELECT k, v, 'x' FROM u",
    "aggregate by the key": "SELECT k, SUM(g), MAX(s) FROM t GROUP BY k",
    "json object": "SELECT JSON_OBJECTAGG(KEY CAST(k AS STRING) VALUE s) FROM t",
    "join below an aggregate": "SELECT t.g, COUNT(*), MAX(t.s) FROM t JOIN u ON t.k = u.k GROUP BY t.g",
}
EVENTS = [
    (None, {"k": 1, "g": 10, "s": "a"}),
    (None, {"k": 2, "g": 10, "s": "b"}),
    ({"k": 1}, {"k": 1, "g": 20, "s": "c"}),
    ({"k": 2, "g": None, "s": None}, None),
    (None, {"k": 3, "g": 20, "s": "d"}),
    ({"k": 1}, None),
    (None, {"k": 2, "g": 10, "s": "e"}),
]


def changes_of(path: Path, query: str, *, by_key: bool) -> list[tuple[str, tuple[object, ...]]]:
    """Returns the changes of a query over a table whose changes have only the key before the change, or all columns."""
    last: dict[int, dict[str, object]] = {}
    lines = []
    for before, after in EVENTS:
        old = before
        if before is not None and not by_key:
            old = last.pop(before["k"])
        if after is not None:
            last[after["k"]] = after
        lines.append(json.dumps({"before": old, "after": after, "op": "c" if before is None else "d" if after is None else "u"}))
    (path / "t.json").write_text("\n".join(lines))
    rows = [{"k": 1, "v": 100}, {"k": 10, "v": 7}, {"k": 2, "v": 8}, {"k": 20, "v": 9}]
    (path / "u.json").write_text("\n".join(map(json.dumps, rows)))
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as env:
        env.execute_sql(
            "CREATE TABLE t (k INT, g INT NOT NULL, s STRING NOT NULL, PRIMARY KEY (k) NOT ENFORCED) "
            f"WITH ('connector' = 'filesystem', 'path' = '{path / 't.json'}', 'format' = 'debezium-json')"
        )
        env.execute_sql(f"CREATE TABLE u (k INT, v INT) WITH ('connector' = 'filesystem', 'path' = '{path / 'u.json'}', 'format' = 'json')")
        with env.execute_sql(query).collect() as result:
            return [(row.get_row_kind().short_string, tuple(row)) for row in result]


@pytest.mark.parametrize("query", KEEPERS.values(), ids=KEEPERS.keys())
def test_changes_with_only_the_key_before_them_give_the_same_changes_as_those_with_all_columns(tmp_path: Path, query: str) -> None:
    assert changes_of(tmp_path, query, by_key=True) == changes_of(tmp_path, query, by_key=False)
