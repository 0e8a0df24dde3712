"""The statements that a catalog runs in Spark; no Spark is started."""

from __future__ import annotations

from typing import Any

import pytest

from table_api_bridge import SparkCatalog
from table_common.catalog import CatalogDatabase, CatalogTable, CatalogView, ObjectPath, Schema
from table_common.exceptions import CatalogException


class Rows(list[Any]):
    def collect(self) -> list[Any]:
        return list(self)


class FakeSpark:
    """Records statements, and returns the rows of listings."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.tables = {"t"}
        self.catalog = self

    def sql(self, statement: str) -> Rows:
        self.statements.append(statement)
        if statement.startswith("SHOW NAMESPACES"):
            return Rows([("default",), ("`odd name`",)])
        return Rows()

    def tableExists(self, name: str) -> bool:  # Spark's name
        return name.rpartition(".")[2].strip("`") in self.tables


@pytest.fixture
def spark() -> FakeSpark:
    return FakeSpark()


@pytest.fixture
def catalog(spark: FakeSpark) -> SparkCatalog:
    catalog = SparkCatalog("s", lambda: spark)  # type: ignore[arg-type,return-value]
    catalog.open()
    return catalog


def test_a_closed_catalog_is_an_error() -> None:
    with pytest.raises(CatalogException, match="The catalog 's' is not open"):
        SparkCatalog("s", FakeSpark).list_databases()  # type: ignore[arg-type]


def test_databases_are_listed_without_quotes(catalog: SparkCatalog) -> None:
    assert catalog.list_databases() == ["default", "odd name"]


def test_a_database_is_created_with_comment_location_and_properties(catalog: SparkCatalog, spark: FakeSpark) -> None:
    catalog.create_database("d", CatalogDatabase({"location": "/x", "k": "v"}, "it's"), False)
    assert spark.statements[-1] == ("CREATE NAMESPACE `spark_catalog`.`d` COMMENT 'it\\'s' LOCATION '/x' WITH DBPROPERTIES ('k' = 'v')")


def test_a_database_that_exists_is_an_error_or_ignored(catalog: SparkCatalog) -> None:
    catalog.create_database("default", CatalogDatabase(), True)
    with pytest.raises(CatalogException, match="Database 'default' exists already in catalog 's'"):
        catalog.create_database("default", CatalogDatabase(), False)


def test_a_view_is_not_stored_in_spark(catalog: SparkCatalog) -> None:
    view = CatalogView(Schema.new_builder().column("a", "INT").build(), None, {}, "SELECT 1", "SELECT 1")
    with pytest.raises(CatalogException, match="cannot be stored in Spark, which would read its query as Spark SQL"):
        catalog.create_table(ObjectPath("default", "v"), view, False)


def test_a_table_that_exists_is_an_error_or_ignored(catalog: SparkCatalog, spark: FakeSpark) -> None:
    table = CatalogTable(Schema.new_builder().column("a", "INT").build(), None, {})
    with pytest.raises(CatalogException, match="exists already in catalog 's'"):
        catalog.create_table(ObjectPath("default", "t"), table, False)
    catalog.create_table(ObjectPath("default", "t"), table, True)
    assert not any(statement.startswith("CREATE") for statement in spark.statements)


@pytest.mark.parametrize("ignored", [True, False])
def test_a_missing_table_is_dropped_only_if_that_is_ignored(catalog: SparkCatalog, ignored: bool) -> None:
    path = ObjectPath("default", "nope")
    if ignored:
        catalog.drop_table(path, True)
        return
    with pytest.raises(CatalogException, match="'nope' does not exist"):
        catalog.drop_table(path, False)
