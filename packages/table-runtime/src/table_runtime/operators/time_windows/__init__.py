"""The kinds of windows of time, one file each."""

from table_runtime.operators.time_windows.assignment import AlignedWindows, Assignment
from table_runtime.operators.time_windows.cumulate import CumulateWindows
from table_runtime.operators.time_windows.hop import HopWindows
from table_runtime.operators.time_windows.tumble import TumbleWindows

__all__ = ["AlignedWindows", "Assignment", "CumulateWindows", "HopWindows", "TumbleWindows"]
