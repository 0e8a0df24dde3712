"""Streaming jobs on Spark against the embedded engine: `python proofs/spark_changelogs.py [--count N] [--seed N]`.

An example is a random query over random changelogs in files, as in `changelog_cuts.py`. Spark runs it in 1, 3 or 8 shares, now and then in 64, with epochs of 7 and of all rows
of a source, and with state in maps or in files: the final table must be that of the embedded engine.
"""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from random_changelogs.checking import run_checker
from random_changelogs.plans import Session, StreamingPlan, random_order, table_of
from random_changelogs.queries import random_query
from random_changelogs.tables import random_tables

SHARES = ("1", "3", "8")
MANY_SHARES, MANY_EVERY = "64", 20
EPOCHS = ("7", "1000000")
"""How many rows of a source an epoch has."""


class Checker:
    """Runs examples in one session of each engine. ``found`` are the descriptions of the failures."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._session = Session(folder)
        self._spark = Session(folder, planner="spark")
        self._spark.set("table.exec.sink.commit-interval", "1 ms")
        self.found: list[str] = []
        self.checked: Counter[str] = Counter()

    def close(self) -> None:
        """Ends the sessions."""
        self._session.close()
        self._spark.close()

    def check(self, seed: int) -> int:
        """Checks the query of a seed; returns 1, or 0 if it keeps no state."""
        chance = random.Random(seed)
        query = random_query(chance, chance.randrange(1, 4))
        plan = StreamingPlan(self._session, [query])
        if not plan.keeps_state:
            return 0
        tables = random_tables(chance)
        inputs = plan.inputs(tables)
        (changes,) = plan.run(inputs, random_order(chance, inputs))
        for name, table in tables.items():
            (self._folder / f"{name}.json").write_text(table.lines(), encoding="utf-8")
        shares = MANY_SHARES if seed % MANY_EVERY == 0 else chance.choice(SHARES)
        options = {
            "table.exec.spark.state-shares": shares,
            "table.exec.spark.max-rows-per-epoch": EPOCHS[seed % 2],
            "table.exec.spark.state-cache": chance.choice(["0", "1 gb"]),
        }
        for key, value in options.items():
            self._spark.set(key, value)
        where = f"seed {seed}, {options}: {query}"
        try:
            found = table_of(self._spark.changes(query))
        except Exception as error:
            self.found.append(f"{type(error).__name__}: {error}: {where}")
            return 1
        self.checked[f"{shares} shares"] += 1
        self.checked[f"epochs of {EPOCHS[seed % 2]} rows"] += 1
        if found != table_of(changes):
            self.found.append(f"another table: {where}\n  {found}\n  instead of\n  {table_of(changes)}")
        return 1


def main() -> int:
    """Runs the program; returns 1 if a check fails."""
    return run_checker(__doc__, Checker)


if __name__ == "__main__":
    sys.exit(main())
