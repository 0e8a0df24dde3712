"""Tracebacks as notebooks show them: the frames of the program, and the message last."""

from __future__ import annotations

import traceback
from itertools import groupby
from types import FrameType

_ENGINES = ("pyarrow", "pyspark", "py4j", "threading", "concurrent")


def short_traceback(error: BaseException) -> list[str]:
    """Returns the lines of a traceback in which each run of library frames is one line; causes are left out, because the message has what they say."""
    lines = ["Traceback (most recent call last):"]
    frames = [frame for frame in traceback.walk_tb(error.__traceback__) if _package_of(frame[0]) != "IPython"]
    for is_library, group in groupby(frames, lambda frame: _is_library(frame[0])):
        run = list(group)
        if is_library:
            lines.append(f"  … {len(run)} {'frame' if len(run) == 1 else 'frames'} of the library")
        else:
            lines += "".join(traceback.StackSummary.extract(iter(run)).format()).splitlines()
    name = type(error).__qualname__ if type(error).__module__ == "builtins" else f"{type(error).__module__}.{type(error).__qualname__}"
    return [*lines, *f"{name}: {error}".splitlines()]


def _is_library(frame: FrameType) -> bool:
    package = _package_of(frame)
    return package.startswith("table_") or package in _ENGINES


def _package_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
