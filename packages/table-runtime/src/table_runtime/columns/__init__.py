"""Functions over columns and batches, which know nothing of expressions and plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.columns.batches import cast_to_schema, coalesce_batches, make_batch, rechunk
    from table_runtime.columns.ordering import SortKey

__all__ = ["SortKey", "cast_to_schema", "coalesce_batches", "make_batch", "rechunk"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.columns.batches": ("cast_to_schema", "coalesce_batches", "make_batch", "rechunk"),
        "table_runtime.columns.ordering": ("SortKey",),
    },
)
