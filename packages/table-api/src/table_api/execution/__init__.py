"""Execution of statements: queries and INSERTs run on the planner, all other statements here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.execution.session import TableSession
    from table_api.execution.statements import execute_operation, execute_statement

__all__ = ["TableSession", "execute_operation", "execute_statement"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.execution.session": ("TableSession",),
        "table_api.execution.statements": ("execute_operation", "execute_statement"),
    },
)
