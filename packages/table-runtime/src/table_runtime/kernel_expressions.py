"""Evaluates expressions at planning time with Arrow kernels, for every engine that runs in a process with Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from table_common.expressions import ResolvedExpression, ValueLiteralExpression
from table_common.types import RowType
from table_runtime.evaluation_context import EvaluationContext

if TYPE_CHECKING:
    from table_common.connector.source import ComputedColumnConverter, WatermarkAssigner

__all__ = ["KernelExpressions"]


class KernelExpressions:
    """Implements ``table_api.delegation.ExpressionServices``; ``evaluation`` returns the session's current evaluation context."""

    def __init__(self, evaluation: Callable[[], EvaluationContext]) -> None:
        self._evaluation = evaluation

    def constant_value(self, expression: ResolvedExpression) -> ValueLiteralExpression | None:
        """Returns the value of a constant expression, or None if evaluation fails."""
        from table_runtime.expressions.constants import constant_value, has_literals  # few plans need it

        if not has_literals(expression.output_type):  # checked first: creating the session's context takes longer
            return None
        return constant_value(expression, self._evaluation())

    def matching_rows(
        self, condition: ResolvedExpression, row_type: RowType, rows: Sequence[Sequence[str | bytes | None]]
    ) -> Sequence[bool] | None:
        """Returns for which rows a condition is TRUE, or None if evaluation fails for a row."""
        from table_runtime.expressions.constants import matching_rows  # few plans need it

        return matching_rows(condition, row_type, rows, self._evaluation())

    def computed_column_converter(
        self, input_type: RowType, expressions: Sequence[ResolvedExpression], produced_type: RowType
    ) -> ComputedColumnConverter | None:
        """Returns a converter that adds computed columns to rows, or None if an expression cannot be evaluated in a source."""
        from table_runtime.sources import computed_column_converter  # few tables need it

        return computed_column_converter(input_type, expressions, produced_type, self._evaluation())

    def watermark_assigner(self, input_type: RowType, expression: ResolvedExpression) -> WatermarkAssigner | None:
        """Returns a watermark assigner, or None if the expression cannot be evaluated in a source."""
        from table_runtime.sources import watermark_assigner

        return watermark_assigner(input_type, expression, self._evaluation())
