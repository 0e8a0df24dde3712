"""Every rewrite by before/after pairs of plans: ``rules/<rule>.test``.

A case is a title after ``--``, the query, ``before:`` and ``after:`` with the plans. ``GOLDEN_UPDATE=1`` writes the plans anew, to be
reviewed as code.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

import pytest

from table_api.delegation import Planner, PlannerCapabilities
from table_api.operations import FilterQueryOperation, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.plan.rules.add_dynamic_filters import add_dynamic_filters
from table_api.plan.rules.extract_common_conjuncts import extract_common_conjuncts
from table_api.plan.rules.fold_constants import fold_constants
from table_api.plan.rules.merge_constant_rows import merge_constant_rows
from table_api.plan.rules.merge_projects import merge_projects
from table_api.plan.rules.prune_columns import prune_columns
from table_api.plan.rules.push_aggregate_into_scan import push_aggregate_into_scan
from table_api.plan.rules.push_filter_down import push_filter_down
from table_api.plan.rules.push_filter_into_scan import push_filter_into_scan
from table_api.plan.rules.push_limit_into_scan import push_limit_into_scan
from table_api.plan.rules.push_nested_projection_into_scan import push_nested_projection_into_scan
from table_api.plan.rules.push_partition_into_scan import push_partition_into_scan
from table_api.plan.rules.push_projection_into_scan import push_projection_into_scan
from table_api.plan.rules.remove_empty_relations import remove_empty_relations
from table_api.plan.rules.remove_redundant_distinct import remove_redundant_distinct
from table_api.plan.rules.subquery_to_join import subquery_to_join
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.connector import ChangelogMode, ScanTableSource
from table_common.connector.source.abilities import (
    SupportsAggregatePushDown,
    SupportsDynamicFiltering,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsPartitionPushDown,
    SupportsProjectionPushDown,
)
from table_common.expressions import (
    AggregateExpression,
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
)
from table_common.tree import preorder, transform_up
from table_common.types import RowType

FOLDER = Path(__file__).parent / "rules"
UPDATE = os.environ.get("GOLDEN_UPDATE") == "1"


class AbleSource(ScanTableSource, SupportsFilterPushDown, SupportsProjectionPushDown, SupportsLimitPushDown):
    """Takes every column list and limit, and of the filters those with ``>``."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def copy(self) -> Self:
        copied = type(self)()
        copied.taken = list(self.taken)
        return copied

    def as_summary_string(self) -> str:
        return "; ".join(["able", *self.taken])

    def get_changelog_mode(self) -> ChangelogMode:
        return ChangelogMode.insert_only()

    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        raise AssertionError("nothing is read here")

    def apply_filters(self, filters: Sequence[ResolvedExpression]) -> SupportsFilterPushDown.Result:
        accepted = tuple(f for f in filters if isinstance(f, CallExpression) and f.function.name == "GREATER_THAN")
        self.taken.append(f"{len(accepted)} filters")
        return SupportsFilterPushDown.Result(accepted, tuple(f for f in filters if f not in accepted))

    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.taken.append(f"columns {[path[0] for path in projected_fields]}")

    def apply_limit(self, limit: int) -> None:
        self.taken.append(f"limit {limit}")


class AblerSource(AbleSource, SupportsPartitionPushDown, SupportsAggregatePushDown, SupportsDynamicFiltering):
    """Also takes fields of rows, partitions, all aggregates but MAX, and waits for years and kinds."""

    @property
    def supports_nested_projection(self) -> bool:
        return True

    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.taken.append(f"paths {['.'.join(map(str, path)) for path in projected_fields]}")

    def list_partitions(self) -> Sequence[Mapping[str, str | None]]:
        return [{"year": year, "kind": kind} for year in ("2020", "2021", None) for kind in ("a", "b")]

    def apply_partitions(self, remaining_partitions: Sequence[Mapping[str, str | None]]) -> None:
        self.taken.append(f"{len(remaining_partitions)} partitions")

    def list_accepted_filter_fields(self) -> Sequence[str]:
        return ["year", "kind"]

    def apply_dynamic_filtering(self, candidate_filter_fields: Sequence[str]) -> None:
        self.taken.append(f"waits for {list(candidate_filter_fields)}")

    def apply_aggregates(
        self, grouping_sets: Sequence[Sequence[int]], aggregate_expressions: Sequence[AggregateExpression], produced_type: RowType
    ) -> bool:
        self.taken.append(f"groups {list(map(list, grouping_sets))}, {produced_type}")
        return all(aggregate.function.name != "MAX" for aggregate in aggregate_expressions)


class Arithmetic:
    """Stands for a planner: computes sums and comparisons of whole numbers, and casts to them; a division by zero fails: no value.

    It expects half the rows after a filter.
    """

    capabilities = PlannerCapabilities(dynamic_filtering=True)

    @property
    def expressions(self) -> Arithmetic:
        return self

    def estimated_rows(self, root: QueryOperation) -> Callable[[QueryOperation], float]:
        return lambda node: 0.5 ** sum(isinstance(part, FilterQueryOperation) for part in preorder(node, QueryOperation))

    def constant_value(self, expression: ResolvedExpression) -> ValueLiteralExpression | None:
        assert isinstance(expression, CallExpression)
        values = [arg.value for arg in expression.args if isinstance(arg, ValueLiteralExpression)]
        if expression.function.name == "CAST":
            return ValueLiteralExpression(None if values[0] is None else int(values[0]), expression.output_type)
        if None in values:
            return ValueLiteralExpression(None, expression.output_type)
        compute = {"PLUS": operator.add, "EQUALS": operator.eq, "GREATER_THAN": operator.gt}.get(expression.function.name)
        return ValueLiteralExpression(compute(*values), expression.output_type) if compute and len(values) == 2 else None

    def matching_rows(
        self, condition: ResolvedExpression, row_type: RowType, rows: Sequence[Sequence[str | bytes | None]]
    ) -> list[bool] | None:
        verdicts = []
        for row in rows:

            def value(node: ResolvedExpression, row: Sequence[Any] = row) -> ResolvedExpression:
                if isinstance(node, FieldReferenceExpression):
                    return ValueLiteralExpression(row[node.field_index], node.output_type)
                return self.constant_value(node) or node if isinstance(node, CallExpression) else node

            found = transform_up(condition, ResolvedExpression, value)
            if not isinstance(found, ValueLiteralExpression):
                return None
            verdicts.append(bool(found.value))
        return verdicts


