"""What users read when something is wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from connector_sqlite import SqliteTableFactory
from table_common.connector import DynamicTableSink
from table_common.exceptions import TableRuntimeException
from table_common.testing import ConnectorCase, write_rows


class Case(ConnectorCase):
    factory = SqliteTableFactory
    schema = "id BIGINT, name STRING"


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


def test_a_constraint_that_rows_break_is_told_in_sqlites_words(options: dict[str, str]) -> None:
    with closing(sqlite3.connect(options["path"])) as connection:
        connection.execute("CREATE TABLE named (id INTEGER, name TEXT NOT NULL)")
    provider: Any = Case().sink({**options, "table-name": "named"}).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    messages = write_rows(provider, Case().row_type, [[(1, None)]])
    with pytest.raises(TableRuntimeException, match=r"rejects INSERT INTO \"named\" .*: NOT NULL constraint failed: named\.name\.$"):
        provider.create_committer("job").commit(messages)
