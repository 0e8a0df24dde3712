"""Random tables with the columns k, v and s: rows, and changelogs with and without a primary key, of which one has mostly only the key before a change."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from table_common.connector import RowKind

__all__ = ["CREATE", "INPUTS", "RandomTable", "random_tables"]

Event = tuple[dict[str, Any] | None, dict[str, Any] | None]
"""The row before and after a change; None for an insertion or a deletion."""

LONGEST = 40
CREATE = {
    "a": ("k INT, v BIGINT, s STRING", "json"),
    "p": ("k INT PRIMARY KEY NOT ENFORCED, v BIGINT, s STRING", "debezium-json"),
    "q": ("k INT PRIMARY KEY NOT ENFORCED, v BIGINT, s STRING", "debezium-json"),
    "t": ("k INT, v BIGINT, s STRING", "debezium-json"),
    "u": ("k INT, v BIGINT, s STRING", "debezium-json"),
}
"""The columns and the format of each table."""

_SCHEMA = pa.schema([("k", pa.int32()), ("v", pa.int64()), ("s", pa.string())])


class RandomTable(NamedTuple):
    """The events of a table; ``is_log``: as changes, otherwise they are insertions."""

    events: Sequence[Event]
    is_log: bool

    def lines(self) -> str:
        """Returns the events as lines of JSON, in the format of the table."""
        if not self.is_log:
            return "\n".join(json.dumps(after) for _, after in self.events)
        kinds = {(True, False): "c", (False, False): "u", (False, True): "d"}
        return "\n".join(
            json.dumps({"before": before, "after": after, "op": kinds[before is None, after is None]}) for before, after in self.events
        )

    def batch(self) -> pa.RecordBatch:
        """Returns the rows; those of a log have the column ``$change`` with the number of the change, its position times four plus its kind."""
        changes = list(self._changes())
        batch = pa.RecordBatch.from_pylist([row for _, row in changes], schema=_SCHEMA)
        numbers = [4 * position + kind.value for position, (kind, _) in enumerate(changes)]
        return batch.append_column("$change", pa.array(numbers, pa.int64())) if self.is_log else batch

    def _changes(self) -> Iterator[tuple[RowKind, dict[str, Any]]]:
        for before, after in self.events:
            if before is not None:
                yield (RowKind.DELETE if after is None else RowKind.UPDATE_BEFORE), before
            if after is not None:
                yield (RowKind.INSERT if before is None else RowKind.UPDATE_AFTER), after


def random_tables(chance: random.Random) -> dict[str, RandomTable]:
    """Returns all tables; most are short, some have up to ``LONGEST`` events."""
    return {name: RandomTable(make(chance, _length(chance)), CREATE[name][1] != "json") for name, make in INPUTS.items()}


def _length(chance: random.Random) -> int:
    return min(LONGEST, int(chance.expovariate(1 / 8)))


def _row(chance: random.Random) -> dict[str, Any]:
    return {"k": chance.choice([None, 1, 2, 3]), "v": chance.choice([None, 0, 1, 2, 5]), "s": chance.choice([None, "a", "b"])}


def _rows(chance: random.Random, length: int) -> list[Event]:
    return [(None, _row(chance)) for _ in range(length)]


def _changes(chance: random.Random, length: int) -> list[Event]:
    """Returns insertions, and updates and deletions of rows that are there; rows may be there several times."""
    present: list[dict[str, Any]] = []
    events: list[Event] = []
    for _ in range(length):
        row = _row(chance)
        before = present.pop(chance.randrange(len(present))) if present and chance.random() < 0.4 else None
        after = None if before is not None and chance.random() < 0.5 else row
        events.append((before, after))
        if after is not None:
            present.append(after)
    return events


def _keyed_changes(chance: random.Random, length: int) -> list[Event]:
    """Returns changes of a table with the primary key k; updates may change k to an unused value."""
    present: dict[int, dict[str, Any]] = {}
    events: list[Event] = []
    for _ in range(length):
        key = chance.randrange(1, 6)
        row = {**_row(chance), "k": key}
        before = present.pop(key if key in present else chance.choice([*present, key]), None)
        if before is not None and chance.random() < 0.2:
            events.append((before, None))
            continue
        events.append((before, row))
        present[key] = row
    return events


def _changes_by_key(chance: random.Random, length: int) -> list[Event]:
    """Returns changes of a table with the primary key k, most of which have only the key before the change."""
    return [
        (before if before is None or chance.random() < 0.3 else {"k": before["k"]}, after)
        for before, after in _keyed_changes(chance, length)
    ]


INPUTS: dict[str, Callable[[random.Random, int], list[Event]]] = {
    "a": _rows,
    "p": _keyed_changes,
    "q": _changes_by_key,
    "t": _changes,
    "u": _changes,
}
"""The generator of each table."""
