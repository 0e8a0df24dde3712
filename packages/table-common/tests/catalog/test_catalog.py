"""The defaults of the catalog SPI, and the values that it takes: specifications of partitions, statistics."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from typing_extensions import override

from table_common.catalog import (
    Catalog,
    CatalogBaseTable,
    CatalogColumnStatistics,
    CatalogColumnStatisticsDataLong,
    CatalogDatabase,
    CatalogModel,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTable,
    CatalogTableStatistics,
    ObjectPath,
    ResolvedSchema,
    Schema,
)
from table_common.exceptions import CatalogException

PATH = ObjectPath("d", "t")
SPEC = CatalogPartitionSpec({"p": "1"})


class Smallest(Catalog):
    """Has what must be there: one database with one partitioned table."""

    @property
    @override
    def default_database(self) -> str:
        return "d"

    @override
    def list_databases(self) -> list[str]:
        return ["d"]

    @override
    def database_exists(self, database_name: str) -> bool:
        return database_name == "d"

    @override
    def get_database(self, database_name: str) -> CatalogDatabase:
        return CatalogDatabase()

    @override
    def list_tables(self, database_name: str) -> list[str]:
        return ["t"]

    @override
    def list_views(self, database_name: str) -> list[str]:
        return []

    @override
    def table_exists(self, table_path: ObjectPath) -> bool:
        return table_path == PATH

    @override
    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        return CatalogTable(Schema(), partition_keys=("p",))


def test_table_that_is_not_there_is_found_as_none() -> None:
    assert Smallest().find_table(ObjectPath("d", "other")) is None


def test_catalog_without_partitions_lists_none() -> None:
    assert Smallest().list_partitions(PATH) == []


def test_catalog_without_statistics_knows_nothing() -> None:
    catalog = Smallest()
    assert catalog.get_table_statistics(PATH) == CatalogTableStatistics()
    assert catalog.get_table_column_statistics(PATH) == CatalogColumnStatistics()


def test_unknown_partition_is_an_error_by_default() -> None:
    with pytest.raises(CatalogException, match=r"Partition 'p=1' does not exist in table d\.t"):
        Smallest().get_partition(PATH, SPEC)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda c: c.create_partition(PATH, SPEC, CatalogPartition(), False), "cannot add a partition: it is read-only"),
        (lambda c: c.drop_partition(PATH, SPEC, False), "cannot drop a partition: it is read-only"),
        (lambda c: c.alter_partition(PATH, SPEC, CatalogPartition(), False), "cannot alter a partition: it is read-only"),
        (lambda c: c.alter_table_statistics(PATH, CatalogTableStatistics(1), False), "cannot keep statistics"),
        (lambda c: c.alter_table_column_statistics(PATH, CatalogColumnStatistics(), False), "cannot keep statistics"),
        (lambda c: c.alter_partition_statistics(PATH, SPEC, CatalogTableStatistics(1), False), "cannot keep statistics"),
        (lambda c: c.alter_partition_column_statistics(PATH, SPEC, CatalogColumnStatistics(), False), "cannot keep statistics"),
        (lambda c: c.get_model(PATH), "keeps no models"),
        (lambda c: c.create_model(PATH, None, False), "keeps no models"),
        (lambda c: c.alter_model(PATH, None, False), "keeps no models"),
        (lambda c: c.rename_model(PATH, "m", False), "keeps no models"),
        (lambda c: c.drop_model(PATH, False), "keeps no models"),
    ],
)
def test_what_a_catalog_does_not_support_it_refuses_with_the_reason(call: Callable[[Catalog], object], reason: str) -> None:
    with pytest.raises(CatalogException, match=reason):
        call(Smallest())


def test_there_are_no_models_and_procedures() -> None:
    catalog = Smallest()
    assert (catalog.list_models("d"), catalog.model_exists(PATH), catalog.list_procedures("d")) == ([], False, [])


@pytest.mark.parametrize(
    "value",
    [
        SPEC,
        CatalogPartition({"k": "v"}, "c"),
        CatalogDatabase({"k": "v"}, "c"),
        CatalogModel(ResolvedSchema(()), ResolvedSchema(()), {"k": "v"}, "c"),
        CatalogTableStatistics(1, properties={"k": "v"}),
        CatalogColumnStatistics({"a": CatalogColumnStatisticsDataLong(ndv=1)}, {"k": "v"}),
    ],
)
def test_values_are_pickled(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value


def test_default_database_has_pyflinks_name_too() -> None:
    assert Smallest().get_default_database() == "d"
