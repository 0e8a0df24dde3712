"""The kinds of windows, listed."""

from __future__ import annotations

from table_api.operations.windows.assigner import WindowAssigner
from table_api.operations.windows.cumulate import CumulateWindow
from table_api.operations.windows.hop import HopWindow
from table_api.operations.windows.session import SessionWindow
from table_api.operations.windows.tumble import TumbleWindow

WINDOW_ASSIGNERS: tuple[type[WindowAssigner], ...] = (TumbleWindow, HopWindow, CumulateWindow, SessionWindow)
"""Every kind of window that an engine lowers."""
