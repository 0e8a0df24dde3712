"""A database in a file, and waits that do not happen."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE t (id INTEGER, name TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "one"), ("no number", "two")])
        connection.commit()
    return {"path": str(tmp_path / "shop.db"), "table-name": "t", "connection.retry-delay": "1 ms"}


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Returns the waits between tries, which do not happen."""
    waits: list[float] = []
    monkeypatch.setattr("connector_sqlite.database.time.sleep", waits.append)
    return waits
