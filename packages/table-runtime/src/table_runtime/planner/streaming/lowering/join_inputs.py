"""The inputs of joins: their rows, and the keys by which rows of both are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from table_api.operations import JoinQueryOperation, VersionedJoinQueryOperation
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_runtime.batch.joins.join_output import PairFilter
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.join import pair_filter
from table_runtime.planner.lowering.join_condition import JoinCondition, split_condition
from table_runtime.planner.streaming.lowering.dispatch import StreamContext
from table_runtime.streaming.operators.join import JoinSide


class JoinInputs(NamedTuple):
    """Both inputs, the equalities of the condition, and the filter of pairs for the rest of it."""

    sides: tuple[JoinSide, JoinSide]
    keys: JoinCondition
    condition: PairFilter | None


def join_inputs(node: JoinQueryOperation | VersionedJoinQueryOperation, context: StreamContext) -> JoinInputs:
    """Returns the inputs of a join that identifies rows by all columns where they are retracted."""
    lowering = context.lowering
    keys = split_condition(node.condition)
    left, right = (
        JoinSide(
            arrow_schema(child.resolved_schema, lowering),
            Evaluator(expressions, lowering.evaluation).evaluate,
            has_retractions=not context.changes_of(child).is_insert_only,
            key=context.key_of(child),
            columns=plain_columns(expressions),
        )
        for child, expressions in zip((node.left, node.right), (keys.left_keys, keys.right_keys), strict=True)
    )
    return JoinInputs((left, right), keys, pair_filter(keys, (len(left.schema), len(right.schema)), lowering))


def plain_columns(expressions: Sequence[ResolvedExpression]) -> list[int] | None:
    """Returns the positions of the columns that expressions are; None if one computes something."""
    columns = [
        expression.field_index
        for expression in expressions
        if isinstance(expression, FieldReferenceExpression) and not expression.input_index
    ]
    return columns if len(columns) == len(expressions) else None
