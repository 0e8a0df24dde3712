"""Facts of ``MatchRecognizeQueryOperation``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.operations import MatchRecognizeQueryOperation, QueryOperation
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.record import Columns, Follow, NodeFacts, Pruned, register
from table_api.plan.facts.shared import insertions_for, needs_all
from table_api.plan.facts.streaming import always, never_expires
from table_common.expressions import FieldReferenceExpression, PatternExpression, ResolvedExpression, map_references, remap
from table_common.frozen_dataclass import replace
from table_common.tree import children_of, map_children_of


def _needs(node: MatchRecognizeQueryOperation, needed: Columns) -> list[Columns]:
    return [used_columns(_input_expressions(node, [i for i in range(len(node.measures)) if len(node.partition_by) + i in needed]))]


def _rebuilt(node: MatchRecognizeQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    (child, moved), keys = children[0], len(node.partition_by)
    kept = [i for i in range(len(node.measures)) if keys + i in needed]
    positions = {i: i for i in range(keys)} | {keys + old: keys + new for new, old in enumerate(kept)}
    return _over_moved_columns(node, child, moved, kept), positions


def _input_expressions(node: MatchRecognizeQueryOperation, measures: Sequence[int]) -> list[ResolvedExpression]:
    """Returns the node's expressions over the input's columns, with only the measures at these positions."""
    conditions = [definition.condition for definition in node.definitions]
    values = [value for part in (*conditions, *(node.measures[i] for i in measures)) for value in part.values]
    keys: list[ResolvedExpression] = [*node.partition_by, *(order.expression for order in node.order_by)]
    return [*keys, *(expression for value in values for expression in children_of(value, ResolvedExpression))]


def _over_moved_columns(
    node: MatchRecognizeQueryOperation, child: QueryOperation, moved: Mapping[int, int], measures: Sequence[int]
) -> MatchRecognizeQueryOperation:
    """Returns the node over another child, with only the measures at these positions."""

    def change(part: PatternExpression) -> PatternExpression:
        return replace(part, values=tuple(map_children_of(v, ResolvedExpression, lambda e: remap(e, moved)) for v in part.values))

    return replace(
        node,
        partition_by=tuple(replace(key, field_index=moved[key.field_index]) for key in node.partition_by),
        order_by=tuple(replace(order, expression=remap(order.expression, moved)) for order in node.order_by),
        definitions=tuple(replace(d, condition=change(d.condition)) for d in node.definitions),
        measures=tuple(change(node.measures[i]) for i in measures),
        names=tuple(node.names[i] for i in measures),
        child=child,
    )


def _retyped(node: MatchRecognizeQueryOperation, follow: Follow) -> QueryOperation:
    for key in (*node.partition_by, *(order.expression for order in node.order_by)):  # the measures are over values of the match
        map_references(key, follow)
    return node


def _needed_time(node: MatchRecognizeQueryOperation, column: FieldReferenceExpression) -> str | None:
    return "ORDER BY of MATCH_RECOGNIZE" if column == node.order_by[0].expression else None


register(
    MatchRecognizeQueryOperation,
    NodeFacts(
        changes=insertions_for("MATCH_RECOGNIZE requires"),
        demands=needs_all,
        needs=_needs,
        rebuilt=_rebuilt,
        reads_watermarks=always,
        retentions=never_expires,
        retyped=_retyped,
        needed_time=_needed_time,
    ),
)
