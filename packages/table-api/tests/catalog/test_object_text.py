"""Serialization of catalog objects: what is written is read back equal."""

from __future__ import annotations

import datetime

import pytest

from table_api.catalog.object_text import (
    column_statistics_text,
    database_text,
    function_text,
    partition_text,
    read_column_statistics,
    read_database,
    read_function,
    read_partition,
    read_spec,
    read_statistics,
    read_table,
    spec_text,
    statistics_text,
    table_text,
)
from table_common.catalog import (
    CatalogColumnStatistics,
    CatalogColumnStatisticsDataDate,
    CatalogColumnStatisticsDataLong,
    CatalogDatabase,
    CatalogFunction,
    CatalogMaterializedTable,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTable,
    CatalogTableStatistics,
    CatalogView,
    IntervalFreshness,
    LogicalRefreshMode,
    RefreshMode,
    RefreshStatus,
    Schema,
    TableDistribution,
)
from table_common.exceptions import CatalogException

SCHEMA = Schema.new_builder().column("id", "BIGINT NOT NULL").column_by_expression("twice", "id * 2").primary_key("id").build()


@pytest.mark.parametrize(
    "table",
    [
        CatalogTable(SCHEMA, "käse", {"k": "v'"}, ("id",), TableDistribution("HASH", ("id",), 4)),
        CatalogTable(SCHEMA, None, {}),
        CatalogView(SCHEMA, None, {}, "SELECT 1", "SELECT 1"),
    ],
    ids=["table", "plain table", "view"],
)
def test_a_table_is_read_back_equal(table: CatalogTable | CatalogView) -> None:
    assert read_table(table_text(table)) == table


def test_an_expression_that_is_no_text_is_refused() -> None:
    schema = Schema.new_builder().column("a", "INT").column_by_expression("b", object()).build()
    with pytest.raises(CatalogException, match="The expression of column 'b' is a object; a catalog stores SQL text"):
        table_text(CatalogTable(schema, None, {}))


def test_databases_functions_and_partitions_are_read_back_equal() -> None:
    database = CatalogDatabase({"location": "x"}, "a database")
    function = CatalogFunction("m.F", "PYTHON", "a function")
    partition = CatalogPartition({"k": "v"}, "a partition")
    assert read_database(database_text(database)) == database
    assert read_function(function_text(function)) == function
    assert read_partition(partition_text(partition)) == partition


def test_equal_specifications_have_equal_texts() -> None:
    one, other = CatalogPartitionSpec({"a": "1", "b": None}), CatalogPartitionSpec({"b": None, "a": "1"})
    assert spec_text(one) == spec_text(other)
    assert read_spec(spec_text(one)) == one


def test_statistics_are_read_back_equal_and_unknown_without_a_text() -> None:
    size = CatalogTableStatistics(10, 2, 300, 400, {"k": "v"})
    columns = CatalogColumnStatistics(
        {
            "n": CatalogColumnStatisticsDataLong(ndv=3, min=1, max=9),
            "d": CatalogColumnStatisticsDataDate(min=datetime.date(2024, 1, 1), max=None),
        }
    )
    assert read_statistics(statistics_text(size)) == size
    assert read_column_statistics(column_statistics_text(columns)) == columns
    assert (read_statistics(None), read_column_statistics(None)) == (CatalogTableStatistics(), CatalogColumnStatistics())


def test_a_materialized_table_is_read_back() -> None:
    table = CatalogMaterializedTable(
        Schema.new_builder().column("a", "INT").column("b", "STRING").build(),
        "comment",
        {"connector": "x"},
        ("b",),
        None,
        "SELECT 1",
        "select 1",
        IntervalFreshness(5, "HOUR"),
        LogicalRefreshMode.AUTOMATIC,
        RefreshMode.FULL,
        RefreshStatus.SUSPENDED,
        {"created": "now"},
    )
    assert read_table(table_text(table)) == table
