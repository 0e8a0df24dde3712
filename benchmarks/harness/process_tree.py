"""The processor time and the memory of a process and all that it has started, from Linux's ``/proc``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["cpu_of_others", "memory_of"]

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PARENT, _TIMES, _PAGES = 1, slice(11, 15), 21
"""Places in /proc/<pid>/stat after the name: the parent, the times of the process and of its children that have ended, the resident pages."""


def cpu_of_others(process: int) -> float:
    """Returns the CPU-seconds of the processes that a process has started, directly or not."""
    return sum(sum(map(int, values[_TIMES])) for number, values in _tree(process) if number != process) / _TICKS


def memory_of(process: int) -> int:
    """Returns the resident bytes of a process and those that it has started; pages that they share count for each."""
    return sum(int(values[_PAGES]) for _, values in _tree(process)) * _PAGE


def _tree(process: int) -> Iterator[tuple[int, list[str]]]:
    found = dict(_processes())
    children: dict[int, list[int]] = {}
    for number, values in found.items():
        children.setdefault(int(values[_PARENT]), []).append(number)
    waiting = [process]
    while waiting:
        number = waiting.pop()
        if number in found:
            yield number, found[number]
        waiting += children.get(number, ())


def _processes() -> Iterator[tuple[int, list[str]]]:
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:  # it has ended meanwhile
            continue
        yield int(path.parent.name), text[text.rindex(")") + 2 :].split()
