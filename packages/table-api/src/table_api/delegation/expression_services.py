"""Evaluation of expressions during planning, which engines offer to the shared rewrite rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from table_common.expressions import ResolvedExpression, ValueLiteralExpression

if TYPE_CHECKING:
    from table_common.connector.source import ComputedColumnConverter, WatermarkAssigner
    from table_common.types import RowType


class ExpressionServices(Protocol):
    """Evaluates expressions while a statement is planned.

    ``table_runtime.kernel_expressions.KernelExpressions`` implements it with Arrow kernels, for every engine.

    Example:
        >>> class Nothing(ExpressionServices):
        ...     pass
        >>> Nothing().constant_value(None) is None
        True
    """

    def constant_value(self, expression: ResolvedExpression) -> ValueLiteralExpression | None:
        """Returns the value of an expression of literals and deterministic built-in functions, as a literal of the expression's type.

        None if the engine does not evaluate it while planning, or if the evaluation fails: the query then fails when a row reaches it.
        """
        return None

    def matching_rows(
        self, condition: ResolvedExpression, row_type: RowType, rows: Sequence[Sequence[str | bytes | None]]
    ) -> Sequence[bool] | None:
        """Returns a flag per row: whether a condition of deterministic built-in functions is TRUE. Columns are nullable STRING or BYTES.

        None if the engine does not evaluate it while planning, or if the evaluation fails for a row.
        """
        return None

    def computed_column_converter(
        self, input_type: RowType, expressions: Sequence[ResolvedExpression], produced_type: RowType
    ) -> ComputedColumnConverter | None:
        """Returns the converter by which a source adds computed columns after the columns of ``input_type``.

        None if the engine cannot evaluate one of them in a source; they are then computed above the scan.
        """
        return None

    def watermark_assigner(self, input_type: RowType, expression: ResolvedExpression) -> WatermarkAssigner | None:
        """Returns the assigner by which a source generates watermarks: the greatest value of the expression so far.

        None if the engine cannot evaluate it in a source.
        """
        return None


class NoExpressionServices(ExpressionServices):
    """Evaluates nothing: all expressions are left to the execution.

    Example:
        >>> NoExpressionServices().watermark_assigner(None, None) is None
        True
    """
