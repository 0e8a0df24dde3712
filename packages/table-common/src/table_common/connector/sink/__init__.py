"""Table sinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.sink.dynamic import DynamicTableSink

__all__ = ["DynamicTableSink"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.sink.dynamic": ("DynamicTableSink",),
    },
)
