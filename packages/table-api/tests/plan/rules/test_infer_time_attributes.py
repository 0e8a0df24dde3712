"""Which columns of a plan are time attributes after filters have moved to the joins."""

from __future__ import annotations

import pytest
from plan_pairs import planned

from table_api.operations import QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.infer_time_attributes import infer_time_attributes
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.push_filter_down import push_filter_down
from table_common.exceptions import ValidationException
from table_common.types import is_time_attribute

PREPARED = (push_filter_down, merge_projects)
TUMBLE = "TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND))"


def time_columns(plan: QueryOperation) -> list[str]:
    return [column.name for column in plan.resolved_schema.columns if is_time_attribute(column.data_type)]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT a.ts AS x, b.ts AS y FROM e AS a JOIN e AS b ON a.k = b.k", []),
        ("SELECT a.ts AS x, b.ts AS y FROM e AS a, e AS b WHERE a.ts BETWEEN b.ts AND b.ts + INTERVAL '1' SECOND", ["x", "y"]),
        ("SELECT ts AS x FROM e INTERSECT SELECT ts FROM e", []),
        ("SELECT ts AS x FROM e UNION ALL SELECT ts FROM e", ["x"]),
        ("SELECT a.ts AS x FROM e AS a JOIN e AS b ON a.k = b.k UNION ALL SELECT ts FROM e", []),
        ("SELECT DISTINCT ts AS x FROM e", []),
        ("SELECT ts AS x FROM e GROUP BY ts", []),
        (f"SELECT window_time AS x, ts AS y FROM {TUMBLE} GROUP BY window_start, window_end, window_time, ts", ["x"]),
        (f"SELECT window_time AS x, ts AS y FROM {TUMBLE}", ["x", "y"]),
    ],
)
def test_the_time_attributes_of_a_plan(sql: str, names: list[str], context: RuleContext) -> None:
    plan = planned(sql, context, PREPARED)
    settled = infer_time_attributes(plan, context)
    assert time_columns(settled) == names
    assert settled.resolved_schema.column_names == plan.resolved_schema.column_names


def test_a_plan_that_loses_none_stays_the_same_object(context: RuleContext) -> None:
    for sql in (
        "SELECT ts FROM e WHERE v > 1",
        "SELECT k, COUNT(*) FROM e GROUP BY k",
        "SELECT a.v FROM e AS a JOIN e AS b ON a.ts = b.ts",
    ):
        plan = planned(sql, context, PREPARED)
        assert infer_time_attributes(plan, context) is plan


def test_a_window_over_a_lost_time_attribute_is_refused(context: RuleContext) -> None:
    joined = "(SELECT a.ts, a.v FROM e AS a JOIN e AS b ON a.k = b.k)"
    plan = planned(f"WITH j AS {joined} SELECT * FROM {TUMBLE.replace('TABLE e', 'TABLE j')}", context, PREPARED)
    with pytest.raises(
        ValidationException, match=r"TUMBLE needs a time attribute, but column 'ts' is no longer one: .* a join without bounds"
    ):
        infer_time_attributes(plan, context)
