"""Catalog tables as Spark's CREATE TABLE; no Spark is started."""

from __future__ import annotations

import pytest

from table_api_bridge.catalog.table_definition import create_statement, own_properties
from table_common.catalog import CatalogTable, Schema
from table_common.exceptions import CatalogException

COLUMNS = Schema.new_builder().column("a", "INT NOT NULL").column("b", "TIMESTAMP(9)").with_comment("it's").build()


def test_a_table_has_its_columns_provider_and_types_as_properties() -> None:
    statement = create_statement("`s`.`t`", CatalogTable(COLUMNS, "a table", {"k": "v"}, ("b",)), is_session_catalog=True)
    assert statement == (
        "CREATE TABLE `s`.`t` (`a` INT NOT NULL, `b` BIGINT COMMENT 'it\\'s') USING `parquet` PARTITIONED BY (`b`) COMMENT 'a table' "
        "TBLPROPERTIES ('k' = 'v', 'table.type.a' = 'INT', 'table.type.b' = 'TIMESTAMP(9)')"
    )


def test_another_catalog_chooses_the_provider() -> None:
    statement = create_statement("`s`.`t`", CatalogTable(COLUMNS, None, {}), is_session_catalog=False)
    assert statement == "CREATE TABLE `s`.`t` (`a` INT NOT NULL, `b` BIGINT COMMENT 'it\\'s')"


def test_options_of_the_provider_are_apart_from_properties() -> None:
    options = {"provider": "csv", "option.sep": ";", "location": "/data", "k": "v"}
    statement = create_statement("`t`", CatalogTable(COLUMNS, None, options), is_session_catalog=False)
    assert "USING `csv` OPTIONS ('sep' = ';') LOCATION '/data' TBLPROPERTIES ('k' = 'v', " in statement
    assert own_properties(options) == {"k": "v"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (CatalogTable(Schema.new_builder().column("a", "INT").column_by_expression("b", "a").build(), None, {}), "computed columns"),
        (CatalogTable(Schema.new_builder().column("a", "INT NOT NULL").primary_key("a").build(), None, {}), "primary keys"),
        (CatalogTable(COLUMNS, None, {"connector": "filesystem"}), "tables of the connector 'filesystem'"),
        (CatalogTable(COLUMNS, None, {"table": "x"}), "the option 'table'"),
    ],
    ids=["computed", "key", "connector", "table"],
)
def test_a_definition_that_spark_cannot_store_is_refused(table: CatalogTable, message: str) -> None:
    with pytest.raises(CatalogException, match=f"Spark's catalogs cannot store {message}"):
        create_statement("`t`", table, is_session_catalog=True)
