"""Names of ``pyflink.table.resolved_expression``."""

from table_common.expressions import ResolvedExpression

__all__ = ["ResolvedExpression"]
