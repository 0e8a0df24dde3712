"""Pairs of plans before and after a rewrite, ``<rule>.test``, and the sources and the planner that they use.

A case is a title after ``--``, the query, ``before:`` and ``after:`` with the plans. ``GOLDEN_UPDATE=1`` rewrites the plans, to be
reviewed as code.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from table_api.delegation import PlannerCapabilities
from table_api.operations import FilterQueryOperation, QueryOperation, SourceQueryOperation
from table_api.plan.context import RuleContext
from table_api.plan.explain import plan_text
from table_api.sql.conversion import convert_statement
from table_api.sql.parser import parse_statement
from table_common.connector import ChangelogMode, ScanTableSource
from table_common.connector.source.abilities import (
    SupportsAggregatePushDown,
    SupportsDynamicFiltering,
    SupportsFilterPushDown,
    SupportsLimitPushDown,
    SupportsOrderedLimitPushDown,
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

FOLDER = Path(__file__).parent
UPDATE = os.environ.get("GOLDEN_UPDATE") == "1"
Rule = Callable[[QueryOperation, RuleContext], QueryOperation]


class AbleSource(ScanTableSource, SupportsFilterPushDown, SupportsProjectionPushDown, SupportsLimitPushDown):
    """Accepts every projection and limit, and of the filters those with ``>``."""

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


class AblerSource(AbleSource, SupportsPartitionPushDown, SupportsAggregatePushDown, SupportsDynamicFiltering, SupportsOrderedLimitPushDown):
    """Also accepts nested projections, partitions, all aggregates but MAX, and runtime filters on ``year`` and ``kind``."""

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

    def apply_ordered_limit(self, orders: Sequence[SupportsOrderedLimitPushDown.FieldOrder], limit: int) -> bool:
        if any(order.position == 0 for order in orders):
            return False
        keys = [f"{order.position}{'' if order.ascending else ' desc'}{' nulls first' if order.nulls_first else ''}" for order in orders]
        self.taken.append(f"first {limit} by {', '.join(keys)}")
        return True

    def apply_dynamic_filtering(self, candidate_filter_fields: Sequence[str]) -> None:
        self.taken.append(f"waits for {list(candidate_filter_fields)}")

    def apply_aggregates(
        self, grouping_sets: Sequence[Sequence[int]], aggregate_expressions: Sequence[AggregateExpression], produced_type: RowType
    ) -> bool:
        self.taken.append(f"groups {list(map(list, grouping_sets))}, {produced_type}")
        return all(aggregate.function.name != "MAX" for aggregate in aggregate_expressions)


class Arithmetic:
    """A planner that evaluates sums and comparisons of integers and casts to integers; it estimates half of the rows after each filter."""

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


@dataclass(frozen=True)
class Pair:
    """One case of a file: the query and its plans before and after the rewrite."""

    file: Path
    number: int
    title: str
    query: str
    before: str
    after: str

    def check(self, context: RuleContext, *rules: Rule, prepared_by: Sequence[Rule] = ()) -> None:
        """Compares the plan before the rules, after those of ``prepared_by``, and the plan after them."""
        plan = planned(self.query, context, prepared_by)
        before, after = plan_text(plan), plan_text(rewritten(plan, context, rules))
        if UPDATE:
            self._write(before, after)
        else:
            assert (before, after) == (self.before, self.after)

    def _write(self, before: str, after: str) -> None:
        blocks = _blocks(self.file)
        blocks[self.number] = f"{self.title}\n{self.query}\nbefore:\n{before}\nafter:\n{after}\n"
        self.file.write_text("-- " + "\n-- ".join(blocks), encoding="utf-8")


def _blocks(file: Path) -> list[str]:
    return ("\n" + file.read_text(encoding="utf-8")).split("\n-- ")[1:]


def pairs_of(rule: str) -> list[Pair]:
    """Returns the cases of a rule."""
    file = FOLDER / f"{rule}.test"
    pairs = []
    for number, block in enumerate(_blocks(file)):
        title, _, body = block.partition("\n")
        query, _, plans = body.partition("\nbefore:\n")
        before, _, after = plans.partition("\nafter:\n")
        pairs.append(Pair(file, number, title, query.strip(), before.strip("\n"), after.strip("\n")))
    return pairs


def planned(query: str, context: RuleContext, rules: Sequence[Rule] = ()) -> QueryOperation:
    """Returns the plan of a query after the rules."""
    operation = convert_statement(parse_statement(query), context.session, query)
    assert isinstance(operation, QueryOperation)
    return rewritten(operation, context, rules)


def rewritten(plan: QueryOperation, context: RuleContext, rules: Sequence[Rule]) -> QueryOperation:
    """Returns the plan after the rules."""
    for rule in rules:
        plan = rule(plan, context)
    return plan
