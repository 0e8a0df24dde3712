"""What shared rewrites need of an engine's expressions while they plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from table_common.expressions import ResolvedExpression, ValueLiteralExpression

if TYPE_CHECKING:
    from table_common.connector.source import ComputedColumnConverter, WatermarkAssigner
    from table_common.types import RowType

__all__ = ["ExpressionServices", "NoExpressionServices"]


class ExpressionServices(Protocol):
    """Evaluates expressions while a statement is planned.

    ``table_runtime.kernel_expressions.KernelExpressions`` does it by the kernels of Arrow, for every engine that has them in its process.
    """

    def constant_value(self, expression: ResolvedExpression) -> ValueLiteralExpression | None:
        """Returns the value of an expression of literals and deterministic built-in functions, as a literal of the expression's type.

        None if the engine does not compute it while it plans, or if computing it fails: the query then fails when a row gets there.
        """
        return None

    def matching_rows(
        self, condition: ResolvedExpression, row_type: RowType, rows: Sequence[Sequence[str | bytes | None]]
    ) -> Sequence[bool] | None:
        """Returns for which rows a condition of deterministic built-in functions is TRUE; columns are nullable STRING or BYTES, referenced by position.

        None if the engine does not compute it while it plans, or if computing it fails for a row.
        """
        return None

    def computed_column_converter(
        self, input_type: RowType, expressions: Sequence[ResolvedExpression], produced_type: RowType
    ) -> ComputedColumnConverter | None:
        """Returns what a source is given to add columns to its rows: those of ``input_type``, followed by the expressions over them.

        None if the engine cannot compute one of them in a source; it then computes them above the scan.
        """
        return None

    def watermark_assigner(self, input_type: RowType, expression: ResolvedExpression) -> WatermarkAssigner | None:
        """Returns what a source is given to make watermarks of its rows: the greatest value of the expression so far.

        None if the engine cannot compute it in a source.
        """
        return None


class NoExpressionServices(ExpressionServices):
    """Evaluates nothing, which leaves all expressions to the engine's run."""
