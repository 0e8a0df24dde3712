"""Hints of joins: which side of which join they reach, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import JoinQueryOperation, QueryOperation
from table_api.plan.explain import plan_text
from table_common.exceptions import ValidationException
from table_common.tree import preorder

Strategies = Callable[[str], list[str]]


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        for table in "abc":
            environment.execute_sql(f"CREATE TABLE {table} (k INT, v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
        yield environment


@pytest.fixture
def strategies(env: TableEnvironment) -> Strategies:
    """Returns the strategies of both sides of the joins of a query, from the result down."""

    def strategies(sql: str) -> list[str]:
        nodes = preorder(env.sql_query(sql).query_operation, QueryOperation)
        joins = [node for node in nodes if isinstance(node, JoinQueryOperation)]
        return [", ".join("-" if one is None else one.value for one in join.strategies) for join in joins]

    return strategies


JOINED = "FROM a JOIN b AS d ON a.k = d.k LEFT JOIN c ON d.v = c.v"


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ("BROADCAST(a)", ["-, -", "BROADCAST, -"]),
        ("broadcast(d)", ["-, -", "-, BROADCAST"]),
        ("SHUFFLE_HASH(c), SHUFFLE_MERGE(a, d)", ["-, SHUFFLE_HASH", "SHUFFLE_MERGE, SHUFFLE_MERGE"]),
        ("NEST_LOOP(c), BROADCAST(c)", ["-, NEST_LOOP", "-, -"]),
        ("MULTI_JOIN(a, c)", ["-, -", "-, -"]),
    ],
)
def test_a_hint_reaches_the_side_that_is_its_table(strategies: Strategies, hints: str, expected: list[str]) -> None:
    assert strategies(f"SELECT /*+ {hints} */ a.k {JOINED}") == expected


def test_a_hint_reaches_the_tables_of_its_own_select(strategies: Strategies) -> None:
    inner = "SELECT a.k FROM a JOIN b ON a.k = b.k"
    assert strategies(f"SELECT /*+ BROADCAST(c) */ c.k FROM c JOIN ({inner}) AS t ON c.k = t.k") == ["BROADCAST, -", "-, -"]
    assert strategies(f"SELECT c.k FROM c JOIN ({inner.replace('SELECT', 'SELECT /*+ BROADCAST(b) */')}) AS t ON c.k = t.k") == [
        "-, -",
        "-, BROADCAST",
    ]


def test_the_plan_and_a_stored_view_show_a_hint(env: TableEnvironment) -> None:
    query = "SELECT /*+ SHUFFLE_HASH(b), BROADCAST(a) */ a.k FROM a JOIN b ON a.k = b.k"
    assert "joinHints=[[[SHUFFLE_HASH options:[RIGHT]]]]" in plan_text(env.sql_query(query).query_operation)
    env.execute_sql(f"CREATE VIEW joined AS {query}")
    ((text,),) = env.execute_sql("SHOW CREATE VIEW joined").collect()
    assert "/*+ BROADCAST(`a`), SHUFFLE_HASH(`b`) */" in text
    assert "joinHints=[[[BROADCAST options:[LEFT]]]]" in plan_text(env.sql_query("SELECT * FROM joined").query_operation)


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("MAPJOIN(b)", r"MAPJOIN is a hint of Spark SQL.*write BROADCAST\(b\)"),
        ("BROADCASTJOIN(b)", r"write BROADCAST\(b\)"),
        ("MERGE(a, b)", r"write SHUFFLE_MERGE\(a, b\)"),
        ("SHUFFLE_REPLICATE_NL(b)", r"write NEST_LOOP\(b\)"),
        ("REPARTITION(b)", r"leave it out; .*spark\.sql\.shuffle\.partitions"),
        ("COALESCE(b)", r"leave it out; .*spark\.sql\.shuffle\.partitions"),
        ("NOSUCH(b)", "Hint 'NOSUCH'"),
        ("BROADCAST", "names no table"),
        ("BROADCAST(nowhere)", "Table 'nowhere'"),
    ],
)
def test_other_hints_are_refused_with_what_to_write(env: TableEnvironment, hint: str, message: str) -> None:
    with pytest.raises(ValidationException, match=f"(?s){message}"):
        env.sql_query(f"SELECT /*+ {hint} */ a.k FROM a JOIN b ON a.k = b.k")
