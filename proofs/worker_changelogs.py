"""Streaming jobs in worker processes against one process: `python proofs/worker_changelogs.py [--count N] [--seed N]`.

An example is a random query over random changelogs or over event time, in files, as in `changelog_cuts.py` and `event_time_cuts.py`. It runs in 2 or 4 workers, each source in
as many splits as it has files: the final table must be that of one process.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from random_changelogs.checking import run_checker
from random_changelogs.plans import Session, StreamingPlan, random_order, table_of
from random_changelogs.queries import random_query
from random_changelogs.tables import random_tables
from random_event_times.queries import VERSIONS, random_event_query
from random_event_times.tables import CREATE, EventTable, random_event_tables

from table_common.connector import RowKind
from table_common.exceptions import TableError
from table_runtime.streaming.workers import asked, refusal

WORKERS = (2, 2, 4)
asked.available_processors = lambda: max(WORKERS)
refusal.FEW_BYTES = 0


class Checker:
    """Runs examples in one session of each kind of tables. ``found`` are the descriptions of the failures."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "events").mkdir()
        self._session = Session(folder)
        self._events = Session(folder / "events", CREATE)
        self._events.execute(VERSIONS)
        self.found: list[str] = []
        self.checked: Counter[str] = Counter()

    def close(self) -> None:
        """Ends the sessions."""
        self._session.close()
        self._events.close()

    def check(self, seed: int) -> int:
        """Checks the query of a seed; returns 1, or 0 if it keeps no state, or runs on one worker."""
        chance = random.Random(seed)
        tables: Any
        if chance.random() < 0.6:
            session, folder = self._session, self._folder
            query, tables = random_query(chance, chance.randrange(1, 4)), random_tables(chance)
            lines = {name: table.lines() for name, table in tables.items()}
        else:
            session, folder = self._events, self._folder / "events"
            events = random_event_query(chance, chance.choice([0, 1, 1, 2, 3]))
            query, tables = events.text, random_event_tables(chance, is_orderly=True)
            # In shares watermarks move on between epochs only, so fewer retractions are late; and rows of one time come in another order.
            if "CURRENT_WATERMARK" in query or events.retracts or events.reference is None:
                return 0
            lines = {name: _lines_of(table) for name, table in tables.items()}
        try:
            plan = StreamingPlan(session, [query])
        except TableError:
            return 0
        if not plan.keeps_state:
            return 0
        inputs = plan.inputs(tables)
        (changes,) = plan.run(inputs, random_order(chance, inputs))
        for name, text in lines.items():
            (folder / f"{name}.json").write_text(text, encoding="utf-8")
        workers = chance.choice(WORKERS)
        session.set("table.exec.resource.default-parallelism", str(workers))
        where = f"seed {seed}, {workers} workers: {query}"
        try:
            if f"{workers} workers" not in session.explain(query):
                return 0
            found = table_of(session.changes(query))
        except Exception as error:
            self.found.append(f"{type(error).__name__}: {error}: {where}")
            return 1
        finally:
            session.set("table.exec.resource.default-parallelism", "-1")
        self.checked[f"{workers} workers"] += 1
        if found != table_of(changes):
            self.found.append(f"another table: {where}\n  {found}\n  instead of\n  {table_of(changes)}")
        return 1


def _lines_of(table: EventTable) -> str:
    """Returns the rows as JSON, or the changes as those of Debezium."""
    rows = [{**row, "ts": str(row["ts"])[:23]} for row in table.rows]
    if table.kinds is None:
        return "\n".join(map(json.dumps, rows))
    lines: list[dict[str, Any]] = []
    for row, kind in zip(rows, map(RowKind, table.kinds), strict=True):
        if kind is RowKind.UPDATE_AFTER:
            lines[-1] |= {"after": row, "op": "u"}
        elif kind is RowKind.INSERT:
            lines.append({"before": None, "after": row, "op": "c"})
        else:
            lines.append({"before": row, "after": None, "op": "d"})
    return "\n".join(map(json.dumps, lines))


def main() -> int:
    """Runs the program; returns 1 if a check fails."""
    return run_checker(__doc__, Checker)


if __name__ == "__main__":
    sys.exit(main())
