"""Invariance under batch boundaries: `python proofs/changelog_cuts.py [--count N] [--seed N]`.

An example is one to four random queries of up to three operators over random changelogs, whose rows arrive source by source or in turns. A query is run with
each stretch of rows as one batch, with batches cut at random, in single rows, and with all state saved and restored after each batch: rows, kinds and order of
the result must be the same. With scans and subplans that several operators read, with mini-batches, and in statement sets, each also with restores, the final
tables must be the same. All of them must equal the result of batch mode, also over a table whose changes have only the key before the change. A plan is lowered once for ``RUNS`` examples. Some queries are also run over files.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from random_changelogs.checking import checked_examples, run_checker
from random_changelogs.plans import (
    MOST_QUERIES,
    BatchPlan,
    Session,
    StreamingPlan,
    cut_at_random,
    cut_into_rows,
    random_order,
    table_of,
)
from random_changelogs.queries import random_query, random_query_by_key
from random_changelogs.tables import RandomTable, random_tables

__all__ = ["Checker", "main"]

RUNS = 5
"""The number of examples that use the same plans."""


class Checker:
    """Runs examples in one environment per mode. ``found`` are the descriptions of the failures."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._each = Session(folder)
        self._shared = Session(folder, shares=True)
        self._net = Session(folder, shares=True, mini_batch=True)
        self._batch = Session(folder, streaming=False)
        self.found: list[str] = []
        self.checked: Counter[str] = Counter()

    def close(self) -> None:
        """Ends the sessions."""
        for session in (self._each, self._shared, self._net, self._batch):
            session.close()

    def check(self, seed: int) -> int:
        """Checks the queries of a seed over ``RUNS`` random sets of tables; returns the number of examples, 0 if the queries keep no state."""
        chance = random.Random(seed)
        is_set = chance.random() < 0.2
        queries = (
            [random_query(chance, chance.randrange(3)) for _ in range(chance.randrange(2, MOST_QUERIES + 1))]
            if is_set
            else [random_query_by_key(chance) if chance.random() < 0.25 else random_query(chance, chance.randrange(1, 4))]
        )
        plans = {
            "shared": StreamingPlan(self._shared, queries),
            "mini-batches": StreamingPlan(self._net, queries),
        }
        each = StreamingPlan(self._each, queries)
        if not each.keeps_state:
            return 0
        batch = [BatchPlan(self._batch, query) for query in queries]
        for number in range(RUNS):
            tables = random_tables(chance)
            where = f"seed {seed}, tables {number}: {' | '.join(queries)}"
            expected = [plan.rows(tables) for plan in batch]
            self._check_each(each, tables, expected, chance, where)
            for name, plan in plans.items():
                self._check_tables(name, plan, tables, expected, chance, where)
            if not number and seed % 20 == 0:
                self._check_files(queries, tables, expected, where)
        self.checked["statement sets" if is_set else "queries"] += RUNS
        return RUNS

    def _check_each(
        self,
        plan: StreamingPlan,
        tables: dict[str, RandomTable],
        expected: list[Counter[tuple[Any, ...]]],
        chance: random.Random,
        where: str,
    ) -> None:
        inputs = plan.inputs(tables)
        order = random_order(chance, inputs, in_turns=not plan.shares_nodes)
        changes = plan.run(inputs, order)
        if [table_of(part) for part in changes] != expected:
            self._report("another table than in batch mode", where, [table_of(part) for part in changes], expected)
        for text, pieces, restores in (
            ("random cuts", cut_at_random(chance, order), False),
            ("single rows", cut_into_rows(order) if chance.random() < 0.25 else None, False),
            ("restores", cut_at_random(chance, order, (0.0, 0.1, 0.3)), True),
        ):
            if pieces is not None:
                self.checked[text] += 1
                found = plan.run(inputs, pieces, restores=restores)
                if found != changes:
                    self._report(text, where, found, changes)

    def _check_tables(
        self,
        name: str,
        plan: StreamingPlan,
        tables: dict[str, RandomTable],
        expected: list[Counter[tuple[Any, ...]]],
        chance: random.Random,
        where: str,
    ) -> None:
        """Checks a plan whose changes, but not its tables, may depend on the cuts."""
        if not plan.keeps_state:
            return
        inputs = plan.inputs(tables)
        restores = chance.random() < 0.3
        order = random_order(chance, inputs)
        changes = plan.run(inputs, cut_at_random(chance, order, (0.0, 0.1) if restores else (0.1, 0.5)), restores=restores)
        self.checked[name + " with restores" * restores] += 1
        if [table_of(part) for part in changes] != expected:
            self._report(name + " with restores" * restores, where, [table_of(part) for part in changes], expected)

    def _check_files(
        self, queries: list[str], tables: dict[str, RandomTable], expected: list[Counter[tuple[Any, ...]]], where: str
    ) -> None:
        """Runs queries as users do."""
        for name, table in tables.items():
            (self._folder / f"{name}.json").write_text(table.lines(), encoding="utf-8")
        for query, rows in zip(queries, expected, strict=True):
            for session in (self._each, self._net, self._batch):
                self.checked["files"] += 1
                found = table_of(session.changes(query))
                if found != rows:
                    self._report("files", where, found, rows)

    def _report(self, text: str, where: str, found: object, expected: object) -> None:
        self.found.append(f"{text}: {where}\n  {found}\n  instead of\n  {expected}")


def examples(count: int, seed: int) -> Iterator[tuple[int, Checker]]:
    """Checks ``count`` examples; yields their number so far and the checker after each plan."""
    return checked_examples(Checker, count, seed)


def main() -> int:
    """Runs the program; returns 1 if a check fails."""
    return run_checker(__doc__, Checker)


if __name__ == "__main__":
    sys.exit(main())
