"""Lowers WHERE and HAVING."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FilterQueryOperation, WindowQueryOperation
from table_common.expressions import conjuncts, references
from table_runtime.expressions import Evaluator
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator
from table_runtime.steps.filter import Filter
from table_runtime.steps.pipeline import Pipeline


@lower.register(FilterQueryOperation)
def lower_filter(node: FilterQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    if isinstance(node.child, WindowQueryOperation):
        from table_runtime.planner.lowering.rank_limit import limited  # few filters are above a window

        child = limited(node, node.child, child)
    evaluator = Evaluator(conjuncts(node.condition), context.evaluation)
    used = {position for _, position in references([node.condition])}
    step = Filter(child.schema, evaluator.evaluate_filter, str(node.condition), needs_order=evaluator.needs_order, used=used)
    return Pipeline.over(child, step)
