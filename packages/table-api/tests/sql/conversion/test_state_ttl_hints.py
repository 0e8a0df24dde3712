"""STATE_TTL hints: which joins and aggregates they reach, and what is refused. Flink 2.3.0 gave the answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    JoinQueryOperation,
    QueryOperation,
    TemporalJoinQueryOperation,
)
from table_common.exceptions import ValidationException
from table_common.tree import preorder

Ttls = Callable[[str], list[str]]


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_streaming_mode()) as environment:
        for table, column in (("a", "v"), ("b", "w"), ("c", "x")):
            environment.execute_sql(
                f"CREATE TABLE {table} (k INT, {column} INT, arr ARRAY<INT>, pt AS PROCTIME()) WITH ('connector' = 'datagen')"
            )
        environment.execute_sql("CREATE TABLE `a.b` (k INT) WITH ('connector' = 'datagen')")
        environment.execute_sql("CREATE VIEW vb AS SELECT k, w + 1 AS w FROM b")
        yield environment


@pytest.fixture
def ttls(env: TableEnvironment) -> Ttls:
    """Returns the durations at the joins and aggregates of a query, from the result down."""

    def ttls(sql: str) -> list[str]:
        query = env.session.parse(sql)
        assert isinstance(query, QueryOperation)
        found = []
        for node in preorder(query, QueryOperation):
            if isinstance(node, JoinQueryOperation):
                found.append(" ".join("-" if ttl is None else ttl.text for ttl in node.state_ttl))
            elif isinstance(node, (AggregateQueryOperation, DistinctQueryOperation)):
                found.append("-" if node.state_ttl is None else node.state_ttl.text)
        return found

    return ttls


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT /*+ STATE_TTL('a' = '1d', 'b' = '2h') */ * FROM a JOIN b ON a.k = b.k", ["1d 2h"]),
        ("SELECT /*+ STATE_TTL('a' = '1d', 'b' = '2h') */ * FROM a, b WHERE a.k = b.k", ["1d 2h"]),
        ("SELECT /*+ STATE_TTL('b' = '2h') */ * FROM a FULL JOIN b ON a.k = b.k AND a.v > b.w", ["- 2h"]),
        ("SELECT /*+ STATE_TTL('a' = '1d', 'c' = '3s') */ 1 FROM a JOIN b ON a.k = b.k LEFT JOIN c ON b.k = c.k", ["- 3s", "1d -"]),
        (
            "SELECT /*+ STATE_TTL('a' = '1d', 'b' = '2d', 'c' = '3d') */ 1 FROM a JOIN (b JOIN c ON b.k = c.k) ON a.k = b.k",
            ["1d -", "2d 3d"],
        ),
        ("SELECT /*+ STATE_TTL('x' = '1d', 'y' = '2d') */ 1 FROM a AS x JOIN a AS y ON x.k = y.k", ["1d 2d"]),
        ("SELECT /*+ STATE_TTL('vb' = '1d') */ 1 FROM a JOIN vb ON a.k = vb.k", ["- 1d"]),
        ("SELECT /*+ STATE_TTL('s' = '1d') */ 1 FROM a JOIN (SELECT k, COUNT(*) AS n FROM b GROUP BY k) AS s ON a.k = s.k", ["- 1d", "-"]),
        ("SELECT /*+ STATE_TTL('default_database.a' = '1d') */ 1 FROM a JOIN b ON a.k = b.k", ["1d -"]),
        ("SELECT /*+ STATE_TTL('default_catalog.default_database.a' = '1d') */ 1 FROM a JOIN b ON a.k = b.k", ["1d -"]),
        ("SELECT /*+ STATE_TTL('a.b' = '1d') */ 1 FROM `a.b` JOIN b ON `a.b`.k = b.k", ["1d -"]),
        ("SELECT /*+ STATE_TTL('a' = '1d') */ 1 FROM a LEFT SEMI JOIN b ON a.k = b.k JOIN c ON a.k = c.k", ["- -", "1d -"]),
    ],
)
def test_each_side_of_a_join_that_is_one_table_has_the_duration_of_the_table(ttls: Ttls, sql: str, expected: list[str]) -> None:
    assert ttls(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT /*+ STATE_TTL('a' = '1d') */ k, SUM(v) FROM a GROUP BY k", ["1d"]),
        ("SELECT /*+ state_ttl(a = '1d') */ k, SUM(v) FROM a WHERE v > 1 GROUP BY k HAVING COUNT(*) > 1", ["1d"]),
        ("SELECT /*+ STATE_TTL('a' = '1d') */ COUNT(DISTINCT v) FROM a", ["1d"]),
        ("SELECT /*+ STATE_TTL('a' = '1d') */ k, v, COUNT(*) FROM a GROUP BY GROUPING SETS ((k), (k), (v))", ["- -", "1d"]),
        ("SELECT /*+ STATE_TTL('a' = '1d') */ DISTINCT k FROM a", ["1d"]),
        ("SELECT /*+ STATE_TTL('a' = '1d') */ DISTINCT COUNT(*) FROM a GROUP BY k", ["-", "1d"]),
        ("SELECT /*+ STATE_TTL('t' = '1d') */ k, COUNT(*) FROM a AS t GROUP BY k", ["1d"]),
        ("SELECT /*+ STATE_TTL('vb' = '1d') */ k, COUNT(*) FROM vb GROUP BY k", ["1d"]),
        ("SELECT /*+ STATE_TTL('s' = '1d') */ k, COUNT(*) FROM (SELECT a.k FROM a JOIN b ON a.k = b.k) AS s GROUP BY k", ["1d", "- -"]),
        ("WITH q AS (SELECT * FROM a) SELECT /*+ STATE_TTL('q' = '1d') */ k, COUNT(*) FROM q GROUP BY k", ["1d"]),
        (
            "SELECT /*+ STATE_TTL('a' = '1d') */ k, SUM(n) FROM (SELECT k, v, COUNT(*) AS n FROM a GROUP BY k, v) AS a GROUP BY k",
            ["1d", "-"],
        ),
    ],
)
def test_the_aggregate_over_one_table_has_the_duration_of_the_table(ttls: Ttls, sql: str, expected: list[str]) -> None:
    assert ttls(sql) == expected


def test_an_aggregate_over_a_join_has_no_duration(ttls: Ttls) -> None:
    assert ttls("SELECT /*+ STATE_TTL('a' = '1d') */ a.k, COUNT(*) FROM a JOIN b ON a.k = b.k GROUP BY a.k") == ["-", "1d -"]
    assert ttls("SELECT /*+ STATE_TTL('a' = '1d') */ a.k, COUNT(*) FROM a LEFT SEMI JOIN b ON a.k = b.k GROUP BY a.k") == ["-", "1d -"]


def test_a_hint_reaches_neither_subqueries_nor_the_other_side_of_a_set_operation(ttls: Ttls) -> None:
    assert ttls("SELECT /*+ STATE_TTL('a' = '1d') */ DISTINCT k FROM a UNION ALL SELECT DISTINCT k FROM a") == ["1d", "-"]
    assert ttls("SELECT /*+ STATE_TTL('s' = '1d') */ k, COUNT(*) FROM (SELECT DISTINCT k FROM a) AS s GROUP BY k") == ["1d", "-"]


def test_the_hint_of_a_view_stays(env: TableEnvironment, ttls: Ttls) -> None:
    env.execute_sql("CREATE VIEW va AS SELECT /*+ STATE_TTL('a' = '1d') */ k, COUNT(*) AS n FROM a GROUP BY k")
    assert ttls("SELECT /*+ STATE_TTL('va' = '2d') */ n, COUNT(*) FROM va GROUP BY n") == ["2d", "1d"]


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ("STATE_TTL('a' = '1d'), STATE_TTL('b' = '2d')", "1d 2d"),
        ("STATE_TTL('a' = '1d', 'a' = '2d')", "2d -"),
        ("STATE_TTL('a' = '1d'), STATE_TTL('a' = '2d')", "1d -"),
        ("STATE_TTL('a' = '1d'), BROADCAST(b)", "1d -"),
        ("STATE_TTL('a' = '0s', 'b' = '1500')", "0s 1500"),
    ],
)
def test_several_hints_of_one_select(ttls: Ttls, hints: str, expected: str) -> None:
    assert ttls(f"SELECT /*+ {hints} */ 1 FROM a JOIN b ON a.k = b.k") == [expected]


@pytest.mark.parametrize("text", ["0", "1500", "1 D", "90 min", "PT1H", "500 ns"])
def test_durations_are_written_as_in_options(ttls: Ttls, text: str) -> None:
    assert ttls(f"SELECT /*+ STATE_TTL('a' = '{text}') */ DISTINCT k FROM a") == [text]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT /*+ STATE_TTL('zz' = '1d') */ * FROM a",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ * FROM a WHERE k IN (SELECT k FROM b)",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ * FROM a, UNNEST(arr) AS u (e)",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ k FROM a ORDER BY v LIMIT 3",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ 1",
    ],
)
def test_without_join_and_aggregate_a_hint_may_name_anything_as_in_flink(ttls: Ttls, sql: str) -> None:
    assert ttls(sql) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT /*+ STATE_TTL('zz' = '1d') */ k, COUNT(*) FROM a GROUP BY k",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ DISTINCT k FROM a",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ COUNT(*) FROM a",
        "SELECT /*+ STATE_TTL('a' = '1d', 'zz' = '1d') */ 1 FROM a JOIN b ON a.k = b.k",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ k, COUNT(*) FROM a AS t GROUP BY k",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ k, COUNT(*) FROM (SELECT * FROM a) GROUP BY k",
        "SELECT /*+ STATE_TTL('zz' = '1d') */ k, COUNT(*) FROM a, UNNEST(arr) AS u (e) GROUP BY k",
    ],
)
def test_a_name_that_no_join_and_no_aggregate_reads_is_refused(ttls: Ttls, sql: str) -> None:
    message = "The hint STATE_TTL names 'zz', which is no table or view that a join or the aggregate of this SELECT reads."
    with pytest.raises(ValidationException, match=re.escape(message)) as caught:
        ttls(sql)
    assert caught.value.position is not None


@pytest.mark.parametrize(
    ("sql", "available"),
    [
        ("SELECT /*+ STATE_TTL('a' = '1d') */ k, COUNT(*) FROM a AS t GROUP BY k", "Available: t"),
        ("SELECT /*+ STATE_TTL('b' = '1d') */ k, COUNT(*) FROM vb GROUP BY k", "Did you mean 'vb'? Available: vb"),
        ("SELECT /*+ STATE_TTL('A' = '1d') */ k, COUNT(*) FROM a GROUP BY k", "Did you mean 'a'? Available: a"),
        ("SELECT /*+ STATE_TTL('vb' = '1d') */ 1 FROM a JOIN vb AS y ON a.k = y.k", "Available: a, y"),
        ("SELECT /*+ STATE_TTL('b' = '1d') */ 1 FROM a JOIN (SELECT b.k FROM b JOIN c ON b.k = c.k) AS s ON a.k = s.k", "Available: a, s"),
        ("SELECT /*+ STATE_TTL('a' = '1d') */ k, COUNT(*) FROM a, UNNEST(arr) AS u (e) GROUP BY k", "Available: a, u"),
    ],
)
def test_a_table_is_named_as_from_names_it(ttls: Ttls, sql: str, available: str) -> None:
    with pytest.raises(ValidationException, match=re.escape(available)):
        ttls(sql)


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("STATE_TTL('a')", "The hint STATE_TTL takes key-value options only, but got 'a'."),
        ("STATE_TTL(a)", "The hint STATE_TTL takes key-value options only, but got 'a'."),
        ("STATE_TTL", "The hint STATE_TTL names no table."),
        ("STATE_TTL('a' = 'soon')", "Invalid STATE_TTL hint value: 'soon' is not a duration"),
        ("STATE_TTL('a' = '-1d')", "Invalid STATE_TTL hint value: '-1d' is not a duration"),
        ("STATE_TTL('a' = '-PT1H')", "Invalid STATE_TTL hint value: '-PT1H' is not a duration"),
        ("STATE_TTL('a' = '')", "Invalid STATE_TTL hint value: '' is not a duration"),
        ("STATE_TTL('a' = '1 d 3 h')", "Invalid STATE_TTL hint value: '1 d 3 h' is not a duration"),
        ("STATE_TTL('a' = '999999999999999999999 d')", "it is longer than 999999999 days"),
    ],
)
@pytest.mark.parametrize("query", ["k, COUNT(*) FROM a GROUP BY k", "* FROM a"])
def test_wrong_hints_are_refused_at_their_place(ttls: Ttls, hint: str, message: str, query: str) -> None:
    with pytest.raises(ValidationException, match=re.escape(message)) as caught:
        ttls(f"SELECT /*+ {hint} */ {query}")
    assert caught.value.position is not None


def test_a_join_with_versions_takes_no_duration(env: TableEnvironment, ttls: Ttls) -> None:
    env.execute_sql("CREATE TABLE o (k INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')")
    env.execute_sql(
        "CREATE TABLE r (k INT PRIMARY KEY NOT ENFORCED, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')"
    )
    assert ttls("SELECT /*+ STATE_TTL('o' = '1d', 'r' = '2d') */ 1 FROM o JOIN r FOR SYSTEM_TIME AS OF o.ts ON o.k = r.k") == []


def test_lookup_joins_and_lateral_keep_no_state_that_expires(env: TableEnvironment, ttls: Ttls) -> None:
    sql = "SELECT /*+ STATE_TTL('a' = '1d', 'b' = '2d') */ 1 FROM a JOIN b FOR SYSTEM_TIME AS OF a.pt ON a.k = b.k"
    assert ttls(sql) == ["- -"]
    query = env.session.parse(sql)
    assert any(isinstance(node, TemporalJoinQueryOperation) for node in preorder(query, QueryOperation))
    assert ttls("SELECT /*+ STATE_TTL('a' = '1d') */ 1 FROM a, LATERAL (SELECT b.w FROM b WHERE b.k = a.k) AS l") == []


def test_in_batch_mode_hints_are_checked_and_have_no_effect() -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql("CREATE TABLE a (k INT) WITH ('connector' = 'datagen')")
        plain = "SELECT a.k, COUNT(*) FROM a GROUP BY a.k"
        joined = "SELECT 1 FROM a JOIN a AS b ON a.k = b.k"
        for sql in (plain, joined):
            assert env.session.parse(sql.replace("SELECT", "SELECT /*+ STATE_TTL('a' = '1d') */")) == env.session.parse(sql)
            with pytest.raises(ValidationException, match="The hint STATE_TTL names 'zz'"):
                env.session.parse(sql.replace("SELECT", "SELECT /*+ STATE_TTL('zz' = '1d') */"))
