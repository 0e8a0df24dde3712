"""The contract of reading for every catalog: existing and missing objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from table_common.catalog import (
    Catalog,
    CatalogColumnStatistics,
    CatalogDatabase,
    CatalogFunction,
    CatalogModel,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTableStatistics,
    CatalogView,
    ObjectPath,
    ResolvedSchema,
)
from table_common.exceptions import CatalogException
from table_testing.catalog_case import MISSING, CatalogCase, fails


class CatalogReadingCompliance(CatalogCase):
    """Lists, lookups and refusals; holds for read-only catalogs too."""

    def test_the_default_database_exists(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            assert catalog.database_exists(catalog.default_database)
            assert catalog.default_database in catalog.list_databases()
            assert catalog.get_default_database() == catalog.default_database

    def test_lists_are_sorted_and_have_each_name_once(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("databases", "tables"):
                for name in ("b", "a", "c"):
                    self.database(catalog, name)
                    for table in ("y", "z", "x"):
                        catalog.create_table(ObjectPath(name, table), self.table(), False)
            lists = [catalog.list_databases()]
            for database in catalog.list_databases():
                lists += [catalog.list_tables(database), catalog.list_views(database), catalog.list_functions(database)]
            for names in lists:
                assert names == sorted(set(names))

    def test_what_is_listed_exists(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            for database in catalog.list_databases():
                assert catalog.database_exists(database)
                assert isinstance(catalog.get_database(database), CatalogDatabase)
                for name in catalog.list_tables(database):
                    path = ObjectPath(database, name)
                    assert catalog.table_exists(path)
                    assert catalog.find_table(path) is not None
                    assert isinstance(catalog.get_table(path), CatalogView) == (name in catalog.list_views(database))

    def test_views_are_listed_among_the_tables(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("views"):
                catalog.create_table(ObjectPath(self.database(catalog), "v"), self.view(), False)
            for database in catalog.list_databases():
                assert set(catalog.list_views(database)) <= set(catalog.list_tables(database))

    def test_unknown_databases_are_an_error_that_names_them(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            assert not catalog.database_exists(MISSING)
            fails(MISSING, catalog.get_database, MISSING)
            fails(MISSING, catalog.list_tables, MISSING)
            fails(MISSING, catalog.list_views, MISSING)
            fails(MISSING, catalog.list_models, MISSING)
            fails(MISSING, catalog.list_procedures, MISSING)
            if self.changes("functions"):
                fails(MISSING, catalog.list_functions, MISSING)

    def test_nothing_exists_in_an_unknown_database(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            path = ObjectPath(MISSING, next(iter(catalog.list_tables(catalog.default_database)), "t"))
            assert not catalog.table_exists(path)
            assert catalog.find_table(path) is None
            assert not catalog.function_exists(path)
            assert not catalog.model_exists(path)
            assert not catalog.partition_exists(path, CatalogPartitionSpec({"day": "1"}))
            fails("", catalog.get_table, path)

    def test_unknown_objects_are_an_error_that_names_them(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            path = ObjectPath(catalog.default_database, MISSING)
            assert not catalog.table_exists(path)
            assert catalog.find_table(path) is None
            fails(MISSING, catalog.get_table, path)
            fails(MISSING, catalog.list_partitions, path)
            fails(MISSING, catalog.get_table_statistics, path)
            fails(MISSING, catalog.get_table_column_statistics, path)
            fails(MISSING, catalog.get_partition, path, CatalogPartitionSpec({"day": "1"}))
            fails(MISSING, catalog.get_function, path)
            assert not catalog.function_exists(path)
            assert not catalog.model_exists(path)
            if self.changes("models"):
                fails(MISSING, catalog.get_model, path)

    def test_lists_that_are_returned_are_copies(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            database = catalog.default_database
            calls = (catalog.list_databases, lambda: catalog.list_tables(database), lambda: catalog.list_views(database))
            for call in (*calls, lambda: catalog.list_functions(database), lambda: catalog.list_models(database)):
                before = list(call())
                call().append("added outside")
                assert call() == before, "a list that was returned is the catalog's own"

    def test_what_cannot_be_changed_is_refused(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            path = ObjectPath(catalog.default_database, "t")
            for family, method, *arguments in _changes(self, path):
                if family in self.families:
                    continue
                before = _names(catalog)
                fails("", getattr(catalog, method), *arguments)
                assert _names(catalog) == before, f"{method} changes something, though it is refused"

    def test_a_catalog_can_be_closed_and_opened_again(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            found = catalog.list_databases()
        with self.opened(tmp_path) as catalog:
            assert catalog.list_databases() == found


def _changes(case: CatalogCase, path: ObjectPath) -> list[tuple[Any, ...]]:
    spec, partition = CatalogPartitionSpec({"day": "1"}), CatalogPartition()
    model = CatalogModel(ResolvedSchema(()), ResolvedSchema(()))
    return [
        ("databases", "create_database", "new", CatalogDatabase(), False),
        ("databases", "alter_database", path.database_name, CatalogDatabase({"a": "b"}), False),
        ("databases", "drop_database", path.database_name, False, True),
        ("tables", "create_table", path, case.table(), False),
        ("tables", "alter_table", path, case.table(), False),
        ("tables", "rename_table", path, "renamed", False),
        ("tables", "drop_table", path, False),
        ("views", "create_table", path, case.view(), False),
        ("functions", "create_function", path, CatalogFunction("module.Function"), False),
        ("functions", "alter_function", path, CatalogFunction("module.Function"), False),
        ("functions", "drop_function", path, False),
        ("partitions", "create_partition", path, spec, partition, False),
        ("partitions", "alter_partition", path, spec, partition, False),
        ("partitions", "drop_partition", path, spec, False),
        ("statistics", "alter_table_statistics", path, CatalogTableStatistics(1), False),
        ("statistics", "alter_table_column_statistics", path, CatalogColumnStatistics(), False),
        ("models", "create_model", path, model, False),
        ("models", "alter_model", path, model, False),
        ("models", "rename_model", path, "renamed", False),
        ("models", "drop_model", path, False),
    ]


def _names(catalog: Catalog) -> list[object]:
    try:
        return [(name, catalog.list_tables(name), catalog.list_functions(name)) for name in catalog.list_databases()]
    except CatalogException as error:
        raise AssertionError(f"what is there cannot be listed: {error}") from error
