"""Random tables with event time: rows out of order, late rows, rows of one time; and the versions of a table with a primary key."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pyarrow as pa

__all__ = ["CREATE", "DELAY", "EventTable", "random_event_tables"]

DELAY = 5
"""Seconds by which watermarks are behind the greatest time."""
LONGEST = 45
COLUMNS = "n INT, k STRING, v INT, ts TIMESTAMP(3)"
_WATERMARK = f"WATERMARK FOR ts AS ts - INTERVAL '{DELAY}' SECOND"
CREATE = {
    "t": (f"{COLUMNS}, {_WATERMARK}", "json"),
    "u": (f"{COLUMNS}, {_WATERMARK}", "json"),
    "w": (f"{COLUMNS}, {_WATERMARK}", "json"),
    "p": (f"{COLUMNS}, PRIMARY KEY (k) NOT ENFORCED, {_WATERMARK}", "debezium-json"),
}
"""The columns and the format of each table; ``p`` is a changelog. The rows of ``w`` come in the order of their times if no row is late."""
_SCHEMA = pa.schema([("n", pa.int32()), ("k", pa.string()), ("v", pa.int32()), ("ts", pa.timestamp("ms"))])
_START = datetime(2024, 1, 1, 0, 1)
_INSERT, _BEFORE, _AFTER, _DELETE = range(4)


class EventTable(NamedTuple):
    """The rows of a table; with ``kinds`` they are changes."""

    rows: Sequence[dict[str, Any]]
    kinds: Sequence[int] | None = None

    def batch(self) -> pa.RecordBatch:
        """Returns the rows; those of a changelog have the column ``$change``: the position of each times four plus its kind."""
        batch = pa.RecordBatch.from_pylist(list(self.rows), schema=_SCHEMA)
        if self.kinds is None:
            return batch
        return batch.append_column("$change", pa.array([4 * position + kind for position, kind in enumerate(self.kinds)], pa.int64()))


def random_event_tables(chance: random.Random, *, is_orderly: bool) -> dict[str, EventTable]:
    """Returns all tables.

    ``is_orderly``: no row is late, and all times in all tables are different, so that streaming and batch mode must agree.
    Otherwise rows are up to 20 seconds behind, and many have the same time.
    """
    tables = {name: EventTable(_rows(chance, position, is_orderly)) for position, name in enumerate("tuw")}
    return {**tables, "p": _versions(chance, _rows(chance, 3, is_orderly))}


def _rows(chance: random.Random, position: int, is_orderly: bool) -> list[dict[str, Any]]:
    now = 0
    steps = chance.choice([[0, 0, 1, 2], [0, 1, 3, 11], [0, 0, 0, 40]])
    rows = []
    for number in range(min(LONGEST, int(chance.expovariate(1 / 18)))):
        now += chance.choice(steps)
        if is_orderly:
            back = chance.choice([0, 0, 0, chance.randrange(DELAY)]) if position != 2 else 0
        else:
            back = chance.choice([0, 0, chance.randrange(8), chance.randrange(20)])
        millis = 4 * number + position if is_orderly else chance.choice([0, 0, 0, 999])
        rows.append(
            {
                "n": number,
                "k": chance.choice([None, "a", "a", "b"]),
                "v": chance.choice([None, 0, 1, 2, 3, 4]),
                "ts": _START + timedelta(seconds=now - back, milliseconds=millis),
            }
        )
    return rows


def _versions(chance: random.Random, rows: list[dict[str, Any]]) -> EventTable:
    """Makes of rows the changes of a table with the key k: insertions, updates, and deletions that have the time of the row."""
    present: dict[str, dict[str, Any]] = {}
    result: list[tuple[int, dict[str, Any]]] = []
    for row in rows:
        key = row["k"] = row["k"] or "c"
        before = present.pop(key, None)
        if before is None:
            result.append((_INSERT, row))
        elif chance.random() < 0.25:
            result.append((_DELETE, {**before, "ts": row["ts"]}))
            continue
        else:
            result += [(_BEFORE, before), (_AFTER, row)]
        present[key] = row
    return EventTable([row for _, row in result], [kind for kind, _ in result])
