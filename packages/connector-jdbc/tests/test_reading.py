"""Scans in splits: each row once, in one snapshot, in batches of limited size."""

from __future__ import annotations

from typing import Any

import pytest
from postgres_server import new_table, run, server_url

from connector_jdbc import JdbcTableFactory
from table_common.exceptions import TableRuntimeException
from table_testing import ConnectorCase


class Upserts(ConnectorCase):
    factory = JdbcTableFactory
    schema = "id INT, name STRING"
    primary_key = ("id",)


def test_the_rows_of_a_lost_snapshot_are_an_error() -> None:
    table = new_table("id int4, name text", [(1, "a"), (2, "b")])
    options = {"url": server_url(), "table-name": table, "scan.partition.column": "id", "scan.partition.num": "2"}
    source: Any = Upserts().source(options)
    provider = source.get_scan_runtime_provider(None)
    splits = provider.splits()
    provider.close()
    with pytest.raises(TableRuntimeException, match="snapshot") as caught:
        list(provider.read(splits[0]))
    assert "lives as long as the planner's connection" in (caught.value.hint or "")


def test_the_splits_of_a_scan_read_one_snapshot() -> None:
    table = new_table("id int4, name text", [(1, "a"), (2, "b"), (None, "c")])
    options = {"url": server_url(), "table-name": table, "scan.partition.column": "id", "scan.partition.num": "2"}
    source: Any = Upserts().source(options)
    provider = source.get_scan_runtime_provider(None)
    splits = provider.splits()
    run(f"INSERT INTO {table} VALUES (1, 'later'), (2, 'later')")
    names = [name for split in splits for batch in provider.read(split) for name in batch.column(1).to_pylist()]
    provider.close()
    assert sorted(names) == ["a", "b", "c"]
    assert len(splits) == 2


def test_batches_have_at_most_the_fetch_size() -> None:
    table = new_table("id int4, name text")
    run(f"INSERT INTO {table} SELECT n, 'x' FROM generate_series(1, 25) AS g(n)")
    source: Any = Upserts().source({"url": server_url(), "table-name": table, "scan.fetch-size": "10"})
    provider = source.get_scan_runtime_provider(None)
    assert [batch.num_rows for batch in provider.read(provider.splits()[0])] == [10, 10, 5]


def test_a_table_without_rows_has_one_split() -> None:
    options = {"url": server_url(), "table-name": new_table("id int4, name text"), "scan.partition.column": "id", "scan.partition.num": "4"}
    source: Any = Upserts().source(options)
    assert len(source.get_scan_runtime_provider(None).splits()) == 1


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("int8", ["9223372036854775807", "0", "-9223372036854775808"]),
        ("float8", ["NaN", "1.5", "-Infinity", "1e300"]),
        ("numeric", ["NaN", "-1e30", "1.5"]),
    ],
)
def test_the_splits_of_extreme_values_have_each_row_once(type_: str, values: list[str]) -> None:
    table = new_table(f"id int4, name text, part {type_}", [(index, "x", value) for index, value in enumerate([*values, None])])
    options = {"url": server_url(), "table-name": table, "scan.partition.column": "part", "scan.partition.num": "3"}
    source: Any = Upserts().source(options)
    provider = source.get_scan_runtime_provider(None)
    read = [id_ for split in provider.splits() for batch in provider.read(split) for id_ in batch.column(0).to_pylist()]
    provider.close()
    assert sorted(read) == list(range(len(values) + 1))
