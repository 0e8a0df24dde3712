"""SELECT lists."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ProjectQueryOperation
from table_runtime.expressions import Evaluator
from table_runtime.operators.operator import Operator
from table_runtime.operators.pipeline import Pipeline
from table_runtime.operators.project import Project
from table_runtime.planner.lowering.dispatch import LoweringContext, arrow_schema, lower, node_text

__all__ = ["lower_project"]


@lower.register(ProjectQueryOperation)
def lower_project(node: ProjectQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    evaluator = Evaluator(node.projection, context.evaluation)
    text = node_text(node, "select").strip("[]").replace("'", "")
    return Pipeline.over(child, Project(arrow_schema(node.resolved_schema), evaluator.evaluate, text, needs_order=evaluator.needs_order))
