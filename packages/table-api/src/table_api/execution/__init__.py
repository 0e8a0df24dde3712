"""Execution of statements: queries and INSERTs run on the planner, all other statements here."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .session: TableSession
    .statements: execute_operation execute_statement
    """,
)
