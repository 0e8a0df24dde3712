"""The kinds of windows of time, one file each."""

from table_api.operations.windows.assigner import MAX_WINDOWS, WindowAssigner
from table_api.operations.windows.cumulate import CumulateWindow
from table_api.operations.windows.emission import WindowEmission
from table_api.operations.windows.hop import HopWindow
from table_api.operations.windows.session import SessionWindow
from table_api.operations.windows.tumble import TumbleWindow

WINDOW_ASSIGNERS: tuple[type[WindowAssigner], ...] = (TumbleWindow, HopWindow, CumulateWindow, SessionWindow)
"""Every kind of window that an engine lowers."""

__all__ = [
    "MAX_WINDOWS",
    "WINDOW_ASSIGNERS",
    "CumulateWindow",
    "HopWindow",
    "SessionWindow",
    "TumbleWindow",
    "WindowAssigner",
    "WindowEmission",
]
