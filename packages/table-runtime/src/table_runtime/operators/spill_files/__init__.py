"""The temporary files to which operators spill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.operators.spill_files.file import SpillFile, StoredBatch, StoredRows
    from table_runtime.operators.spill_files.files import SpillFiles

__all__ = ["SpillFile", "SpillFiles", "StoredBatch", "StoredRows"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.operators.spill_files.file": ("SpillFile", "StoredBatch", "StoredRows"),
        "table_runtime.operators.spill_files.files": ("SpillFiles",),
    },
)
