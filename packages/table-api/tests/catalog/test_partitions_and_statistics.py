"""Partitions and statistics as every catalog of ours keeps them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.catalog import GenericInMemoryCatalog, SqliteCatalog
from table_common.catalog import (
    Catalog,
    CatalogColumnStatistics,
    CatalogColumnStatisticsData,
    CatalogColumnStatisticsDataBinary,
    CatalogColumnStatisticsDataBoolean,
    CatalogColumnStatisticsDataDate,
    CatalogColumnStatisticsDataDouble,
    CatalogColumnStatisticsDataLong,
    CatalogColumnStatisticsDataString,
    CatalogDatabase,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTable,
    CatalogTableStatistics,
    CatalogView,
    ObjectPath,
    Schema,
)
from table_common.exceptions import CatalogException

SCHEMA = Schema.new_builder().column("a", "INT").column("day", "DATE").column("hour", "INT").build()
PATH = ObjectPath("d", "t")
PLAIN = ObjectPath("d", "plain")
EVERY_KIND: dict[str, CatalogColumnStatisticsData] = {
    "l": CatalogColumnStatisticsDataLong(1, -5, 2**40, 7),
    "f": CatalogColumnStatisticsDataDouble(0, -0.5, 1e300, 3),
    "s": CatalogColumnStatisticsDataString(0, 10, 4.25, 3),
    "b": CatalogColumnStatisticsDataBoolean(2, 3, 4),
    "d": CatalogColumnStatisticsDataDate(0, datetime.date(1, 1, 1), datetime.date(2026, 2, 28), 9),
    "y": CatalogColumnStatisticsDataBinary(4, None, None),
    "n": CatalogColumnStatisticsDataLong(),
}


def spec(day: str | None, hour: str | None) -> CatalogPartitionSpec:
    return CatalogPartitionSpec({"day": day, "hour": hour})


@pytest.fixture(params=["generic_in_memory", "sqlite"])
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Catalog]:
    made: Catalog = GenericInMemoryCatalog("c", "d") if request.param == "generic_in_memory" else SqliteCatalog("c", tmp_path / "c.db", "d")
    made.open()
    made.create_table(PATH, CatalogTable(SCHEMA, partition_keys=("day", "hour")), False)
    made.create_table(PLAIN, CatalogTable(SCHEMA), False)
    yield made
    made.close()


def test_partitions_are_listed_in_order(catalog: Catalog) -> None:
    for day, hour in (("2026-01-02", "1"), ("2026-01-01", "2"), (None, "1")):
        catalog.create_partition(PATH, spec(day, hour), CatalogPartition(), False)
    texts = [str(found) for found in catalog.list_partitions(PATH)]
    assert texts == ["day=2026-01-01/hour=2", "day=2026-01-02/hour=1", "day=__HIVE_DEFAULT_PARTITION__/hour=1"]


def test_partitions_are_chosen_by_some_of_their_values(catalog: Catalog) -> None:
    for day, hour in (("x", "1"), ("x", "2"), ("y", "1")):
        catalog.create_partition(PATH, spec(day, hour), CatalogPartition(), False)
    assert catalog.list_partitions(PATH, CatalogPartitionSpec({"hour": "1"})) == [spec("x", "1"), spec("y", "1")]


def test_partition_keeps_its_properties_and_comment(catalog: Catalog) -> None:
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition({"k": "v"}, "hello"), False)
    assert catalog.get_partition(PATH, CatalogPartitionSpec({"hour": "1", "day": "x"})) == CatalogPartition({"k": "v"}, "hello")


def test_partition_exists_once(catalog: Catalog) -> None:
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition({"k": "1"}), False)
    with pytest.raises(CatalogException, match=r"Partition \(day=x/hour=1\) exists already"):
        catalog.create_partition(PATH, spec("x", "1"), CatalogPartition(), False)
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition(), True)
    assert catalog.get_partition(PATH, spec("x", "1")).properties == {"k": "1"}


def test_partition_is_altered(catalog: Catalog) -> None:
    catalog.create_partition(PATH, spec("x", None), CatalogPartition(), False)
    catalog.alter_partition(PATH, spec("x", None), CatalogPartition({"k": "2"}), False)
    assert catalog.get_partition(PATH, spec("x", None)).properties == {"k": "2"}


def test_dropped_partition_is_gone_with_its_statistics(catalog: Catalog) -> None:
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition(), False)
    catalog.alter_partition_statistics(PATH, spec("x", "1"), CatalogTableStatistics(5), False)
    catalog.drop_partition(PATH, spec("x", "1"), False)
    assert not catalog.partition_exists(PATH, spec("x", "1"))
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition(), False)
    assert catalog.get_partition_statistics(PATH, spec("x", "1")) == CatalogTableStatistics()


def test_missing_partition_is_an_error_or_ignored(catalog: Catalog) -> None:
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition(), False)
    for call in (
        lambda ignore: catalog.drop_partition(PATH, spec("x", "2"), ignore),
        lambda ignore: catalog.alter_partition(PATH, spec("x", "2"), CatalogPartition(), ignore),
        lambda ignore: catalog.alter_partition_statistics(PATH, spec("x", "2"), CatalogTableStatistics(), ignore),
        lambda ignore: catalog.alter_partition_column_statistics(PATH, spec("x", "2"), CatalogColumnStatistics(), ignore),
    ):
        with pytest.raises(CatalogException, match=r"Partition 'day=x/hour=2' does not exist .* Did you mean 'day=x/hour=1'"):
            call(False)
        call(True)


def test_partition_has_all_keys(catalog: Catalog) -> None:
    with pytest.raises(CatalogException, match="has no value of 'hour'"):
        catalog.create_partition(PATH, CatalogPartitionSpec({"day": "x"}), CatalogPartition(), False)


def test_table_without_partitioning_has_no_partitions(catalog: Catalog) -> None:
    for call in (
        lambda: catalog.list_partitions(PLAIN),
        lambda: catalog.create_partition(PLAIN, spec("x", "1"), CatalogPartition(), False),
        lambda: catalog.get_partition(PLAIN, spec("x", "1")),
    ):
        with pytest.raises(CatalogException, match="is not partitioned"):
            call()


def test_view_has_no_partitions(catalog: Catalog) -> None:
    path = ObjectPath("d", "v")
    catalog.create_table(path, CatalogView(SCHEMA, None, {}, "SELECT 1", "SELECT 1"), False)
    with pytest.raises(CatalogException, match="is not partitioned"):
        catalog.list_partitions(path)


def test_statistics_of_a_table_are_kept(catalog: Catalog) -> None:
    size = CatalogTableStatistics(10, 2, 3000, 4000, {"k": "v"})
    catalog.alter_table_statistics(PATH, size, False)
    assert catalog.get_table_statistics(PATH) == size


def test_statistics_of_columns_of_every_kind_are_kept(catalog: Catalog) -> None:
    catalog.alter_table_column_statistics(PATH, CatalogColumnStatistics(EVERY_KIND), False)
    assert catalog.get_table_column_statistics(PATH) == CatalogColumnStatistics(EVERY_KIND)


def test_statistics_of_columns_that_are_not_given_stay(catalog: Catalog) -> None:
    catalog.alter_table_column_statistics(PATH, CatalogColumnStatistics(EVERY_KIND), False)
    catalog.alter_table_column_statistics(PATH, CatalogColumnStatistics({"l": CatalogColumnStatisticsDataLong(9)}), False)
    data = catalog.get_table_column_statistics(PATH).column_statistics_data
    assert (data["l"].null_count, data["f"]) == (9, EVERY_KIND["f"])


def test_statistics_of_partitions_are_kept_apart(catalog: Catalog) -> None:
    for hour in ("1", "2"):
        catalog.create_partition(PATH, spec("x", hour), CatalogPartition(), False)
        catalog.alter_partition_statistics(PATH, spec("x", hour), CatalogTableStatistics(int(hour)), False)
        data = CatalogColumnStatistics({"a": CatalogColumnStatisticsDataLong(int(hour))})
        catalog.alter_partition_column_statistics(PATH, spec("x", hour), data, False)
    specs = catalog.list_partitions(PATH)
    assert [size.row_count for size in catalog.bulk_get_partition_statistics(PATH, specs)] == [1, 2]
    columns = catalog.bulk_get_partition_column_statistics(PATH, specs)
    assert [one.column_statistics_data["a"].null_count for one in columns] == [1, 2]
    assert catalog.get_table_statistics(PATH) == CatalogTableStatistics()


def test_renamed_table_keeps_partitions_and_statistics(catalog: Catalog) -> None:
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition(), False)
    catalog.alter_table_statistics(PATH, CatalogTableStatistics(5), False)
    catalog.rename_table(PATH, "t2", False)
    path = ObjectPath("d", "t2")
    assert (catalog.list_partitions(path), catalog.get_table_statistics(path).row_count) == ([spec("x", "1")], 5)


def test_dropped_table_is_gone_with_partitions_and_statistics(catalog: Catalog) -> None:
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition(), False)
    catalog.alter_table_statistics(PATH, CatalogTableStatistics(5), False)
    catalog.drop_table(PATH, False)
    catalog.create_table(PATH, CatalogTable(SCHEMA, partition_keys=("day", "hour")), False)
    assert (catalog.list_partitions(PATH), catalog.get_table_statistics(PATH)) == ([], CatalogTableStatistics())


def test_dropped_database_is_gone_with_its_tables(catalog: Catalog) -> None:
    catalog.create_partition(PATH, spec("x", "1"), CatalogPartition(), False)
    catalog.drop_database("d", False, cascade=True)
    catalog.create_database("d", CatalogDatabase(), False)
    assert catalog.list_tables("d") == []


def test_statistics_of_a_missing_table_are_an_error_or_ignored(catalog: Catalog) -> None:
    path = ObjectPath("d", "nope")
    with pytest.raises(CatalogException, match="'nope' does not exist"):
        catalog.get_table_statistics(path)
    with pytest.raises(CatalogException, match="'nope' does not exist"):
        catalog.alter_table_statistics(path, CatalogTableStatistics(1), False)
    catalog.alter_table_statistics(path, CatalogTableStatistics(1), True)
    catalog.alter_table_column_statistics(path, CatalogColumnStatistics(), True)


def test_partitions_of_a_statement_that_fails_are_not_added(catalog: Catalog) -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.register_catalog("k", catalog)
        env.execute_sql("ALTER TABLE k.d.t ADD PARTITION (`day` = '2026-01-02', `hour` = '1')")
        with pytest.raises(CatalogException, match="exists already"):
            env.execute_sql(
                "ALTER TABLE k.d.t ADD PARTITION (`day` = '2026-01-01', `hour` = '1') PARTITION (`day` = '2026-01-02', `hour` = '1')"
            )
        assert catalog.list_partitions(PATH) == [spec("2026-01-02", "1")]
