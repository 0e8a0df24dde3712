"""What users read when something is wrong."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from connector_sqlite import SqliteTableFactory
from table_common.connector import CommitContext, DynamicTableSink
from table_common.exceptions import TableRuntimeException
from table_testing import ConnectorCase, write_rows


class Case(ConnectorCase):
    factory = SqliteTableFactory
    schema = "id BIGINT, name STRING"


def test_a_violated_constraint_is_reported_with_sqlites_message(options: dict[str, str]) -> None:
    with closing(sqlite3.connect(options["path"])) as connection:
        connection.execute("CREATE TABLE named (id INTEGER, name TEXT NOT NULL)")
    provider: Any = Case().sink({**options, "table-name": "named"}).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    messages = write_rows(provider, Case().row_type, [[(1, None)]])
    with pytest.raises(TableRuntimeException, match=r"rejects INSERT INTO \"named\" .*: NOT NULL constraint failed: named\.name\.$"):
        provider.create_committer(CommitContext("job")).commit(messages)
