"""Processing-time temporal joins with tables that are scanned."""

from __future__ import annotations

from typing import Any

import pytest
from plan_pairs import planned

from table_api.operations import LookupHint, QueryOperation, SourceQueryOperation, TemporalJoinQueryOperation
from table_api.operations.changelog import CurrentRowsJoinQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.plan_current_rows_joins import plan_current_rows_joins
from table_common.connector import LookupTableSource, ScanTableSource
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import replace
from table_common.tree import preorder, transform_up


class Lookups(LookupTableSource):
    def get_lookup_runtime_provider(self, context: LookupTableSource.LookupContext) -> LookupTableSource.LookupRuntimeProvider:
        raise AssertionError("nothing is looked up here")


class Scans(ScanTableSource):
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")


def plan_of(context: RuleContext, source: Any, **changes: Any) -> QueryOperation:
    def change(node: QueryOperation) -> QueryOperation:
        if isinstance(node, SourceQueryOperation):
            return replace(node, source=source)
        return replace(node, **changes) if isinstance(node, TemporalJoinQueryOperation) else node

    sql = "SELECT * FROM (SELECT name, PROCTIME() AS pt FROM t) AS o JOIN t FOR SYSTEM_TIME AS OF o.pt AS d ON o.name = d.name"
    return transform_up(planned(sql, context), QueryOperation, change)


def joins(plan: QueryOperation) -> list[type]:
    return [type(node) for node in preorder(plan, QueryOperation) if isinstance(node, TemporalJoinQueryOperation)]


def test_a_table_without_lookups_is_scanned(context: RuleContext) -> None:
    assert joins(plan_current_rows_joins(plan_of(context, Scans()), context)) == [CurrentRowsJoinQueryOperation]


def test_a_table_with_lookups_is_left_to_them(context: RuleContext) -> None:
    plan = plan_of(context, Lookups())
    assert plan_current_rows_joins(plan, context) is plan


def test_a_query_is_scanned(context: RuleContext) -> None:
    plan = plan_of(context, Lookups(), right=planned("SELECT name, COUNT(*) FROM t GROUP BY name", context))
    assert joins(plan_current_rows_joins(plan, context)) == [CurrentRowsJoinQueryOperation]


def test_the_hint_lookup_is_refused(context: RuleContext) -> None:
    with pytest.raises(ValidationException, match="The hint LOOKUP is for tables whose connector supports lookups"):
        plan_current_rows_joins(plan_of(context, Scans(), hint=LookupHint(is_async=True)), context)
