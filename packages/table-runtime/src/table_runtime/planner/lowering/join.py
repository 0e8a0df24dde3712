"""Lowers joins: a hash join if the condition has equalities between the inputs, otherwise a nested-loop join."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinQueryOperation, JoinType
from table_common.arrow import to_arrow_type
from table_common.expressions import map_references, references
from table_common.frozen_dataclass import replace
from table_runtime.batch.joins.hash_join import HashJoin
from table_runtime.batch.joins.join_output import JoinKind, PairFilter
from table_runtime.batch.joins.range_index import RangeBound, RangeBounds, is_ranged
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.planner.lowering.join_condition import JoinCondition, range_comparisons, split_condition
from table_runtime.planner.lowering.runtime_filters import runtime_filters
from table_runtime.run.operator import Operator

KINDS = {
    JoinType.INNER: JoinKind.INNER,
    JoinType.LEFT_OUTER: JoinKind.LEFT,
    JoinType.RIGHT_OUTER: JoinKind.RIGHT,
    JoinType.FULL_OUTER: JoinKind.FULL,
    JoinType.SEMI: JoinKind.SEMI,
    JoinType.ANTI: JoinKind.ANTI,
}


BUILT_LEFT = {JoinKind.LEFT: JoinKind.RIGHT, JoinKind.SEMI: JoinKind.RIGHT_SEMI, JoinKind.ANTI: JoinKind.RIGHT_ANTI}
"""The kinds of a join whose left input is the build side, after its inputs have changed places."""


@lower.register(JoinQueryOperation)
def lower_join(node: JoinQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    left, right = inputs
    kind = KINDS[node.join_type]
    schema = arrow_schema(node.resolved_schema, context)
    columns: Sequence[int] | None = None
    parts = split_condition(node.condition)
    is_built_left = bool(parts.left_keys) and kind in BUILT_LEFT and id(node) in context.built_left
    if is_built_left:
        if kind is JoinKind.LEFT:
            width = len(right.schema)
            columns = [*range(width, width + len(left.schema)), *range(width)]
        kind = BUILT_LEFT[kind]
        left, right, node = right, left, _exchanged(node)
        parts = split_condition(node.condition)
    condition = pair_filter(parts, (len(left.schema), len(right.schema)), context)
    if not parts.left_keys:
        from table_runtime.batch.joins.nested_loop_join import NestedLoopJoin  # few joins have no keys

        return NestedLoopJoin(left, right, kind, schema, condition)
    return HashJoin(
        left,
        right,
        kind,
        schema,
        Evaluator(parts.left_keys, context.evaluation).evaluate,
        Evaluator(parts.right_keys, context.evaluation).evaluate,
        parts.key_types,
        null_equal=parts.null_equal,
        condition=condition,
        text=", ".join(parts.texts),
        filters=runtime_filters(node, parts, context, drops_left=is_built_left),
        ranges=_ranges(parts, context),
        columns=columns,
    )


def _exchanged(node: JoinQueryOperation) -> JoinQueryOperation:
    """Returns a join with its inputs in each other's place; only the condition and the inputs of the result are of use."""
    condition = node.condition
    if condition is not None:
        condition = map_references(condition, lambda reference: replace(reference, input_index=1 - reference.input_index))
    return replace(node, left=node.right, right=node.left, condition=condition)


def _ranges(parts: JoinCondition, context: LoweringContext) -> RangeBounds | None:
    comparisons = [one for one in range_comparisons(parts.remaining) if is_ranged(to_arrow_type(one.left.output_type))]
    # Only values of one type have distances.
    comparisons = [one for one in comparisons if to_arrow_type(one.left.output_type) == to_arrow_type(comparisons[0].left.output_type)]
    if not comparisons:
        return None
    return RangeBounds(
        tuple(RangeBound(one.is_lower, one.includes_equal) for one in comparisons),
        Evaluator([one.left for one in comparisons], context.evaluation).evaluate,
        Evaluator([one.right for one in comparisons], context.evaluation).evaluate,
    )


def pair_filter(parts: JoinCondition, widths: tuple[int, int], context: LoweringContext) -> PairFilter | None:
    """Returns the residual condition of a join, None without one; ``widths`` are the numbers of columns of its inputs."""
    if not parts.remaining:
        return None
    evaluator = Evaluator(parts.remaining, context.evaluation, input_widths=widths)
    used = {column + (widths[0] if side else 0) for side, column in references(parts.remaining)}
    return PairFilter(evaluator.evaluate_filter, frozenset(used), " AND ".join(map(str, parts.remaining)))
