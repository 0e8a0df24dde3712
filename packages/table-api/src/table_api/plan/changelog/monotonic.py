"""Monotonicity of columns over the updates of a row."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    AggregateQueryOperation,
    FilterQueryOperation,
    ProjectQueryOperation,
    WatermarkQueryOperation,
)
from table_api.operations.changelog import DropUpdateBeforeQueryOperation, ModifyKind, ModifyKindSet
from table_api.operations.operation import QueryOperation
from table_common.expressions import FieldReferenceExpression
from table_common.functions import Monotonicity
from table_common.tree import TypeDispatch

__all__ = ["monotonicity"]


_rules: TypeDispatch[[Sequence[Sequence[Monotonicity]], Sequence[ModifyKindSet]], Sequence[Monotonicity]] = TypeDispatch("Monotonicity")


def monotonicity(
    node: QueryOperation, inputs: Sequence[Sequence[Monotonicity]], kinds: Sequence[ModifyKindSet], given: ModifyKindSet
) -> Sequence[Monotonicity]:
    """Returns the monotonicity of each column of a node, from the columns of its inputs and their kinds of changes.

    The columns of an insert-only node are constant. A column of unknown monotonicity is not monotonic.
    """
    width = len(node.resolved_schema.columns)
    if ModifyKind.UPDATE not in given:
        return (Monotonicity.CONSTANT,) * width
    if _rules.missing([type(node)]):
        return (Monotonicity.NOT_MONOTONIC,) * width
    return _rules(node, inputs, kinds)


def _same(node: QueryOperation, inputs: Sequence[Sequence[Monotonicity]], kinds: Sequence[ModifyKindSet]) -> Sequence[Monotonicity]:
    return inputs[0]


for _transparent in (FilterQueryOperation, WatermarkQueryOperation, DropUpdateBeforeQueryOperation):
    _rules.register(_transparent)(_same)


@_rules.register(ProjectQueryOperation)
def _project(
    node: ProjectQueryOperation, inputs: Sequence[Sequence[Monotonicity]], kinds: Sequence[ModifyKindSet]
) -> Sequence[Monotonicity]:
    return tuple(
        inputs[0][expression.field_index] if isinstance(expression, FieldReferenceExpression) else Monotonicity.NOT_MONOTONIC
        for expression in node.projection
    )


@_rules.register(AggregateQueryOperation)
def _aggregate(
    node: AggregateQueryOperation, inputs: Sequence[Sequence[Monotonicity]], kinds: Sequence[ModifyKindSet]
) -> Sequence[Monotonicity]:
    keys = [Monotonicity.CONSTANT] * len(node.grouping)
    is_growing = kinds[0] <= {ModifyKind.INSERT}
    calls = [call.function.aggregate_traits.monotonicity if is_growing else Monotonicity.NOT_MONOTONIC for call in node.aggregates]
    extra = [Monotonicity.CONSTANT] * (node.grouping_sets is not None)
    return (*keys, *calls, *extra)
