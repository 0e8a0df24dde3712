"""The contract of catalogs whose tables and views can be changed."""

from __future__ import annotations

from pathlib import Path

from table_common.catalog import CatalogBaseTable, CatalogView, ObjectPath
from table_testing.catalog_case import MISSING, CatalogCase, described, fails, try_to_change


class CatalogTableCompliance(CatalogCase):
    """Does nothing where users cannot change tables."""

    def test_tables_keep_all_they_were_created_with(self, tmp_path: Path) -> None:
        if self.changes("tables"):
            self._is_kept(tmp_path, self.full_table())

    def test_tables_without_a_comment_have_none(self, tmp_path: Path) -> None:
        if self.changes("tables"):
            self._is_kept(tmp_path, self.table())

    def test_views_keep_their_schema_and_queries(self, tmp_path: Path) -> None:
        if self.changes("views"):
            self._is_kept(tmp_path, self.view())

    def test_tables_and_views_keep_their_names(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            database = self.database(catalog)
            before = catalog.list_tables(database)
            for name in self.names:
                catalog.create_table(ObjectPath(database, name), self.table(name), False)
            assert catalog.list_tables(database) == sorted([*before, *self.names])
            for name in self.names:
                path = ObjectPath(database, name)
                assert catalog.table_exists(path)
                assert catalog.get_table(path).comment == name
                fails(name, catalog.create_table, path, self.table(), False)
            for name in self.names:
                catalog.drop_table(ObjectPath(database, name), False)
            assert catalog.list_tables(database) == before

    def test_tables_of_one_name_in_two_databases_are_two(self, tmp_path: Path) -> None:
        if not self.changes("databases", "tables"):
            return
        with self.opened(tmp_path) as catalog:
            paths = [ObjectPath(self.database(catalog, name), "t") for name in ("d", "e")]
            for path in paths:
                catalog.create_table(path, self.table(path.database_name), False)
            assert [catalog.get_table(path).comment for path in paths] == ["d", "e"]
            catalog.drop_table(paths[0], False)
            assert [catalog.table_exists(path) for path in paths] == [False, True]

    def test_a_table_that_exists_is_not_created_again(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            path = self.stored(catalog, "present")
            kept = described(catalog.get_table(path))
            fails("present", catalog.create_table, path, self.table("other"), False)
            catalog.create_table(path, self.table("other"), True)
            assert described(catalog.get_table(path)) == kept
            if self.changes("views"):
                fails("present", catalog.create_table, path, self.view(), False)
                catalog.create_table(path, self.view(), True)
                assert described(catalog.get_table(path)) == kept

    def test_a_table_needs_its_database(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            fails(MISSING, catalog.create_table, ObjectPath(MISSING, "t"), self.table(), False)
            fails(MISSING, catalog.create_table, ObjectPath(MISSING, "t"), self.table(), True)

    def test_tables_are_altered(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            path, other = self.stored(catalog), self.stored(catalog, "other")
            kept = described(catalog.get_table(other))
            catalog.alter_table(path, self.full_table(), False)
            assert described(catalog.get_table(path)) == described(self.full_table())
            assert described(catalog.get_table(other)) == kept

    def test_a_table_does_not_become_a_view(self, tmp_path: Path) -> None:
        if not self.changes("tables", "views"):
            return
        with self.opened(tmp_path) as catalog:
            path = self.stored(catalog, "is_table")
            view = ObjectPath(path.database_name, "is_view")
            catalog.create_table(view, self.view(), False)
            fails("is_table", catalog.alter_table, path, self.view(), False)
            fails("is_view", catalog.alter_table, view, self.table(), False)
            assert not isinstance(catalog.get_table(path), CatalogView)
            assert catalog.list_views(path.database_name) == ["is_view"]

    def test_tables_are_renamed(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            path = self.stored(catalog)
            kept = described(catalog.get_table(path))
            for name in ("renamed", self.names[-1], "t"):
                catalog.rename_table(path, name, False)
                assert not catalog.table_exists(path)
                path = ObjectPath(path.database_name, name)
                assert described(catalog.get_table(path)) == kept

    def test_views_are_renamed_and_dropped(self, tmp_path: Path) -> None:
        if not self.changes("views"):
            return
        with self.opened(tmp_path) as catalog:
            database = self.database(catalog)
            before = catalog.list_views(database)
            catalog.create_table(ObjectPath(database, "v"), self.view(), False)
            catalog.rename_table(ObjectPath(database, "v"), "w", False)
            assert catalog.list_views(database) == sorted([*before, "w"])
            assert described(catalog.get_table(ObjectPath(database, "w"))) == described(self.view())
            catalog.drop_table(ObjectPath(database, "w"), False)
            assert catalog.list_views(database) == before

    def test_a_table_is_not_renamed_to_one_that_exists(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            path, other = self.stored(catalog), self.stored(catalog, "occupied")
            catalog.alter_table(other, self.table("the other"), False)
            fails("occupied", catalog.rename_table, path, "occupied", False)
            fails("occupied", catalog.rename_table, path, "occupied", True)
            assert catalog.table_exists(path)
            assert catalog.get_table(other).comment == "the other"

    def test_tables_are_dropped(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            path, other = self.stored(catalog), self.stored(catalog, "other")
            catalog.drop_table(path, False)
            assert (catalog.table_exists(path), catalog.table_exists(other)) == (False, True)
            assert path.object_name not in catalog.list_tables(path.database_name)
            assert catalog.find_table(path) is None

    def test_unknown_tables_are_changed_only_if_they_may_be_missing(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            database = self.database(catalog)
            for path in (ObjectPath(database, MISSING), ObjectPath(MISSING, "t")):
                fails("", catalog.alter_table, path, self.table(), False)
                fails("", catalog.rename_table, path, "renamed", False)
                fails("", catalog.drop_table, path, False)
                catalog.alter_table(path, self.table(), True)
                catalog.rename_table(path, "renamed", True)
                catalog.drop_table(path, True)
                assert not catalog.table_exists(path)
            assert not catalog.table_exists(ObjectPath(database, "renamed"))

    def test_errors_about_unknown_tables_name_them(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            path = ObjectPath(self.database(catalog), MISSING)
            fails(MISSING, catalog.alter_table, path, self.table(), False)
            fails(MISSING, catalog.rename_table, path, "renamed", False)
            fails(MISSING, catalog.drop_table, path, False)

    def test_tables_share_no_options_with_callers(self, tmp_path: Path) -> None:
        if not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            path = self.stored(catalog)
            kept = dict(catalog.get_table(path).options)
            try_to_change(catalog.get_table(path).options)
            assert dict(catalog.get_table(path).options) == kept, "the catalog returns the mapping that it keeps"

    def _is_kept(self, folder: Path, table: CatalogBaseTable) -> None:
        with self.opened(folder) as catalog:
            path = ObjectPath(self.database(catalog), "t")
            catalog.create_table(path, table, False)
            found = catalog.get_table(path)
            assert isinstance(found, CatalogView) == isinstance(table, CatalogView)
            assert described(found) == described(table)
            second = catalog.find_table(path)
            assert second is not None
            assert described(second) == described(table)
            assert (path.object_name in catalog.list_views(path.database_name)) == isinstance(table, CatalogView)
