"""Runs a checker over examples, from the command line or from a test."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

__all__ = ["Checker", "checked_examples", "run_checker"]

_SHOWN = 500
"""How often the number of examples is printed, in examples."""


class Checker(Protocol):
    """Checks the examples of a seed."""

    found: list[str]
    """The descriptions of the failures."""
    checked: Counter[str]
    """What was checked, and how often."""

    def check(self, seed: int) -> int:
        """Checks the examples of a seed; returns their number."""

    def close(self) -> None:
        """Ends the sessions."""


_C = TypeVar("_C", bound=Checker)


def checked_examples(make: Callable[[Path], _C], count: int, seed: int) -> Iterator[tuple[int, _C]]:
    """Checks ``count`` examples with a checker in a temporary folder; yields their number so far and the checker after each seed."""
    with tempfile.TemporaryDirectory() as name:
        checker = make(Path(name))
        checked = 0
        while checked < count:
            checked += checker.check(seed)
            seed += 1
            yield checked, checker
        checker.close()


def run_checker(description: str | None, make: Callable[[Path], Checker]) -> int:
    """Runs a checker with the arguments of the program; prints failures as they are found and what was checked; returns 1 if a check fails."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    printed = checked = shown = 0
    totals: Counter[str] = Counter()
    for checked, checker in checked_examples(make, arguments.count, arguments.seed):
        totals = checker.checked
        if len(checker.found) > printed:
            print(*checker.found[printed:], sep="\n", flush=True)
            printed = len(checker.found)
        if checked // _SHOWN > shown:
            shown = checked // _SHOWN
            print(f"{checked} examples, {printed} wrong, {time.process_time():.0f} s", flush=True)
    print(f"{checked} examples, {printed} wrong, {time.process_time():.0f} s of processor time")
    print(*(f"{text}: {number}" for text, number in sorted(totals.items())), sep=", ")
    return 1 if printed else 0
