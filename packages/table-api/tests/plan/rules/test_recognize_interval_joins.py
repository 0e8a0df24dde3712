"""Pairs of plans: recognize_interval_joins.test."""

from __future__ import annotations

import random

import pytest
from plan_pairs import Pair, planned

from table_api.operations import QueryOperation
from table_api.operations.changelog import IntervalJoinQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.recognize_interval_joins import recognize_interval_joins
from table_common.tree import preorder

PREPARED = (push_filter_down, merge_projects)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, recognize_interval_joins, prepared_by=PREPARED)


@pytest.mark.parametrize(
    "condition",
    [
        "a.k = b.k",
        "a.k = b.k AND a.ts > b.ts",
        "a.ts > b.ts AND a.ts >= b.ts - INTERVAL '1' SECOND",
        "a.ts BETWEEN b.ts AND a.ts + INTERVAL '1' SECOND",
        "a.ts BETWEEN b.ts AND b.ts + INTERVAL '1' MONTH",
        "CAST(a.ts AS TIMESTAMP(3)) BETWEEN b.ts AND b.ts + INTERVAL '1' SECOND",
        "a.ts >= b.ts OR a.ts <= b.ts + INTERVAL '1' SECOND",
        "a.ts <> b.ts",
        "NOT (a.ts BETWEEN b.ts AND b.ts + INTERVAL '1' SECOND)",
    ],
)
def test_joins_without_two_bounds_stay_the_same_object(condition: str, context: RuleContext) -> None:
    plan = planned(f"SELECT a.v, b.v FROM e AS a JOIN e AS b ON {condition}", context, PREPARED)
    assert recognize_interval_joins(plan, context) is plan


def interval_join(query: str, context: RuleContext) -> IntervalJoinQueryOperation:
    plan = recognize_interval_joins(planned(query, context, PREPARED), context)
    (found,) = [node for node in preorder(plan, QueryOperation) if isinstance(node, IntervalJoinQueryOperation)]
    return found


def test_bounds_in_any_form_are_those_of_the_left_time_minus_the_right_time(context: RuleContext) -> None:
    chance = random.Random(18)

    def shifted(time: str, other: int) -> tuple[str, int]:
        """Returns a time with intervals before and after it, and their sum."""
        text, total = time, 0
        for _ in range(chance.randrange(3)):
            seconds, sign = chance.randrange(1, 9), chance.choice("+-")
            total += seconds * (1000 if sign == "+" else -1000)
            text = (
                f"INTERVAL '{seconds}' SECOND + ({text})"
                if sign == "+" and chance.random() < 0.3
                else f"{text} {sign} INTERVAL '{seconds}' SECOND"
            )
        return text, total + other

    for _ in range(200):
        lower, upper = -(1 << 62), 1 << 62
        parts = []
        for is_lower in (True, False, chance.random() < 0.5):
            (left, of_left), (right, of_right) = shifted("a.ts", 0), shifted("b.ts", 0)
            is_strict = chance.random() < 0.5
            distance = of_right - of_left
            if is_lower:
                lower = max(lower, distance + is_strict)
            else:
                upper = min(upper, distance - is_strict)
            sign = (">" if is_lower else "<") + ("" if is_strict else "=")
            mirrored = sign.translate(str.maketrans("<>", "><"))
            parts.append(f"{left} {sign} {right}" if chance.random() < 0.5 else f"{right} {mirrored} {left}")
        chance.shuffle(parts)
        condition = " AND ".join(parts)
        found = interval_join(f"SELECT a.v, b.v FROM e AS a JOIN e AS b ON a.k = b.k AND {condition}", context)
        assert (found.lower, found.upper) == (lower, upper), condition
        assert str(found.condition) == "(k = k)", condition


def test_times_stay_event_times(context: RuleContext) -> None:
    query = "SELECT a.ts, b.ts FROM e AS a JOIN e AS b ON a.ts BETWEEN b.ts AND b.ts + INTERVAL '1' SECOND"
    plan = recognize_interval_joins(planned(query, context, PREPARED), context)
    assert [str(column.data_type) for column in plan.resolved_schema.columns] == ["TIMESTAMP(3) *ROWTIME*", "TIMESTAMP(3) *ROWTIME*"]
