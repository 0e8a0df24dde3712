"""Random tables."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from random_sql.sql_types import BIGINT, COLUMN_TYPES, SqlType
from random_sql.values import is_special, random_value

FORMATS = ("parquet", "orc", "avro", "csv", "json")
BIG_ROWS = 100_000
_MISSING = {"csv": ("list", "row", "bytes"), "orc": ("time",)}
"""Kinds of types that formats have not."""


@dataclass(frozen=True)
class Column:
    """A column; ``is_tame`` says that arithmetic with its values does not overflow."""

    name: str
    type: SqlType
    is_nullable: bool = True
    is_tame: bool = False


@dataclass(frozen=True)
class Table:
    """A table: in memory, or in files of ``format``. The first column, ``id``, is unique and not NULL."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    format: str | None = None

    @property
    def is_big(self) -> bool:
        """Whether joins with it have to be by key."""
        return len(self.rows) > 1000

    def to_arrow(self) -> pa.Table:
        """Returns the rows as Arrow, nullability included."""
        schema = pa.schema([pa.field(c.name, c.type.arrow, nullable=c.is_nullable) for c in self.columns])
        arrays = [pa.array([row[i] for row in self.rows], type=c.type.arrow) for i, c in enumerate(self.columns)]
        return pa.Table.from_arrays(arrays, schema=schema)

    def with_rows(self, rows: Sequence[tuple[Any, ...]]) -> Table:
        """Returns the table with other rows."""
        return replace(self, rows=tuple(rows))

    def without(self, name: str) -> Table:
        """Returns the table without a column."""
        kept = [i for i, column in enumerate(self.columns) if column.name != name]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return replace(self, columns=tuple(self.columns[i] for i in kept), rows=rows)


def random_tables(rng: random.Random, in_files: float = 0.3) -> list[Table]:
    """Returns two to four tables, ``in_files`` of them in files; one set in fifty has one of 100,000 rows."""
    big = rng.random() < 0.02
    tables = []
    for number in range(rng.randint(2, 4)):
        count = BIG_ROWS if big and not number else rng.choice((0, 1, 1, 2, 3, 5, 5, 8, 8, 12, 12, 40))
        format_ = rng.choice(FORMATS) if rng.random() < in_files else None
        tables.append(_table(rng, f"t{number}", count, format_))
    return tables


def _table(rng: random.Random, name: str, count: int, format_: str | None) -> Table:
    columns = [Column("id", BIGINT, is_nullable=False, is_tame=count < 1000)]
    pools: list[list[Any]] = []
    for number in range(rng.randint(2, 7)):
        column, pool = _column(rng, f"c{number}", format_)
        columns.append(column)
        pools.append(pool)
    rows = [(number, *(rng.choice(pool) for pool in pools)) for number in range(count)]
    rng.shuffle(rows) if count < 1000 else None
    return Table(name, tuple(columns), tuple(rows), format_)


def _column(rng: random.Random, name: str, format_: str | None) -> tuple[Column, list[Any]]:
    types = [one for one in COLUMN_TYPES if one.kind not in _MISSING.get(format_ or "", ())]
    of = rng.choice(types)
    is_tame = of.is_number and rng.random() < 0.5
    pool = [random_value(rng, of, tame=is_tame) for _ in range(rng.choice((1, 3, 5, 8)))]
    if format_ in ("csv", "json"):  # what these cannot tell apart, or do not have
        pool = [one for one in pool if one not in ("", "NULL") and not (of.kind == "float" and is_special(one))] or [
            random_value(rng, of, tame=True) if of.kind != "str" else "a"
        ]
    if format_ == "orc" and of.kind == "ts":
        pool = [one for one in pool if 1700 < one.year < 2200] or [dt.datetime(2020, 2, 29, 12, 34, 56, 789000)]
    is_nullable = rng.random() < 0.75 and not (format_ == "csv" and of.kind == "str")  # there an empty text is NULL
    if is_nullable:
        pool += [None] * rng.choice((0, 1, 1, 2, len(pool) * 2))
    return Column(name, of, is_nullable, is_tame), pool
