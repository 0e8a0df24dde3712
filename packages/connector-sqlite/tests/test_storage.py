"""Values of every type go into SQLite and come back."""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from connector_sqlite import SqliteTableFactory
from table_common.connector import ArrowSinkProvider, CommitContext, DynamicTableSink
from table_testing import ConnectorCase, read_rows, write_rows

VALUES: dict[str, Sequence[Any]] = {
    "TINYINT": [-128, 127, None],
    "BIGINT": [-(1 << 63), (1 << 63) - 1, None],
    "BOOLEAN": [True, False, None],
    "FLOAT": [1.5, None],
    "DOUBLE": [0.1, 1e300, None],
    "STRING": ["", "naïve 🐍", "it's", None],
    "BYTES": [b"", b"\x00\xff", None],
    "DECIMAL(38, 10)": [Decimal("1234567890123456789012345678.0123456789"), Decimal("-0.5"), None],
    "DATE": [datetime.date(1, 1, 1), datetime.date(2024, 2, 29), None],
    "TIME(3)": [datetime.time(0, 0, 0, 1000), datetime.time(23, 59, 59), None],
    "TIMESTAMP(6)": [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime(2024, 1, 1), None],
    "TIMESTAMP_LTZ(3)": [datetime.datetime(2024, 1, 1, 12, 0, tzinfo=datetime.UTC), None],
}


@pytest.mark.parametrize("type_", VALUES)
def test_values_survive_the_round_trip(type_: str, tmp_path: Path) -> None:
    class Case(ConnectorCase):
        factory = SqliteTableFactory
        schema = f"n INT, v {type_}"

    rows = list(enumerate(VALUES[type_]))
    options: Mapping[str, str] = {"path": str(tmp_path / "values.db"), "table-name": "t"}
    with closing(sqlite3.connect(options["path"])) as connection:
        connection.execute("CREATE TABLE t (n, v)")
    provider = Case().sink(options).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, Case().row_type, [rows]))
    found = sorted(read_rows(Case().source(options), Case().row_type))
    assert [tuple(row)[:1] for row in found] == [(number,) for number, _ in rows]
    assert [_plain(row[1]) for row in found] == [_plain(value) for _, value in rows]


def _plain(value: Any) -> Any:
    """Returns instants and numbers of several precisions as one."""
    return value.timestamp() if isinstance(value, datetime.datetime) and value.tzinfo is not None else value


def test_a_column_that_begins_with_many_nulls_keeps_its_type(tmp_path: Path) -> None:
    class Case(ConnectorCase):
        factory = SqliteTableFactory
        schema = "n INT, v STRING"

    rows = [(n, None if n < 70_000 else "late") for n in range(70_001)]
    with closing(sqlite3.connect(tmp_path / "values.db")) as connection:
        connection.execute("CREATE TABLE t (n INTEGER, v TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.commit()
    options = {"path": str(tmp_path / "values.db"), "table-name": "t"}
    assert read_rows(Case().source(options), Case().row_type)[-1] == (70_000, "late")


def test_negative_zero_is_read_as_zero(tmp_path: Path) -> None:
    class Case(ConnectorCase):
        factory = SqliteTableFactory
        schema = "n INT, v DOUBLE"

    options: Mapping[str, str] = {"path": str(tmp_path / "values.db"), "table-name": "t"}
    with closing(sqlite3.connect(options["path"])) as connection:
        connection.execute("CREATE TABLE t (n INTEGER, v REAL)")
    provider = Case().sink(options).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    assert isinstance(provider, ArrowSinkProvider)
    provider.create_committer(CommitContext("job")).commit(write_rows(provider, Case().row_type, [[(1, -0.0)]]))
    assert [str(row[1]) for row in read_rows(Case().source(options), Case().row_type)] == ["0.0"]


@pytest.mark.parametrize(
    ("type_", "stored", "expected"),
    [
        ("TIMESTAMP(3)", "1969-12-31 23:59:59.999999", datetime.datetime(1969, 12, 31, 23, 59, 59, 999000)),
        ("TIMESTAMP(3)", "1969-12-31 23:59:59.999999999", datetime.datetime(1969, 12, 31, 23, 59, 59, 999000)),
        ("TIMESTAMP(6)", "9999-12-31 23:59:59.999999999", datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)),
        ("TIMESTAMP_LTZ(0)", "2024-01-01T00:00:00.9999999Z", datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)),
        ("TIME(0)", "23:59:59.999999", datetime.time(23, 59, 59)),
        ("TIME(2)", "23:59:59.1299999", datetime.time(23, 59, 59, 120000)),
    ],
)
def test_times_are_read_with_the_digits_that_are_declared(type_: str, stored: str, expected: Any, tmp_path: Path) -> None:
    class Case(ConnectorCase):
        factory = SqliteTableFactory
        schema = f"v {type_}"

    with closing(sqlite3.connect(tmp_path / "values.db")) as connection:
        connection.execute("CREATE TABLE t (v TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [(stored,), (None,)])
        connection.commit()
    options = {"path": str(tmp_path / "values.db"), "table-name": "t"}
    assert read_rows(Case().source(options), Case().row_type) == [(expected,), (None,)]
