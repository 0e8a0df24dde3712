"""The handlers of operations that need no job; the file of this folder that is named as that of the operation, or as its folder, registers them."""

from __future__ import annotations

from collections.abc import Callable

from table_api.table_result import TableResult
from table_common.tree import TypeDispatch

__all__ = ["execute"]

execute: TypeDispatch[Callable[..., TableResult]] = TypeDispatch("A table environment", package="table_api.execution")
"""Operation class to its handler ``(operation, session) -> TableResult``."""
