"""Searches get the provider of the table's source, or what the engine compares with all rows."""

from __future__ import annotations

import sys
from typing import Any, cast

import pytest
from plan_pairs import planned

from table_api.delegation import Planner
from table_api.operations import QueryOperation, UnnestQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.rules.plan_vector_searches import plan_vector_searches
from table_api.resolution.vector_search import UnplannedSearch
from table_common.connector import (
    ChangelogMode,
    DynamicTableSource,
    PredictTableFunction,
    ScanTableSource,
    VectorSearchFunction,
    VectorSearchFunctionProvider,
    VectorSearchTableSource,
)
from table_common.exceptions import TableException, ValidationException
from table_common.frozen_dataclass import replace
from table_common.tree import preorder
from table_common.types import ArrayType, FloatType, VarCharType


class Provider(VectorSearchFunctionProvider):
    def __init__(self, seen: object) -> None:
        self.seen = seen

    def create_vector_search_function(self) -> VectorSearchFunction:
        raise AssertionError("nothing is searched here")


class Index(VectorSearchTableSource):
    def get_search_runtime_provider(self, context: VectorSearchTableSource.VectorSearchContext) -> Provider:
        return Provider(context)


class Scan(ScanTableSource.ScanRuntimeProvider):
    is_bounded = True


class Endless(ScanTableSource.ScanRuntimeProvider):
    is_bounded = False


class Rows(ScanTableSource):
    provider: type[ScanTableSource.ScanRuntimeProvider] = Scan

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        return self.provider()


class EndlessRows(Rows):
    provider = Endless


class Changes(Rows):
    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.all()


class Lookups(DynamicTableSource):
    pass


class Comparing:
    name = "some"

    def __init__(self, compares: bool) -> None:
        self.compares = compares

    def vector_comparison(self, scan: Any, call: Any, metric: str) -> Provider | None:
        return Provider((call.table[-1], call.column, metric)) if self.compares else None


def planned_search(context: RuleContext, source: DynamicTableSource, config: str = "", *, compares: bool = True) -> Any:
    plan = planned(f"SELECT * FROM t, LATERAL TABLE(VECTOR_SEARCH(TABLE v, DESCRIPTOR(e), ARRAY[1.0], 3{config}))", context)
    for node in preorder(plan, QueryOperation):
        if isinstance(node, UnnestQueryOperation):
            search = node.expression.function.function  # type: ignore[attr-defined]
            assert isinstance(search, UnplannedSearch)
            search.scan = replace(search.scan, source=source)
    plan = plan_vector_searches(plan, replace(context, planner=cast("Planner", Comparing(compares))))
    (unnest,) = (node for node in preorder(plan, QueryOperation) if isinstance(node, UnnestQueryOperation))
    return unnest.expression.function.function  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def vectors(context: RuleContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session has a table ``v`` of vectors."""
    tables = sys.modules[type(context.session.tables).__module__].TABLES
    monkeypatch.setitem(tables, "v", [("label", VarCharType()), ("e", ArrayType(FloatType()))])


def test_the_provider_of_the_source_searches(context: RuleContext) -> None:
    function = planned_search(context, Index(), ", MAP['effort', '5']")
    assert type(function) is PredictTableFunction
    seen = function.provider.provider.seen
    assert (seen.search_positions, seen.runtime_config, function.provider.top_k) == ((1,), {"effort": "5"}, 3)


def test_other_tables_are_compared_by_the_engine(context: RuleContext) -> None:
    assert planned_search(context, Rows()).provider.provider.seen == ("v", "e", "COSINE")
    assert planned_search(context, Rows(), ", MAP['metric', 'l2', 'async', 'false']").provider.provider.seen == ("v", "e", "L2")


@pytest.mark.parametrize(
    ("source", "config", "message"),
    [
        (EndlessRows(), "", "VECTOR_SEARCH cannot search table c.d.v: the argument 'search_table' must be bounded"),
        (Changes(), "", "its source updates or deletes rows"),
        (Lookups(), "", "neither a VectorSearchTableSource nor scanned"),
        (Rows(), ", MAP['metrik', 'l2']", r"unknown: 'metrik' \(did you mean 'metric'\?\)"),
        (
            Rows(),
            ", MAP['metric', 'manhattan']",
            r"VECTOR_SEARCH over table c\.d\.v .*'cosine', 'l2', 'inner_product', but got 'manhattan'",
        ),
        (Rows(), ", MAP['async', 'true']", "the comparison with all rows cannot make them"),
    ],
)
def test_what_cannot_be_searched_is_said(context: RuleContext, source: DynamicTableSource, config: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        planned_search(context, source, config)


def test_a_scan_that_the_engine_cannot_read_in_a_task_is_refused(context: RuleContext) -> None:
    with pytest.raises(TableException, match="the planner 'some' cannot read it in a task, since its source scans through a Scan"):
        planned_search(context, Rows(), compares=False)