def with_sources(root: QueryOperation, context: RuleContext) -> QueryOperation:
    def change(node: QueryOperation) -> QueryOperation:
        return replace(node, source=AbleSource()) if isinstance(node, SourceQueryOperation) else node

    return transform_up(root, QueryOperation, change)


def with_abler_sources(root: QueryOperation, context: RuleContext) -> QueryOperation:
    def change(node: QueryOperation) -> QueryOperation:
        return replace(node, source=AblerSource()) if isinstance(node, SourceQueryOperation) else node

    return transform_up(root, QueryOperation, change)


RULES: dict[str, tuple[tuple[Callable[..., QueryOperation], ...], tuple[Callable[..., QueryOperation], ...]]] = {
    # rule: (what runs before it, what the case shows)
    "fold_constants": ((), (fold_constants,)),
    "extract_common_conjuncts": ((), (extract_common_conjuncts,)),
    "subquery_to_join": ((), (subquery_to_join, merge_projects)),
    "merge_projects": ((), (merge_projects,)),
    "push_filter_down": ((), (push_filter_down,)),
    "remove_empty_relations": ((merge_projects, push_filter_down, merge_projects), (remove_empty_relations,)),
    "merge_constant_rows": ((fold_constants, merge_projects), (merge_constant_rows,)),
    "remove_redundant_distinct": ((subquery_to_join, merge_projects), (remove_redundant_distinct,)),
    "prune_columns": ((merge_projects, push_filter_down), (prune_columns, merge_projects)),
    "push_filter_into_scan": ((with_sources,), (push_filter_into_scan,)),
    "push_projection_into_scan": ((with_sources, prune_columns, merge_projects), (push_projection_into_scan,)),
    "push_partition_into_scan": ((with_abler_sources,), (push_partition_into_scan,)),
    "push_nested_projection_into_scan": ((with_abler_sources, prune_columns, merge_projects), (push_nested_projection_into_scan,)),
    "push_aggregate_into_scan": (
        (with_abler_sources, push_filter_into_scan, prune_columns, merge_projects, push_projection_into_scan),
        (push_aggregate_into_scan,),
    ),
    "push_limit_into_scan": ((with_sources,), (push_limit_into_scan,)),
    "add_dynamic_filters": (
        (subquery_to_join, merge_projects, push_filter_down, merge_projects, with_abler_sources, push_limit_into_scan),
        (add_dynamic_filters,),
    ),
}


def cases() -> list[Any]:
    found = []
    for file in sorted(FOLDER.glob("*.test")):
        for number, block in enumerate(("\n" + file.read_text(encoding="utf-8")).split("\n-- ")[1:]):
            title, _, body = block.partition("\n")
            found.append(pytest.param(file, number, body, id=f"{file.stem}: {title}"))
    return found


def plans(rule: str, query: str, session: Any) -> tuple[str, str]:
    context = RuleContext(session, cast("Planner", Arithmetic()))
    operation = convert_statement(parse_statement(query), session, query)
    assert isinstance(operation, QueryOperation)
    prepare, apply = RULES[rule]
    for step in prepare:
        operation = step(operation, context)
    before = plan_text(operation)
    for step in apply:
        operation = step(operation, context)
    return before, plan_text(operation)


@pytest.mark.parametrize(("file", "number", "body"), cases())
def test_rule(file: Path, number: int, body: str, session: Any) -> None:
    query, _, rest = body.partition("\nbefore:\n")
    before, after = plans(file.stem, query.strip(), session)
    if UPDATE:
        blocks = ("\n" + file.read_text(encoding="utf-8")).split("\n-- ")
        title = blocks[number + 1].partition("\n")[0]
        blocks[number + 1] = f"{title}\n{query.strip()}\nbefore:\n{before}\nafter:\n{after}\n"
        file.write_text("\n-- ".join(blocks).lstrip("\n"), encoding="utf-8")
        return
    expected_before, _, expected_after = rest.partition("\nafter:\n")
    assert (before, after) == (expected_before.strip("\n"), expected_after.strip("\n"))


def test_every_rule_has_cases() -> None:
    assert {file.stem for file in FOLDER.glob("*.test")} == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_with_nothing_to_do_returns_the_plan_itself(rule: str, session: Any) -> None:
    query = "SELECT * FROM t"
    operation = convert_statement(parse_statement(query), session, query)
    assert isinstance(operation, QueryOperation)
    context = RuleContext(session, cast("Planner", Arithmetic()))
    for step in RULES[rule][0]:
        operation = step(operation, context)
    if merge_projects in RULES[rule][1]:  # drops the projection of all columns, then has nothing to do
        operation = merge_projects(operation, context)
    for step in RULES[rule][1]:
        assert step(operation, context) is operation or rule == "prune_columns"
