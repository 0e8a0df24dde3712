"""The handlers of operations that need no job; a file of this folder for each family registers its own."""

from __future__ import annotations

from collections.abc import Callable

from table_api.table_result import TableResult
from table_common.tree import TypeDispatch

__all__ = ["execute"]

execute: TypeDispatch[Callable[..., TableResult]] = TypeDispatch("A table environment")
"""Operation class to its handler ``(operation, session) -> TableResult``."""
