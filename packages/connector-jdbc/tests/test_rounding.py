"""Values with more digits than their column in PostgreSQL, which would round them without an error."""

from __future__ import annotations

from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from postgres_server import new_table, run, server_url, tables_in

from connector_jdbc import JdbcTableFactory
from connector_jdbc.writing import EPOCHS
from table_common.connector import CommitContext, DynamicTableSink
from table_common.exceptions import TableRuntimeException
from table_testing import ConnectorCase, write_rows

WRONG = (
    ("int4", "DOUBLE", 1.5),
    ("int8", "DECIMAL(10, 2)", Decimal("1.50")),
    ("int4[]", "ARRAY<DOUBLE>", [1.0, None, 2.5]),
    ("numeric(5,2)", "DECIMAL(10, 4)", Decimal("1.2345")),
    ("numeric(5,1)[]", "ARRAY<DECIMAL(5, 2)>", [Decimal("2.25")]),
    ("timestamp(0)", "TIMESTAMP(6)", datetime(2020, 1, 1, 0, 0, 0, 600000)),
    ("timestamptz(3)", "TIMESTAMP_LTZ(9)", datetime(2020, 1, 1, 0, 0, 0, 123456, UTC)),
    ("time(0)", "TIME(3)", time(1, 2, 3, 500000)),
)
RIGHT = (
    ("int4", "DOUBLE", 2.0, "2"),
    ("int4[]", "ARRAY<DECIMAL(5, 2)>", [Decimal("2.00"), None], "{2,NULL}"),
    ("numeric(5,2)", "DECIMAL(10, 4)", Decimal("1.2500"), "1.25"),
    ("numeric(5,2)", "DOUBLE", 0.1, "0.10"),
    ("numeric(5,2)", "DOUBLE", 0.1 + 0.2, "0.30"),
    ("float4", "DOUBLE", 0.1, "0.1"),
    ("timestamp(0)", "TIMESTAMP(6)", datetime(2020, 1, 1), "2020-01-01 00:00:00"),
)


def committed(case: ConnectorCase, table: str, *rows: tuple[Any, ...]) -> None:
    sink = case.sink({"url": server_url(), "table-name": table}).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    messages = write_rows(sink, case.row_type, [list(rows)])
    committer: Any = sink.create_committer(CommitContext("job"))  # type: ignore[attr-defined]  # it is a provider of Arrow batches
    try:
        committer.commit(messages)
    except TableRuntimeException:
        committer.abort(messages)
        raise


def case_of(type_: str, key: tuple[str, ...]) -> ConnectorCase:
    attributes = {"factory": JdbcTableFactory, "schema": f"id INT, v {type_}", "primary_key": key}
    case: ConnectorCase = type("Case", (ConnectorCase,), attributes)()
    return case


@pytest.mark.parametrize("key", [(), ("id",)], ids=["append", "upsert"])
@pytest.mark.parametrize(("stored", "type_", "value"), WRONG)
def test_a_value_that_its_column_would_round_fails_the_commit_and_is_named(
    stored: str, type_: str, value: Any, key: tuple[str, ...]
) -> None:
    table = new_table(f"id int4 PRIMARY KEY, v {stored}")
    with pytest.raises(TableRuntimeException, match=r"Column 'v' of PostgreSQL's table .* and would round .*, in row 3 of those"):
        committed(case_of(type_, key), table, (1, None), (2, None), (3, value))
    assert run(f"SELECT id FROM {table}") == []
    assert tables_in(table) <= {"tested", EPOCHS}


@pytest.mark.parametrize(("stored", "type_", "value", "text"), RIGHT)
def test_a_value_that_its_column_can_hold_is_written(stored: str, type_: str, value: Any, text: str) -> None:
    table = new_table(f"id int4 PRIMARY KEY, v {stored}")
    committed(case_of(type_, ("id",)), table, (1, value), (2, None))
    assert run(f"SELECT id, v::text FROM {table} ORDER BY id") == [(1, text), (2, None)]
