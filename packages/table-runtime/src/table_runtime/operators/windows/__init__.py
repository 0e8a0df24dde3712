"""Functions over windows of rows: rows sorted into partitions, frames as ranges of positions, one file per family of functions."""

from table_runtime.operators.windows.frames import Bound, Frame, Frames, make_frames
from table_runtime.operators.windows.sorted_rows import SortedRows
from table_runtime.operators.windows.window_function import WindowFunction

__all__ = ["Bound", "Frame", "Frames", "SortedRows", "WindowFunction", "make_frames"]
