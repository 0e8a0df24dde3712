"""Evaluation of resolved expressions over Arrow record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.evaluation_context import EvaluationContext
    from table_runtime.expressions.constants import constant_value, matching_rows
    from table_runtime.expressions.evaluator import Evaluator
    from table_runtime.expressions.literal import constant_column, to_arrow_scalar

__all__ = ["EvaluationContext", "Evaluator", "constant_column", "constant_value", "matching_rows", "to_arrow_scalar"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.evaluation_context": ("EvaluationContext",),
        "table_runtime.expressions.constants": ("constant_value", "matching_rows"),
        "table_runtime.expressions.evaluator": ("Evaluator",),
        "table_runtime.expressions.literal": ("constant_column", "to_arrow_scalar"),
    },
)
