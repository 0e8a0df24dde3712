"""Lowers projections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from table_api.operations import FilterQueryOperation, ProjectQueryOperation
from table_common.expressions import FieldReferenceExpression, conjuncts
from table_runtime.expressions import Evaluator
from table_runtime.expressions.dictionary_columns import DictionaryColumns
from table_runtime.planner.context import LoweringContext, arrow_schema
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator
from table_runtime.steps.filter import Filter
from table_runtime.steps.pipeline import Pipeline
from table_runtime.steps.project import Project, ProjectInSlices
from table_runtime.steps.projection_text import projection_text


@lower.register(ProjectQueryOperation)
def lower_project(node: ProjectQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    schema = arrow_schema(node.resolved_schema, context)
    columns = [expression.field_index for expression in node.projection if isinstance(expression, FieldReferenceExpression)]
    if len(columns) == len(node.projection):
        selecting = child.selecting(columns, schema, f"Project(select=[{projection_text(node.projection, node.names)}])")
        if selecting is not None:
            return selecting
    text = partial(projection_text, node.projection, node.names)
    evaluator = Evaluator(node.projection, context.evaluation)
    if evaluator.makes_large_values:
        return Pipeline.over(child, ProjectInSlices(schema, evaluator.evaluate_in_slices, text, needs_order=evaluator.needs_order))
    dictionaries = DictionaryColumns(evaluator)
    project = Project(schema, evaluator.evaluate, text, needs_order=evaluator.needs_order, pass_dictionaries=dictionaries.allow)
    return _above_filter(node, child, project, context) or Pipeline.over(child, project)


def _above_filter(node: ProjectQueryOperation, child: Operator, project: Project, context: LoweringContext) -> Operator | None:
    """Returns the operator of a projection above a filter that evaluates both at once; None if they must be separate."""
    if not (isinstance(node.child, FilterQueryOperation) and isinstance(child, Pipeline) and isinstance(child.steps[-1], Filter)):
        return None
    conditions = conjuncts(node.child.condition)
    both = Evaluator((*conditions, *node.projection), context.evaluation)
    if both.needs_order or both.makes_large_values:
        return None
    compute = partial(both.evaluate_filtered, conditions=len(conditions))
    from table_runtime.steps.filter_project import FilterProject  # few plans

    return child.with_last_step(FilterProject(child.steps[-1], project, compute, DictionaryColumns(both, len(conditions)).allow))
