"""Converts syntax trees to operations: looks names up, resolves expressions, reads options."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .statement: convert_statement
    """,
)
