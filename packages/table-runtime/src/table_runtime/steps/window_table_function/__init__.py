"""Time windows: TUMBLE, HOP, CUMULATE and SESSION, one file each."""

from table_runtime.steps.window_table_function.assignment import AlignedWindows, Assignment
from table_runtime.steps.window_table_function.cumulate import CumulateWindows
from table_runtime.steps.window_table_function.hop import HopWindows
from table_runtime.steps.window_table_function.tumble import TumbleWindows

__all__ = ["AlignedWindows", "Assignment", "CumulateWindows", "HopWindows", "TumbleWindows"]
