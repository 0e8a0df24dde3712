"""The connector keeps to the contract; tests/integration runs SQL over it on the engines."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from connector_sqlite import SqliteTableFactory
from table_testing import LookupCompliance, SinkCompliance, SourceCompliance


class TestSqlite(SourceCompliance, LookupCompliance, SinkCompliance):
    factory = SqliteTableFactory
    schema = "id BIGINT NOT NULL, name STRING, amount DOUBLE, is_new BOOLEAN"
    primary_key = ("id",)
    rows = (
        (1, "one", 1.5, True),
        (2, None, 2.5, False),
        (3, "three", None, None),
        (4, "O'Neil_%*?[", -0.5, True),
        (7, "One", 70.0, False),
        (1 << 62, "", 1e300, True),
    )

    def create_table(self, folder: Path, rows: Sequence[tuple[Any, ...]]) -> Mapping[str, str]:
        path = folder / "compliance.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE tested (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, amount REAL, is_new INTEGER)")
            connection.executemany("INSERT INTO tested VALUES (?, ?, ?, ?)", rows)
            connection.commit()
        return {"path": str(path), "table-name": "tested"}

    def stored_rows(self, options: Mapping[str, str]) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(options["path"])) as connection:
            rows = connection.execute("SELECT id, name, amount, is_new FROM tested").fetchall()
        return [(*row[:3], None if row[3] is None else bool(row[3])) for row in rows]
