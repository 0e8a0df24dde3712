"""What a table sink may be able to do beyond being written; declaring one is a promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.connector.sink.abilities.overwrite import SupportsOverwrite
    from table_common.connector.sink.abilities.partitioning import SupportsPartitioning

__all__ = ["SupportsOverwrite", "SupportsPartitioning"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.connector.sink.abilities.overwrite": ("SupportsOverwrite",),
        "table_common.connector.sink.abilities.partitioning": ("SupportsPartitioning",),
    },
)
