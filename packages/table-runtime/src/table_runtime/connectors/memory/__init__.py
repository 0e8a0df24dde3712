"""The connector ``memory``: tables of Arrow data in the memory of the process, with all abilities of the SPI for batch jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.connectors.memory.factory import MemoryTableFactory
    from table_runtime.connectors.memory.tables import drop_memory_table, put_memory_table, read_memory_table

__all__ = ["MemoryTableFactory", "drop_memory_table", "put_memory_table", "read_memory_table"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.connectors.memory.factory": ("MemoryTableFactory",),
        "table_runtime.connectors.memory.tables": ("drop_memory_table", "put_memory_table", "read_memory_table"),
    },
)
