"""What planners evaluate while they plan, by kernels: one body for every engine that has Arrow in its process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from table_common.expressions import ResolvedExpression, ValueLiteralExpression
from table_common.types import RowType
from table_runtime.evaluation_context import EvaluationContext
from table_runtime.expressions.constants import constant_value, has_literals, matching_rows

if TYPE_CHECKING:
    from table_common.connector.source import ComputedColumnConverter, WatermarkAssigner

__all__ = ["KernelExpressions"]


class KernelExpressions:
    """Is a ``table_api.delegation.ExpressionServices``; ``evaluation`` gives the context of the session as it is now."""

    def __init__(self, evaluation: Callable[[], EvaluationContext]) -> None:
        self._evaluation = evaluation

    def constant_value(self, expression: ResolvedExpression) -> ValueLiteralExpression | None:
        """Returns the value of an expression of literals, or None if computing it fails."""
        if not has_literals(expression.output_type):  # asked first: the context of the session takes longer
            return None
        return constant_value(expression, self._evaluation())

    def matching_rows(
        self, condition: ResolvedExpression, row_type: RowType, rows: Sequence[Sequence[str | bytes | None]]
    ) -> Sequence[bool] | None:
        """Returns for which rows a condition is TRUE, or None if computing it fails for a row."""
        return matching_rows(condition, row_type, rows, self._evaluation())

    def computed_column_converter(
        self, input_type: RowType, expressions: Sequence[ResolvedExpression], produced_type: RowType
    ) -> ComputedColumnConverter | None:
        """Returns what adds columns to rows, or None if an expression cannot be computed in a source."""
        from table_runtime.sources import computed_column_converter  # few tables need it

        return computed_column_converter(input_type, expressions, produced_type, self._evaluation())

    def watermark_assigner(self, input_type: RowType, expression: ResolvedExpression) -> WatermarkAssigner | None:
        """Returns what makes watermarks of rows, or None if the expression cannot be computed in a source."""
        from table_runtime.sources import watermark_assigner

        return watermark_assigner(input_type, expression, self._evaluation())
