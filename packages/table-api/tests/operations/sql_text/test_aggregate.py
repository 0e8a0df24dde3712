"""GROUP BY, DISTINCT and joins with STATE_TTL as SQL: the hint names the tables of the SELECT that has the aggregate or the join."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import QueryOperation
from table_api.operations.sql_text import query_text


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_streaming_mode()) as environment:
        for name in ("t", "u"):
            environment.execute_sql(f"CREATE TABLE {name} (a INT, b INT) WITH ('connector' = 'datagen')")
        yield environment


@pytest.mark.parametrize(
    ("sql", "begins"),
    [
        (
            "SELECT /*+ STATE_TTL('x' = '1 d') */ a, COUNT(*) FROM t AS x GROUP BY a",
            "SELECT /*+ STATE_TTL('t' = '1 d') */ `t`.`a`, COUNT(*)",
        ),
        ("SELECT /*+ STATE_TTL('t' = '1 d') */ DISTINCT a FROM t", "SELECT /*+ STATE_TTL('t' = '1 d') */ DISTINCT `t`.`a`"),
        ("SELECT /*+ STATE_TTL('v' = '1 d') */ SUM(a) FROM (VALUES 1, 2) AS v (a)", "SELECT /*+ STATE_TTL('q' = '1 d') */ SUM(`q`.`a`)"),
        (
            "SELECT /*+ STATE_TTL('q' = '2 h') */ a, COUNT(*) FROM (SELECT t.a FROM t JOIN u ON t.a = u.a) AS q GROUP BY a",
            "SELECT /*+ STATE_TTL('q' = '2 h') */ `q`.`a`, COUNT(*)",
        ),
        (
            "SELECT /*+ STATE_TTL('t' = '2 h', 'u' = '0 s') */ t.a FROM t LEFT JOIN u ON t.a = u.a",
            "SELECT /*+ STATE_TTL('t' = '2 h', 'u' = '0 s') */ `t`.`a`",
        ),
        (
            "SELECT /*+ STATE_TTL('x' = '1 d', 'z' = '3 d') */ x.a FROM t AS x JOIN t AS y ON x.a = y.a JOIN u AS z ON y.b = z.b",
            "SELECT /*+ STATE_TTL('t' = '1 d', 'u' = '3 d') */ `t`.`a`",
        ),
    ],
)
def test_the_hint_names_the_tables_as_the_text_does(env: TableEnvironment, sql: str, begins: str) -> None:
    query = env.session.parse(sql)
    assert isinstance(query, QueryOperation)
    text = query_text(query)
    assert text.startswith(begins)
    again = env.session.parse(text)
    assert isinstance(again, QueryOperation)
    assert query_text(again) == text


def test_a_hint_that_cannot_stand_beside_group_by_gets_a_select_of_its_own(env: TableEnvironment) -> None:
    sql = "SELECT /*+ STATE_TTL('s' = '1 d') */ DISTINCT n FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) AS s"
    query = env.session.parse(sql)
    assert isinstance(query, QueryOperation)
    text = query_text(query)
    assert text.startswith("SELECT /*+ STATE_TTL('q' = '1 d') */ DISTINCT `q`.`n`\nFROM (\nSELECT COUNT(*) AS `n`")
