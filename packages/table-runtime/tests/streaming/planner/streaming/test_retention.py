"""The retention of each kind of node: its hint STATE_TTL, else the option; windows end with the watermark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations import CollectModifyOperation, QueryOperation
from table_api.plan.optimizer import optimize_stream
from table_common.tree import preorder
from table_runtime.planner.streaming.retention import retentions_of

DEFAULT = 7


@pytest.fixture
def env() -> Iterator[TableEnvironment]:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()) as environment:
        environment.execute_sql(
            "CREATE TABLE t (k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen', 'number-of-rows' = '1')"
        )
        yield environment


@pytest.mark.parametrize(
    ("sql", "name", "expected"),
    [
        ("SELECT k, COUNT(*) FROM t GROUP BY k", "Aggregate", (DEFAULT,)),
        ("SELECT /*+ STATE_TTL('t' = '2 s') */ k, COUNT(*) FROM t GROUP BY k", "Aggregate", (2000,)),
        ("SELECT /*+ STATE_TTL('t' = '0 s') */ DISTINCT k FROM t", "Distinct", (0,)),
        ("SELECT a.k FROM t a JOIN t b ON a.k = b.k", "Join", (DEFAULT, DEFAULT)),
        ("SELECT /*+ STATE_TTL('b' = '2 s') */ a.k FROM t a JOIN t b ON a.k = b.k", "Join", (DEFAULT, 2000)),
        ("SELECT k FROM t INTERSECT SELECT v FROM t", "Intersect", (DEFAULT,)),
        (
            "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' SECOND)) GROUP BY window_start, window_end",
            "WindowAggregate",
            (0,),
        ),
        (
            "SELECT a.k FROM t a JOIN t b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '1' SECOND AND b.ts",
            "IntervalJoin",
            (0,),
        ),
    ],
)
def test_the_retention_of_a_node(env: TableEnvironment, sql: str, name: str, expected: tuple[int, ...]) -> None:
    query = env.session.parse(sql)
    assert isinstance(query, QueryOperation)
    plan = optimize_stream([CollectModifyOperation(query)], env.session, env.session.planner)
    assert plan is not None
    (node,) = [node for node in preorder(plan.operations[0].child, QueryOperation) if node.summary_name == name]
    assert retentions_of(node, DEFAULT) == expected
