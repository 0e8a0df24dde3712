"""Pairs of plans: recognize_over.test."""

from __future__ import annotations

import pytest
from plan_pairs import Pair, planned

from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules import recognize_over as recognize_over_module
from table_api.plan.rules.recognize_over import recognize_over
from table_common.exceptions import TableException


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, recognize_over)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT v FROM e WHERE v > 1", context)
    assert recognize_over(plan, context) is plan


def test_constant_arguments_in_the_order_of_time_are_columns(context: RuleContext) -> None:
    plan = recognize_over(planned("SELECT SUM(1) OVER (ORDER BY ts), SUM(v) OVER (ORDER BY ts) FROM e", context), context)
    frame = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    assert plan_text(plan).splitlines()[1:-1] == [
        "+- Project(select=[k, ts, v, $w0, $w1])",
        f"   +- OverAggregate(orderBy=[ts ASC], select=[SUM($c1) {frame} AS $w0, SUM(v) {frame} AS $w1])",
        "      +- Project(select=[k, ts, v, 1 AS $c1])",
    ]


def test_rows_that_end_are_sorted_at_the_end(context: RuleContext) -> None:
    plan = recognize_over(planned("SELECT v FROM e ORDER BY v DESC LIMIT 3", context), context)
    assert "SortAtEnd" not in plan_text(plan)
    plan = recognize_over(planned("SELECT v FROM e ORDER BY v DESC", context), context)
    assert "SortAtEnd(orderBy=[v DESC])" in plan_text(plan)


def test_other_sorts_of_unbounded_rows_are_refused(context: RuleContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognize_over_module, "unbounded_leaves", lambda plan, scan_context: [plan])
    for sql, order in (
        ("SELECT v FROM e ORDER BY v", "v ASC"),
        ("SELECT k FROM e ORDER BY v + 1", r"\(v \+ 1\) ASC"),
        ("SELECT v FROM e ORDER BY ts DESC", "ts DESC"),
    ):
        with pytest.raises(TableException, match=f"can be sorted only by an ascending time attribute, not by {order}"):
            recognize_over(planned(sql, context), context)
