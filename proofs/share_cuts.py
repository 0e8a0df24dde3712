"""Jobs in shares against the embedded engine: `python proofs/share_cuts.py [--count N] [--seed N]`.

An example is one to four random queries over random changelogs, as in `changelog_cuts.py`. Each plan is cut into levels and runs in 1, 3 and 64 shares, with epochs of 1, 7
and all rows of a source, its tasks pickled and their cells in a random order, state in files or kept in maps, and with another number of shares from some epoch on: the
final tables must be those of the embedded engine.
"""

from __future__ import annotations

import dataclasses
import pickle
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages/table-runtime/tests/streaming/shares"))
from in_process import InProcess, numbered
from random_changelogs.checking import checked_examples, run_checker
from random_changelogs.plans import MOST_QUERIES, Session, StreamingPlan, random_order, table_of
from random_changelogs.queries import random_query
from random_changelogs.tables import random_tables

from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.shares.mapped_state import MapFolder

__all__ = ["Checker", "main"]

SHARES = (1, 3, 64)
EPOCHS = (1, 7, None)
"""How many rows of a source an epoch has; None: all."""
MOST_EPOCHS = {1: 12, 3: 8, 64: 3}
"""The number of epochs of few rows before the rest is one epoch, by the number of shares."""


class Checker:
    """Runs examples in one session. ``found`` are the descriptions of the failures."""

    def __init__(self, folder: Path) -> None:
        self._session = Session(folder)
        self._shared = Session(folder, shares=True, mini_batch=True)
        self.found: list[str] = []
        self.checked: Counter[str] = Counter()

    def close(self) -> None:
        """Ends the sessions."""
        self._session.close()
        self._shared.close()

    def check(self, seed: int) -> int:
        """Checks the queries of a seed; returns 1, or 0 if they keep no state."""
        chance = random.Random(seed)
        is_set = chance.random() < 0.2
        queries = [random_query(chance, chance.randrange(1, 4)) for _ in range(chance.randrange(2, MOST_QUERIES + 1) if is_set else 1)]
        plan = StreamingPlan(chance.choice([self._session, self._shared]), queries)
        if not plan.keeps_state:
            return 0
        tables = random_tables(chance)
        inputs = plan.inputs(tables)
        expected = [table_of(changes) for changes in plan.run(inputs, random_order(chance, inputs))]
        shares, size = SHARES[seed % 3], EPOCHS[seed // 3 % 3]
        where = f"seed {seed}, {shares} shares, epochs of {size or 'all'} rows: {' | '.join(queries)}"
        try:
            found = self._run(plan.graph, inputs, chance, shares, size)
        except Exception as error:
            self.found.append(f"{type(error).__name__}: {error}: {where}")
            return 1
        self.checked[f"{shares} shares"] += 1
        self.checked[f"epochs of {size or 'all'} rows"] += 1
        self.checked["levels"] += self._levels
        if found != expected:
            self.found.append(f"another table: {where}\n  {found}\n  instead of\n  {expected}")
        return 1

    def _run(self, graph: Graph, inputs: list[Any], chance: random.Random, shares: int, size: int | None) -> list[Counter[tuple[Any, ...]]]:
        content = pickle.dumps(graph_of_tasks(graph))
        with tempfile.TemporaryDirectory() as folder:
            maps = MapFolder(f"{folder}/maps", 1 << 30) if chance.random() < 0.5 else None
            self.checked["with maps" if maps else "with files"] += 1
            job = InProcess(pickle.loads(content), shares, folder, map_folder=maps, chance=chance)
            self._levels = len(job.job.levels.levels)
            moves = chance.random() < 0.2
            starts = [0] * len(inputs)
            is_open = [True] * len(inputs)
            while any(is_open):
                rows, ends = {}, []
                for source in [number for number, each in enumerate(is_open) if each]:
                    left = inputs[source].num_rows - starts[source]
                    count = left if size is None or job.epoch >= MOST_EPOCHS[shares] else min(size, left)
                    part = inputs[source].slice(starts[source], count)
                    starts[source] += count
                    rows[source, "0"] = [numbered(part, has_kinds=graph.sources[source].has_kinds)]
                    if starts[source] == inputs[source].num_rows:
                        is_open[source] = False
                        ends.append(source)
                job.run(rows, ended=[(source, "0") for source in ends], ends=ends, now=1000 + job.epoch)
                if moves and job.epoch == 2 and any(is_open):
                    self.checked["another number of shares"] += 1
                    other = InProcess(pickle.loads(content), chance.choice(SHARES), folder, chance=chance, state=job.state)
                    other.results, other.epoch, job = job.results, job.epoch, other
            return [table_of(job.changes(output)) for output in range(len(job.results))]


def graph_of_tasks(graph: Graph) -> Graph:
    """Returns the graph without its scans, which tasks do not have."""
    return dataclasses.replace(graph, sources=[dataclasses.replace(source, scan=None) for source in graph.sources])


def examples(count: int, seed: int) -> Iterator[tuple[int, Checker]]:
    """Checks ``count`` examples; yields their number so far and the checker after each plan."""
    return checked_examples(Checker, count, seed)


def main() -> int:
    """Runs the program; returns 1 if a check fails."""
    return run_checker(__doc__, Checker)


if __name__ == "__main__":
    sys.exit(main())
