"""Converts syntax trees to operations: looks names up, resolves expressions, reads options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.sql.conversion.statement import convert_statement

__all__ = ["convert_statement"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.sql.conversion.statement": ("convert_statement",),
    },
)
