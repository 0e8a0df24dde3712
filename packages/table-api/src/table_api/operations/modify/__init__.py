"""Operations that an engine executes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.operations.modify.collect import CollectModifyOperation
    from table_api.operations.modify.row_level import DeleteOperation, UpdateOperation
    from table_api.operations.modify.sink import SinkModifyOperation

__all__ = ["CollectModifyOperation", "DeleteOperation", "SinkModifyOperation", "UpdateOperation"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.operations.modify.collect": ("CollectModifyOperation",),
        "table_api.operations.modify.row_level": ("DeleteOperation", "UpdateOperation"),
        "table_api.operations.modify.sink": ("SinkModifyOperation",),
    },
)
