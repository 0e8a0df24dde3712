"""Evaluation of resolved expressions over Arrow record batches."""

from table_runtime.evaluation_context import EvaluationContext
from table_runtime.expressions.evaluator import Evaluator
from table_runtime.expressions.literal import to_arrow_scalar

__all__ = ["EvaluationContext", "Evaluator", "to_arrow_scalar"]
