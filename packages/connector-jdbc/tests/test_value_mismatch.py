"""Values that do not fit their column in PostgreSQL."""

from __future__ import annotations

from typing import Any

import pytest
from postgres_server import new_table, run, server_url, tables_in

from connector_jdbc import JdbcTableFactory
from connector_jdbc.writing import EPOCHS
from table_common.connector import CommitContext, DynamicTableSink
from table_common.exceptions import TableRuntimeException
from table_testing import ConnectorCase, write_rows


class Appends(ConnectorCase):
    factory = JdbcTableFactory
    schema = "id INT, number INT, name STRING"


class Upserts(Appends):
    primary_key = ("id",)


@pytest.mark.parametrize("case", [Appends(), Upserts()])
@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            (2, 70_000, "b"),
            "Column 'number' of PostgreSQL's table '.*' is smallint and cannot hold '70000', in row 2 .*: smallint out of range",
        ),
        ((2, 0, "O'Neil"), "Column 'name' .* is character varying\\(3\\) and cannot hold \"O'Neil\", in row 2 .*: value too long"),
    ],
)
def test_the_column_and_the_row_of_a_value_that_does_not_fit_are_named(case: ConnectorCase, row: tuple[Any, ...], problem: str) -> None:
    table = new_table("id int4 PRIMARY KEY, number int2, name varchar(3)")
    sink = case.sink({"url": server_url(), "table-name": table}).get_sink_runtime_provider(DynamicTableSink.SinkContext())
    messages = write_rows(sink, case.row_type, [[(1, 1, "a"), row]])
    committer: Any = sink.create_committer(CommitContext("job"))  # type: ignore[attr-defined]  # it is a provider of Arrow batches
    with pytest.raises(TableRuntimeException, match=problem):
        committer.commit(messages)
    committer.abort(messages)
    assert run(f"SELECT id FROM {table}") == []
    assert tables_in(table) <= {"tested", EPOCHS}
