"""Lowers UNNEST."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import UnnestQueryOperation
from table_api.plan import node_details
from table_common.types import MapType, MultisetType, RowType, StructuredType
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator
from table_runtime.steps.pipeline import Pipeline
from table_runtime.steps.unnest import Elements, Unnest


@lower.register(UnnestQueryOperation)
def lower_unnest(node: UnnestQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    evaluator = Evaluator((node.expression,), context.evaluation)
    step = Unnest(
        arrow_schema(node.resolved_schema, context),
        evaluator.evaluate_in_slices,
        _elements(node),
        with_ordinality=node.with_ordinality,
        keeps_empty=node.keeps_empty,
        needs_order=evaluator.needs_order,
        text=node_details(node),
    )
    return Pipeline.over(child, step)


def _elements(node: UnnestQueryOperation) -> Elements:
    collection = node.expression.output_type
    if isinstance(collection, MapType):
        return Elements.ENTRIES
    is_row = isinstance(node.element_type(collection), (RowType, StructuredType))
    if isinstance(collection, MultisetType):
        return Elements.COUNTED_ROWS if is_row else Elements.COUNTED
    return Elements.ROWS if is_row else Elements.VALUES
