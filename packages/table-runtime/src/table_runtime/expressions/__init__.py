"""Evaluation of resolved expressions over Arrow record batches."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    table_runtime.evaluation_context: EvaluationContext
    .constants: constant_value matching_rows
    .evaluator: Evaluator
    .literal: constant_column to_arrow_scalar
    """,
)
