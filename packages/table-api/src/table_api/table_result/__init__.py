"""Results of statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.table_result.closeable_iterator import CloseableIterator
    from table_api.table_result.live_table import LiveTable
    from table_api.table_result.result import ResultKind, TableResult

__all__ = ["CloseableIterator", "LiveTable", "ResultKind", "TableResult"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.table_result.closeable_iterator": ("CloseableIterator",),
        "table_api.table_result.live_table": ("LiveTable",),
        "table_api.table_result.result": ("ResultKind", "TableResult"),
    },
)
