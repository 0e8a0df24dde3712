"""Lowers the collection of a query's result rows."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import CollectModifyOperation
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator
from table_runtime.sinks.collect import Collect
from table_runtime.steps.pipeline import Pipeline


@lower.register(CollectModifyOperation)
def lower_collect(node: CollectModifyOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    schema = arrow_schema(node.child.resolved_schema, context)
    required = [index for index, field in enumerate(schema) if not field.nullable]
    if required:
        from table_runtime.steps.not_null import NotNull  # few results need it

        child = Pipeline.over(child, NotNull(schema, required, "the result"))
    return Collect(child, schema)
