"""Pairs of plans: recognize_windows.test."""

from __future__ import annotations

import pytest
from plan_pairs import Pair, planned

from table_api.plan.context import RuleContext
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.recognize_ranks import recognize_ranks
from table_api.plan.rules.recognize_windows import recognize_windows
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_common.exceptions import ValidationException

HOP = "TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '4' SECOND, INTERVAL '10' SECOND))"


@pytest.fixture(autouse=True)
def streaming(context: RuleContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context.session, "is_streaming_mode", True, raising=False)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, recognize_windows, prepared_by=(subquery_to_join, push_filter_down, merge_projects, recognize_ranks))


def test_a_plan_without_window_functions_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT k, COUNT(*) FROM e GROUP BY k", context)
    assert recognize_windows(plan, context) is plan


def test_an_aggregate_of_hops_that_do_not_divide_the_size_is_refused(context: RuleContext) -> None:
    sql = f"SELECT COUNT(*) FROM {HOP} GROUP BY window_start, window_end"
    with pytest.raises(ValidationException, match="multiple of the slide, but the size is 10 s, the slide 4 s") as error:
        planned(sql, context, (recognize_windows,))
    assert "batch mode" in str(error.value)


def test_rows_of_hops_that_do_not_divide_the_size_are_not_refused(context: RuleContext) -> None:
    planned(f"SELECT v, window_start FROM {HOP}", context, (recognize_windows,))
