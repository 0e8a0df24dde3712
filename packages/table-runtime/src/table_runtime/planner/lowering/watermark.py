"""Lowers watermarks in plans that run on rows: no operator waits for a watermark, so only the times are checked."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import QueryOperation, SourceQueryOperation, WatermarkQueryOperation
from table_common.tree import nodes_of
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator
from table_runtime.steps.pipeline import Pipeline
from table_runtime.steps.time_check import TimeCheck


@lower.register(WatermarkQueryOperation)
def lower_watermark(node: WatermarkQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    scan = next(iter(nodes_of(node, QueryOperation, SourceQueryOperation)), None)
    table = "" if scan is None else scan.table.identifier.as_summary_string()
    return Pipeline.over(child, TimeCheck(child.schema, node.rowtime.field_index, table, f"rowtime=[{node.rowtime.name}]"))
