"""Event time under batch boundaries: `python proofs/event_time_cuts.py [--count N] [--seed N]`.

An example is a random query of up to four operators over event time (windows, OVER, interval, versioned and window joins, deduplication, patterns, sorts)
and random tables. It is run with batches cut at random, in single rows, and with all state saved and restored after each batch: rows, kinds, order, and the
number of late rows of each operator must be those of uncut batches. Half of the tables have late rows and rows of one time; over the others no operator may
find a late row, and the final table must be that of batch mode. A plan is lowered once for ``RUNS`` examples.
"""

from __future__ import annotations

import difflib
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from random_changelogs.checking import checked_examples, run_checker
from random_changelogs.plans import (
    BatchPlan,
    Change,
    Piece,
    Session,
    StreamingPlan,
    cut_at_random,
    cut_into_rows,
    random_order,
    table_of,
)
from random_event_times.queries import VERSIONS, random_event_query
from random_event_times.tables import CREATE, EventTable, random_event_tables

from table_common.exceptions import TableError

__all__ = ["Checker", "main"]

RUNS = 4
"""The number of examples that use the same plans."""


class Checker:
    """Runs examples in one environment per mode. ``found`` are the descriptions of the failures."""

    def __init__(self, folder: Path) -> None:
        self._streaming = Session(folder, CREATE)
        self._streaming.execute(VERSIONS)
        self._batch = Session(folder, CREATE, streaming=False)
        self._batch.execute("SET 'table.exec.session-windows-in-batch' = 'true'")
        self.found: list[str] = []
        self.checked: Counter[str] = Counter()

    def close(self) -> None:
        """Ends the sessions."""
        self._streaming.close()
        self._batch.close()

    def check(self, seed: int) -> int:
        """Checks the query of a seed over ``RUNS`` random sets of tables; returns the number of examples, 0 if the query is refused."""
        chance = random.Random(seed)
        query = random_event_query(chance, chance.choice([0, 1, 1, 2, 3]))
        where = f"seed {seed}: {query.text}"
        try:
            plan = StreamingPlan(self._streaming, [query.text])
        except TableError as error:
            self.checked[f"refused: {str(error).splitlines()[0]}"] += 1
            return 0
        if not plan.keeps_state:  # the query is known to be empty
            self.checked["refused: a query that keeps no state"] += 1
            return 0
        batch = None if query.reference is None else BatchPlan(self._batch, query.reference)
        for number in range(RUNS):
            is_orderly = number % 2 == 1
            tables = random_event_tables(chance, is_orderly=is_orderly)
            self._check_cuts(plan, tables, chance, f"tables {number}, {where}", order_is_free=query.order_is_free)
            if is_orderly:
                late = self._check_orderly(plan, batch, tables, chance, f"tables {number}, {where}")
                if any(late) and not query.retracts:
                    self._report("late rows of orderly tables", f"tables {number}, {where}", late, [0] * len(late))
        return RUNS

    def _check_cuts(
        self, plan: StreamingPlan, tables: dict[str, EventTable], chance: random.Random, where: str, *, order_is_free: bool
    ) -> None:
        inputs = plan.inputs(tables)
        order = random_order(chance, inputs)
        expected = self._run(plan, tables, order)
        self.checked["runs with late rows"] += sum(expected[1]) > 0
        self.checked["runs with results"] += bool(expected[0])
        for text, pieces, restores in (
            ("random cuts", cut_at_random(chance, order), False),
            ("single rows", cut_into_rows(order) if chance.random() < 0.4 else None, False),
            ("restores", cut_at_random(chance, order, (0.0, 0.1, 0.3)), True),
        ):
            if pieces is not None:
                self.checked[text] += 1
                found = self._run(plan, tables, pieces, restores=restores)
                if found[1] != expected[1]:
                    self._report(f"late rows, {text}", where, found[1], expected[1])
                if found[0] != expected[0]:
                    is_other_order = Counter(found[0]) == Counter(expected[0])
                    if not (is_other_order and order_is_free):
                        self._report(f"order, {text}" if is_other_order else text, where, found[0], expected[0])

    def _check_orderly(
        self, plan: StreamingPlan, batch: BatchPlan | None, tables: dict[str, EventTable], chance: random.Random, where: str
    ) -> list[int]:
        """Compares the final table over rows that are never late with the result of batch mode; returns the late rows of each operator."""
        changes, late = self._run(plan, tables, random_order(chance, plan.inputs(tables)))
        if batch is not None:
            self.checked["batch mode"] += 1
            rows = batch.rows(tables)
            if table_of(changes) != rows:
                self._report(
                    "another table than in batch mode", where, *(sorted(found.elements(), key=repr) for found in (table_of(changes), rows))
                )
        return late

    def _run(
        self, plan: StreamingPlan, tables: dict[str, EventTable], pieces: Sequence[Piece], *, restores: bool = False
    ) -> tuple[list[Change], list[int]]:
        """Returns the changes and the late rows of each operator."""
        (changes,) = plan.run(plan.inputs(tables), pieces, restores=restores)
        return changes, plan.late_rows

    def _report(self, text: str, where: str, found: Iterable[object], expected: Iterable[object]) -> None:
        lines = difflib.unified_diff([repr(row) for row in expected], [repr(row) for row in found], "expected", "found", n=1, lineterm="")
        self.found.append("\n  ".join([f"{text}: {where}", *lines]))


def examples(count: int, seed: int) -> Iterator[tuple[int, Checker]]:
    """Checks ``count`` examples; yields their number so far and the checker after each plan."""
    return checked_examples(Checker, count, seed)


def main() -> int:
    """Runs the program; returns 1 if a check fails."""
    return run_checker(__doc__, Checker)


if __name__ == "__main__":
    sys.exit(main())
