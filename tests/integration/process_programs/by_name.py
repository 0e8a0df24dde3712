"""Process table functions of Flink's test programs, by the name of the program's class."""

from __future__ import annotations

from typing import Any

from process_programs import plain, states, times

__all__ = ["process_function"]


def process_function(name: str) -> Any:
    """Returns the function of a class of Flink's programs."""
    return next(vars(module)[name]() for module in (plain, times, states) if name in vars(module))
