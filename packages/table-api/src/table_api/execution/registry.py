"""The handlers of operations that need no job; the file of this folder that is named as that of the operation, or as its folder, registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.tree import TypeDispatch

if TYPE_CHECKING:
    from table_api.execution.session import TableSession
    from table_api.table_result import TableResult

__all__ = ["execute"]

execute: TypeDispatch[[TableSession], TableResult] = TypeDispatch("A table environment", package="table_api.execution")
"""Operation class to its handler ``(operation, session) -> TableResult``."""
