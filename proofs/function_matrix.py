"""All built-in functions and casts with edge values on both engines: `python proofs/function_matrix.py [--count N] [--seed N] [--function NAME]`.

Cells are generated from the definitions of the functions (`table_common/functions/builtin`): a function, edge values of types that it takes (NULL,
-0.0, NaN, infinities, extremes, 38 digits, a leap day, the years 1 and 9999, local times that four zones leave out or have twice, astral
characters, empty texts), as constants, as columns, or nested in a row and an array. Casts are generated for all pairs of types. Both engines return
equal values, or errors of this project. `tests/conformance/engine_matrix.toml` declares the differences that remain, with reasons.

The embedded engine computes each cell alone. Spark computes many cells in one query, which is bisected if it fails or has another value.
"""

from __future__ import annotations

import argparse
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from engine_matrix.cells import Cell, casts_of, cells_of, functions
from engine_matrix.comparison import Answer, Declared, Engine, differs
from engine_matrix.edge_values import ZONES

DECLARED = Path(__file__).parents[1] / "tests/conformance/engine_matrix.toml"
_BATCH = 40

__all__ = ["Run", "compare", "declared", "main"]


class Run:
    """The counts and the differences of a run."""

    def __init__(self, ours: Engine, theirs: Engine, groups: Sequence[Declared]) -> None:
        self.ours, self.theirs, self.groups = ours, theirs, groups
        self.counts: Counter[str] = Counter()
        self.by_function: Counter[str] = Counter()
        self.found: list[str] = []

    def summary(self) -> str:
        """Returns the number of cells by outcome."""
        return ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))

    def compare(self, cells: Sequence[Cell], errors: int) -> None:
        """Compares cells of one time zone; at most ``errors`` of those that are errors on the embedded engine, each in a query of its own."""
        values: list[tuple[Cell, Answer]] = []
        for cell in cells:
            answer = self.ours.answer(cell)
            if answer.is_refused:
                self.counts["refused by the analyzer"] += 1
                continue
            self.by_function[cell.function] += 1
            if answer.error is None:
                values.append((cell, answer))
            elif errors > 0:
                errors -= 1
                self._judge(cell, answer, self.theirs.answer(cell))
            else:
                self.counts["errors of the embedded engine alone"] += 1
                self._judge(cell, answer, answer)
        for start in range(0, len(values), _BATCH):
            self._together(values[start : start + _BATCH])

    def _together(self, cells: Sequence[tuple[Cell, Answer]]) -> None:
        answers = self.theirs.answers([cell for cell, _ in cells])
        if answers is None and len(cells) > 1:
            middle = len(cells) // 2
            self._together(cells[:middle])
            self._together(cells[middle:])
            return
        found = answers or [self.theirs.answer(cells[0][0])]
        for (cell, ours), theirs in zip(cells, found, strict=True):
            self._judge(cell, ours, theirs)

    def _judge(self, cell: Cell, ours: Answer, theirs: Answer) -> None:
        self.counts["compared"] += 1
        reason = differs(ours, theirs)
        if reason is None:
            return
        if any(group.covers(cell, reason) for group in self.groups):
            self.counts["declared"] += 1
            return
        self.counts["different"] += 1
        self.found.append(f"{reason}: {cell}\n  embedded {ours}\n  spark    {theirs}")
        print(self.found[-1], flush=True)


def declared() -> list[Declared]:
    """Returns the declared differences."""
    groups = tomllib.loads(DECLARED.read_text(encoding="utf-8"))["group"]
    return [Declared(group["reason"], group["functions"], group.get("matches", "")) for group in groups]


def compare(seed: int, *, count: int, errors: int, casts: int, names: Sequence[str] = (), external: Any = None) -> Run:
    """Compares ``count`` cells per function and ``casts`` casts; ``errors`` as in ``Run.compare``, per time zone."""
    generator = random.Random(seed)
    zones = ("UTC", *ZONES)
    cells = [] if names else list(casts_of(generator, casts, zones))
    for function in functions():
        if not names or function.name in names:
            cells += cells_of(function, generator, count, zones)
    run = Run(Engine("arrow"), Engine("spark", external), declared())
    try:
        for zone in zones:
            for engine in (run.ours, run.theirs):
                engine.use_zone(zone)
            run.compare([cell for cell in cells if cell.zone == zone], errors)
    finally:
        run.ours.close()
        run.theirs.close()
    return run


def main() -> int:
    """Runs the program; 1 if there are differences that are not declared."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="cells per function")
    parser.add_argument("--casts", type=int, default=3000)
    parser.add_argument("--errors", type=int, default=300, help="errors of the embedded engine that Spark must have too, per time zone")
    parser.add_argument("--function", action="append", default=[])
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    run = compare(arguments.seed, count=arguments.count, errors=arguments.errors, casts=arguments.casts, names=arguments.function)
    print(run.summary())
    missing = {one.name for one in functions()} - set(run.by_function)
    if missing and not arguments.function:
        print("without cells:", ", ".join(sorted(missing)))
    return 1 if run.counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
