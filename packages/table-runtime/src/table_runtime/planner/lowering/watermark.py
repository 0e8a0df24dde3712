"""Lowers watermarks in plans that run on rows: no operator waits for a watermark, so the rows pass unchanged."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import WatermarkQueryOperation
from table_runtime.operators.operator import Operator
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower

__all__ = ["lower_watermark"]


@lower.register(WatermarkQueryOperation)
def lower_watermark(node: WatermarkQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    return child
