"""Lowers watermarks, which a bounded query does not need."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import WatermarkQueryOperation
from table_planner_spark.context import LoweringContext
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.relation import SparkRelation


@lower.register(WatermarkQueryOperation)
def lower_watermark(node: WatermarkQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext) -> SparkRelation:
    """Returns the child unchanged."""
    (child,) = inputs
    return child
