"""Lowers SELECT DISTINCT."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import DistinctQueryOperation
from table_runtime.operators.distinct import Distinct
from table_runtime.operators.operator import Operator
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.dispatch import lower


@lower.register(DistinctQueryOperation)
def lower_distinct(node: DistinctQueryOperation, inputs: Sequence[Operator], context: LoweringContext) -> Operator:
    (child,) = inputs
    return Distinct(child)
