"""Lowers SELECT DISTINCT."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import DistinctQueryOperation
from table_runtime.batch.set_operations.distinct import Distinct
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower
from table_runtime.run.operator import Operator


@lower.register(DistinctQueryOperation)
def lower_distinct(node: DistinctQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    return Distinct(child)
