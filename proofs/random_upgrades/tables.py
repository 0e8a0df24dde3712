"""Tables for changed statements: rows in the order of ``n``, which says whether a row comes before the savepoint or after it."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

__all__ = ["VARIANTS", "VERSIONS", "Rows", "random_tables"]

DELAY = 5
"""Seconds by which watermarks are behind the greatest time; no row is late."""
VERSIONS = "CREATE TEMPORARY VIEW versions AS SELECT n, k, v, w, g, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS r FROM u) WHERE r = 1"
"""The view of the versions of ``u`` by k."""


def _columns(text: str, decimal: str, delay: int) -> str:
    return f"n INT, k {text}, v INT, w {decimal}, g INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '{delay}' SECOND"


def _variant(text: str = "VARCHAR(10)", decimal: str = "DECIMAL(10, 2)", delay: int = DELAY) -> dict[str, tuple[str, str]]:
    columns = _columns(text, decimal, delay)
    keyed = columns.replace("ts TIMESTAMP(3)", "ts TIMESTAMP(3), PRIMARY KEY (k) NOT ENFORCED")
    return {"t": (columns, "json"), "u": (columns, "json"), "p": (keyed, "debezium-json"), "c": (columns, "debezium-json")}


VARIANTS = {
    "as they are": _variant(),
    "a longer VARCHAR": _variant(text="VARCHAR(20)"),
    "a wider DECIMAL": _variant(decimal="DECIMAL(12, 2)"),
    "another scale": _variant(decimal="DECIMAL(12, 3)"),
    "a longer delay": _variant(delay=DELAY + 3),
}
"""The tables, and what may be different in their definitions. ``p`` and ``c`` are changelogs, ``p`` has the key k."""

_SCHEMA = pa.schema(
    [("n", pa.int32()), ("k", pa.string()), ("v", pa.int32()), ("w", pa.decimal128(10, 2)), ("g", pa.int32()), ("ts", pa.timestamp("ms"))]
)
_START = datetime(2024, 1, 1, 0, 1)
_INSERT, _BEFORE, _AFTER, _DELETE = range(4)


class Rows(NamedTuple):
    """The rows of a table; with ``kinds`` they are changes. ``cut`` rows come before the savepoint."""

    rows: list[dict[str, Any]]
    kinds: list[int] | None
    cut: int

    def batch(self) -> pa.RecordBatch:
        """Returns the rows; those of a changelog have the column ``$change``: the position of each times four plus its kind."""
        batch = pa.RecordBatch.from_pylist(self.rows, schema=_SCHEMA)
        if self.kinds is None:
            return batch
        return batch.append_column("$change", pa.array([4 * position + kind for position, kind in enumerate(self.kinds)], pa.int64()))


def random_tables(chance: random.Random, most: int = 24) -> dict[str, Rows]:
    """Returns all tables; the times of all rows are different."""
    rows = {name: _rows(chance, number, chance.randrange(6, most)) for number, name in enumerate("tupc")}
    cuts = {name: chance.randrange(1, len(one)) for name, one in rows.items()}
    tables = {name: Rows(rows[name], None, cuts[name]) for name in "tu"}
    for name in "pc":
        tables[name] = _changes(chance, rows[name], cuts[name], is_keyed=name == "p")
    return tables


def _rows(chance: random.Random, position: int, count: int) -> list[dict[str, Any]]:
    now, result = 0, []
    for number in range(count):
        now += chance.choice([0, 1, 3, 9])
        late = timedelta(seconds=now - chance.choice([0, 0, chance.randrange(DELAY)]), milliseconds=4 * number + position)
        result.append(
            {
                "n": number,
                "k": chance.choice([None, "a", "a", "b"]),
                "v": chance.choice([None, 0, 1, 2, 3, 4]),
                "w": chance.choice([None, Decimal("0.50"), Decimal("1.25"), Decimal("2.00"), Decimal("4.75")]),
                "g": chance.choice([0, 1, 2]),
                "ts": _START + late,
            }
        )
    return result


def _changes(chance: random.Random, rows: list[dict[str, Any]], cut: int, *, is_keyed: bool) -> Rows:
    """Makes of rows insertions, updates and deletions; the last change before the savepoint is whole."""
    present: list[dict[str, Any]] = []
    result: list[tuple[int, dict[str, Any]]] = []
    before_cut = 0
    for number, row in enumerate(rows):
        if number == cut:
            before_cut = len(result)
        if is_keyed:
            row["k"] = row["k"] or "c"
            old = next((one for one in present if one["k"] == row["k"]), None)
        else:
            old = chance.choice(present) if present and chance.random() < 0.5 else None
        if old is None:
            result.append((_INSERT, row))
        elif chance.random() < 0.3:
            present.remove(old)
            result.append((_DELETE, old))
            continue
        else:
            present.remove(old)
            result += [(_BEFORE, old), (_AFTER, row)]
        present.append(row)
    return Rows([row for _, row in result], [kind for kind, _ in result], before_cut)
