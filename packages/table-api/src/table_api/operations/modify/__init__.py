"""Operations that an engine executes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_api.operations.modify.sink import CollectModifyOperation, ModifyOperation, SinkModifyOperation

__all__ = ["CollectModifyOperation", "ModifyOperation", "SinkModifyOperation"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_api.operations.modify.sink": ("CollectModifyOperation", "ModifyOperation", "SinkModifyOperation"),
    },
)
