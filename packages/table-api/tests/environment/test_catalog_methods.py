"""Methods of the environment about catalogs, databases, tables and views."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import (
    CatalogDescriptor,
    CatalogException,
    GenericInMemoryCatalog,
    Schema,
    TableDescriptor,
    TableEnvironment,
    ValidationException,
)

DESCRIPTOR = TableDescriptor.for_connector("none").schema(Schema.new_builder().column("a", "INT").build()).build()


def test_a_temporary_view_is_registered_once(env: TableEnvironment) -> None:
    env.create_temporary_view("v", env.from_path("t"))
    with pytest.raises(CatalogException, match=r"Temporary view 'default_catalog.default_database.v' exists already"):
        env.create_temporary_view("v", env.from_path("t"))


def test_a_view_of_a_catalog_keeps_its_query_as_sql(env: TableEnvironment) -> None:
    env.create_view("v", env.sql_query("SELECT a FROM t"))
    assert "SELECT" in str(env.execute_sql("SHOW CREATE VIEW v").collect().__next__()[0])
    assert env.list_views(temporary=False) == ["v"]


def test_an_existing_table_is_an_error_or_ignored(env: TableEnvironment) -> None:
    env.create_table("c", DESCRIPTOR)
    env.create_table("c", DESCRIPTOR, ignoreIfExists=True)
    with pytest.raises(CatalogException, match="exists already"):
        env.create_table("c", DESCRIPTOR)


def test_a_descriptor_without_a_schema_makes_no_table(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="needs a schema"):
        env.create_temporary_table("c", TableDescriptor.for_connector("none").build())


def test_drop_says_whether_the_object_existed(env: TableEnvironment) -> None:
    env.create_table("c", DESCRIPTOR)
    assert [env.drop_table("c"), env.drop_table("c"), env.drop_view("c")] == [True, False, False]


def test_a_missing_table_is_an_error_if_it_is_not_ignored(env: TableEnvironment) -> None:
    with pytest.raises(CatalogException, match="'c' does not exist"):
        env.drop_table("c", ignore_if_not_exists=False)


def test_a_catalog_of_options_is_created_and_opened(env: TableEnvironment) -> None:
    env.create_catalog("other", CatalogDescriptor({"type": "generic_in_memory", "default-database": "d"}, None))
    env.use_catalog("other")
    assert (env.list_catalogs(), env.list_databases()) == (["default_catalog", "other"], ["d"])
    assert (env.get_current_catalog(), env.get_current_database()) == ("other", "d")


def test_a_catalog_of_an_unknown_type_is_refused(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="No catalog 'nope' is installed"):
        env.create_catalog("other", CatalogDescriptor({"type": "nope"}, None))


def test_a_registered_catalog_is_found_by_its_name_only(env: TableEnvironment) -> None:
    catalog = GenericInMemoryCatalog("mine")
    env.register_catalog("mine", catalog)
    assert env.get_catalog("mine") is catalog
    assert env.get_catalog("other") is None


def test_what_does_not_exist_does_not_become_current(env: TableEnvironment) -> None:
    with pytest.raises(CatalogException, match="Catalog 'other' does not exist"):
        env.use_catalog("other")
    with pytest.raises(CatalogException, match="Database 'other' does not exist"):
        env.use_database("other")
    assert (env.get_current_catalog(), env.get_current_database()) == ("default_catalog", "default_database")


def test_a_catalog_is_created_from_a_descriptor_only(env: TableEnvironment) -> None:
    options: Any = {"type": "generic_in_memory"}
    with pytest.raises(ValidationException, match="create_catalog takes a CatalogDescriptor, but got dict") as caught:
        env.create_catalog("c", options)
    assert caught.value.hint == "CatalogDescriptor.of('c', {'type': …})"
