"""Pairs of plans: add_dynamic_filters.test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from plan_pairs import Arithmetic, Pair, planned, with_abler_sources

from table_api.delegation import Planner, PlannerCapabilities
from table_api.operations import FilterQueryOperation, QueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.add_dynamic_filters import add_dynamic_filters
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.push_limit_into_scan import push_limit_into_scan
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_common.configuration import Configuration, OptimizerConfigOptions

PREPARED_BY = (subquery_to_join, merge_projects, push_filter_down, merge_projects, with_abler_sources, push_limit_into_scan)


def test_plan_before_and_after(pair: Pair, context: RuleContext) -> None:
    pair.check(context, add_dynamic_filters, prepared_by=PREPARED_BY)


def test_a_plan_with_nothing_to_do_stays_the_same_object(context: RuleContext) -> None:
    plan = planned("SELECT * FROM t", context, PREPARED_BY)
    assert add_dynamic_filters(plan, context) is plan


JOIN = "SELECT p.v FROM p JOIN (SELECT id FROM u WHERE name = 'x') AS d ON p.`year` = d.id"


class WithoutRuntimeFilters(Arithmetic):
    capabilities = PlannerCapabilities(dynamic_filtering=False)


class WithoutEstimates(Arithmetic):
    def estimated_rows(self, root: QueryOperation) -> Any:
        return None


class FiltersAddRows(Arithmetic):
    def estimated_rows(self, root: QueryOperation) -> Callable[[QueryOperation], float]:
        return lambda node: 2.0 if isinstance(node, FilterQueryOperation) else 1.0


def filters_in(context: RuleContext, planner: Arithmetic) -> bool:
    context = RuleContext(context.session, cast("Planner", planner))
    plan = planned(JOIN, context, PREPARED_BY)
    return add_dynamic_filters(plan, context) is not plan


def test_an_engine_without_runtime_filters_gets_none(context: RuleContext) -> None:
    assert not filters_in(context, WithoutRuntimeFilters())


def test_without_estimates_the_filtered_side_gives_its_keys(context: RuleContext) -> None:
    assert filters_in(context, WithoutEstimates())


def test_a_side_that_is_estimated_to_be_larger_gives_no_keys(context: RuleContext) -> None:
    assert not filters_in(context, FiltersAddRows())


def test_the_option_switches_runtime_filters_off(context: RuleContext, monkeypatch: pytest.MonkeyPatch) -> None:
    configuration = Configuration()
    configuration.set(OptimizerConfigOptions.TABLE_OPTIMIZER_DYNAMIC_FILTERING_ENABLED, False)
    monkeypatch.setattr(type(context.session), "configuration", configuration)
    assert not filters_in(context, Arithmetic())
