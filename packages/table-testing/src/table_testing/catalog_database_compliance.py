"""The contract of catalogs whose databases can be changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from table_common.catalog import Catalog, CatalogDatabase, CatalogFunction, CatalogModel, ObjectPath, ResolvedSchema
from table_testing.catalog_case import MISSING, CatalogCase, fails, try_to_change


class CatalogDatabaseCompliance(CatalogCase):
    """Does nothing where users cannot change databases."""

    def test_databases_keep_properties_and_comment(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        database = CatalogDatabase({"a key": "it's ✓", "empty": ""}, "what it's for ✓")
        with self.opened(tmp_path) as catalog:
            catalog.create_database("d", database, False)
            assert catalog.database_exists("d")
            assert "d" in catalog.list_databases()
            assert (dict(catalog.get_database("d").properties), catalog.get_database("d").comment) == (
                dict(database.properties),
                database.comment,
            )
            assert catalog.list_tables("d") == []

    def test_databases_keep_their_names(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        with self.opened(tmp_path) as catalog:
            before = catalog.list_databases()
            for name in self.names:
                catalog.create_database(name, CatalogDatabase({}, name), False)
            assert catalog.list_databases() == sorted([*before, *self.names])
            for name in self.names:
                assert catalog.get_database(name).comment == name
                fails(name, catalog.create_database, name, CatalogDatabase(), False)

    def test_a_database_that_exists_is_not_created_again(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        with self.opened(tmp_path) as catalog:
            catalog.create_database("first_db", CatalogDatabase({"k": "v"}, "first"), False)
            fails("first_db", catalog.create_database, "first_db", CatalogDatabase(), False)
            catalog.create_database("first_db", CatalogDatabase({"k": "w"}, "second"), True)
            assert (dict(catalog.get_database("first_db").properties), catalog.get_database("first_db").comment) == ({"k": "v"}, "first")

    def test_databases_are_altered(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        with self.opened(tmp_path) as catalog:
            for name in ("d", "e"):
                catalog.create_database(name, CatalogDatabase({"k": "v", "l": "m"}, "old"), False)
            catalog.alter_database("d", CatalogDatabase({"k": "w"}, "new"), False)
            assert (dict(catalog.get_database("d").properties), catalog.get_database("d").comment) == ({"k": "w"}, "new")
            assert (dict(catalog.get_database("e").properties), catalog.get_database("e").comment) == ({"k": "v", "l": "m"}, "old")

    def test_databases_are_dropped(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        with self.opened(tmp_path) as catalog:
            for name in ("d", "e"):
                catalog.create_database(name, CatalogDatabase(), False)
            catalog.drop_database("d", False)
            assert (catalog.database_exists("d"), catalog.database_exists("e")) == (False, True)
            assert "d" not in catalog.list_databases()
            fails("'d'", catalog.get_database, "d")

    def test_unknown_databases_are_changed_only_if_they_may_be_missing(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        with self.opened(tmp_path) as catalog:
            fails(MISSING, catalog.alter_database, MISSING, CatalogDatabase(), False)
            fails(MISSING, catalog.drop_database, MISSING, False)
            fails(MISSING, catalog.drop_database, MISSING, False, True)
            catalog.alter_database(MISSING, CatalogDatabase(), True)
            catalog.drop_database(MISSING, True)
            assert not catalog.database_exists(MISSING)

    def test_a_database_that_holds_something_is_dropped_only_by_cascade(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        with self.opened(tmp_path) as catalog:
            for number, fill in enumerate(self._contents()):
                name = f"full_{number}"
                catalog.create_database(name, CatalogDatabase(), False)
                fill(catalog, ObjectPath(name, "x"))
                fails(name, catalog.drop_database, name, False)
                fails(name, catalog.drop_database, name, True)
                assert catalog.database_exists(name)
                catalog.drop_database(name, False, True)
                assert not catalog.database_exists(name)

    def test_cascade_drops_what_the_database_holds_and_nothing_else(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        with self.opened(tmp_path) as catalog:
            for name in ("d_b", "dxb", "d_b_2"):
                catalog.create_database(name, CatalogDatabase(), False)
                for number, fill in enumerate(self._contents()):
                    fill(catalog, ObjectPath(name, f"x{number}"))
            held = _held(catalog, "dxb")
            catalog.drop_database("d_b", False, True)
            assert (_held(catalog, "dxb"), _held(catalog, "d_b_2")) == (held, held)
            assert not catalog.table_exists(ObjectPath("d_b", "x0"))
            catalog.create_database("d_b", CatalogDatabase(), False)
            assert _held(catalog, "d_b") == [[], [], [], []]

    def test_databases_share_no_properties_with_callers(self, tmp_path: Path) -> None:
        if not self.changes("databases"):
            return
        with self.opened(tmp_path) as catalog:
            given = {"k": "v"}
            catalog.create_database("d", CatalogDatabase(given), False)
            try_to_change(given)
            assert dict(catalog.get_database("d").properties) == {"k": "v"}, "the catalog keeps the mapping that it was given"
            try_to_change(catalog.get_database("d").properties)
            assert dict(catalog.get_database("d").properties) == {"k": "v"}, "the catalog returns the mapping that it keeps"

    def _contents(self) -> list[Callable[[Catalog, ObjectPath], None]]:
        contents: list[Callable[[Catalog, ObjectPath], None]] = []
        if self.changes("tables"):
            contents.append(lambda catalog, path: catalog.create_table(path, self.table(), False))
        if self.changes("views"):
            contents.append(lambda catalog, path: catalog.create_table(path, self.view(), False))
        if self.changes("functions"):
            contents.append(lambda catalog, path: catalog.create_function(path, CatalogFunction("module.Function"), False))
        if self.changes("models"):
            model = CatalogModel(ResolvedSchema(()), ResolvedSchema(()))
            contents.append(lambda catalog, path: catalog.create_model(path, model, False))
        return contents


def _held(catalog: Catalog, database: str) -> list[list[str]]:
    return [catalog.list_tables(database), catalog.list_views(database), catalog.list_functions(database), catalog.list_models(database)]
