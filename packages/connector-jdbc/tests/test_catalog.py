"""The catalog passes the compliance suite for read-only catalogs, and shows schemas, keys, comments, views and statistics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from postgres_server import new_table, run, server_url

from connector_jdbc.catalog import JdbcCatalog
from connector_jdbc.catalog_factory import JdbcCatalogFactory
from connector_jdbc.factory import JdbcTableFactory
from table_common.catalog import Catalog, ObjectPath
from table_common.exceptions import ValidationException
from table_common.factories import CatalogFactory
from table_testing import CatalogCompliance, ConnectorCase, read_rows


def catalog_of(**options: str) -> JdbcCatalog:
    given = {"base-url": server_url(), "default-database": "postgres", **{key.replace("_", "-"): value for key, value in options.items()}}
    return JdbcCatalogFactory().create_catalog(CatalogFactory.Context("pg", given))


class TestJdbcCatalog(CatalogCompliance):
    families: ClassVar[frozenset[str]] = frozenset()

    def create_catalog(self, folder: Path) -> Catalog:
        return catalog_of()


@pytest.fixture
def catalog() -> Iterator[JdbcCatalog]:
    opened = catalog_of()
    opened.open()
    yield opened
    opened.close()


def test_tables_of_schemas_are_listed_and_read(catalog: JdbcCatalog) -> None:
    table = new_table("id int4 PRIMARY KEY, name varchar(7) NOT NULL, tags text[]", [(1, "one", "{a}")])
    run(f"COMMENT ON TABLE {table} IS 'it''s'", f"COMMENT ON COLUMN {table}.name IS 'a name'")
    assert table in catalog.list_tables("postgres")
    found = catalog.get_table(ObjectPath("postgres", table))
    assert found.comment == "it's"
    columns = [(column.name, str(getattr(column, "data_type", None)), column.comment) for column in found.schema.columns]
    assert columns == [("id", "INT NOT NULL", None), ("name", "VARCHAR(7) NOT NULL", "a name"), ("tags", "ARRAY<STRING>", None)]
    assert tuple(found.schema.primary_key.column_names if found.schema.primary_key is not None else ()) == ("id",)

    class Case(ConnectorCase):
        factory = JdbcTableFactory
        schema = "id INT NOT NULL, name VARCHAR(7) NOT NULL, tags ARRAY<STRING>"

    options = {key: value for key, value in found.options.items() if key != "connector"}
    assert read_rows(Case().source(options), Case().row_type) == [(1, "one", ["a"])]


def test_tables_of_public_need_no_schema(catalog: JdbcCatalog) -> None:
    run("DROP TABLE IF EXISTS in_public", "CREATE TABLE in_public (id int4)")
    assert "in_public" in catalog.list_tables("postgres")
    assert catalog.table_exists(ObjectPath("postgres", "in_public"))
    assert catalog.table_exists(ObjectPath("postgres", "public.in_public"))


def test_tables_with_odd_names_are_not_mistaken_for_others(catalog: JdbcCatalog) -> None:
    names = ("odd", " odd", "odd ", '"odd"', "o.dd")
    quoted = ['public."' + name.replace('"', '""') + '"' for name in names]
    run(
        *(f"DROP TABLE IF EXISTS {name}" for name in quoted),
        *(f"CREATE TABLE {name} (c{number} int4)" for number, name in enumerate(quoted)),
    )
    listed = catalog.list_tables("postgres")
    assert "odd" in listed
    assert set(quoted[1:]) <= set(listed)
    found = [catalog.get_table(ObjectPath("postgres", name)).schema.columns[0].name for name in ("odd", *quoted)]
    assert found == ["c0", "c0", "c1", "c2", "c3", "c4"]
    assert not catalog.table_exists(ObjectPath("postgres", " odd"))
    assert not catalog.table_exists(ObjectPath("postgres", "odd "))
    run(*(f"DROP TABLE {name}" for name in quoted))


def test_views_are_tables(catalog: JdbcCatalog) -> None:
    table = new_table("id int4")
    view = table.replace(".tested", ".seen")
    run(f"CREATE VIEW {view} AS SELECT id FROM {table}")
    assert view in catalog.list_tables("postgres")
    assert catalog.list_views("postgres") == []


def test_statistics_are_those_of_the_last_analyze(catalog: JdbcCatalog) -> None:
    table = new_table("id int4", [(1,), (2,)])
    path = ObjectPath("postgres", table)
    assert catalog.get_table_statistics(path).row_count is None
    run(f"ANALYZE {table}")
    assert catalog.get_table_statistics(path).row_count == 2


def test_a_column_without_counterpart_is_shown_with_its_type(catalog: JdbcCatalog) -> None:
    table = new_table("id int4, at point NOT NULL")
    columns = catalog.get_table(ObjectPath("postgres", table)).schema.columns
    assert [(column.name, str(getattr(column, "data_type", None))) for column in columns] == [
        ("id", "INT"),
        ("at", "RAW('point', 'postgresql') NOT NULL"),
    ]


def test_the_default_database_must_exist() -> None:
    with pytest.raises(ValidationException, match="'nix'"):
        catalog_of(default_database="nix").open()
