"""The registry of handlers of operations that run without a job; each file of this folder registers its own handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.tree import TypeDispatch

if TYPE_CHECKING:
    from table_api.execution.session import TableSession
    from table_api.table_result import TableResult

execute: TypeDispatch[[TableSession], TableResult] = TypeDispatch("A table environment", package="table_api.execution")
"""Operation class to its handler ``(operation, session) -> TableResult``."""
