"""Window functions (OVER): rows sorted into partitions, frames as ranges of positions, one file per family of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.operators.over.frames import Bound, Frame, Frames, make_frames
    from table_runtime.operators.over.sorted_rows import SortedRows
    from table_runtime.operators.over.window_function import WindowFunction

__all__ = ["Bound", "Frame", "Frames", "SortedRows", "WindowFunction", "make_frames"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.operators.over.frames": ("Bound", "Frame", "Frames", "make_frames"),
        "table_runtime.operators.over.sorted_rows": ("SortedRows",),
        "table_runtime.operators.over.window_function": ("WindowFunction",),
    },
)
