"""Facts of ``MatchRecognizeQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import MatchRecognizeQueryOperation, QueryOperation
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.record import Columns, Follow, NodeFacts, Pruned, register
from table_api.plan.facts.shared import insertions_for, needs_all
from table_api.plan.facts.streaming import always, never_expires
from table_api.plan.pattern_columns import input_expressions, over_moved_columns
from table_common.expressions import FieldReferenceExpression, map_references


def _needs(node: MatchRecognizeQueryOperation, needed: Columns) -> list[Columns]:
    return [used_columns(input_expressions(node, [i for i in range(len(node.measures)) if len(node.partition_by) + i in needed]))]


def _rebuilt(node: MatchRecognizeQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    (child, moved), keys = children[0], len(node.partition_by)
    kept = [i for i in range(len(node.measures)) if keys + i in needed]
    positions = {i: i for i in range(keys)} | {keys + old: keys + new for new, old in enumerate(kept)}
    return over_moved_columns(node, child, moved, kept), positions


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
