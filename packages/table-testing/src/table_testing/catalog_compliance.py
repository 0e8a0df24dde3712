"""The contract of catalogs. Needs no engine."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

from table_common.catalog import Catalog, CatalogPartition, CatalogPartitionSpec, CatalogTable, ObjectPath
from table_testing.catalog_case import described, fails
from table_testing.catalog_database_compliance import CatalogDatabaseCompliance
from table_testing.catalog_function_compliance import CatalogFunctionCompliance
from table_testing.catalog_partition_compliance import CatalogPartitionCompliance
from table_testing.catalog_reading_compliance import CatalogReadingCompliance
from table_testing.catalog_statistics_compliance import CatalogStatisticsCompliance
from table_testing.catalog_table_compliance import CatalogTableCompliance

_OTHER_TURN = 0.05
"""Seconds that another thread gets for a premature change."""


class CatalogCompliance(
    CatalogReadingCompliance,
    CatalogDatabaseCompliance,
    CatalogTableCompliance,
    CatalogFunctionCompliance,
    CatalogPartitionCompliance,
    CatalogStatisticsCompliance,
):
    """Subclass it with ``create_catalog`` and the attributes of ``CatalogCase``; ``families`` lists the objects that users may change.

    A catalog that defines ``transaction`` is tested for atomic changes and repeatable reads.

    Example:
        >>> class TestInventory(CatalogCompliance):
        ...     persists = True
        ...     def create_catalog(self, folder):
        ...         return InventoryCatalog("inventory", folder / "inventory.db")
        >>> "functions" in TestInventory.families
        True
    """

    def test_what_a_transaction_changes_stays(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("tables"):
                with catalog.transaction():
                    path = self.stored(catalog)
                    catalog.alter_table(path, self.table("altered"), False)
                    assert catalog.get_table(path).comment == "altered"
                assert catalog.get_table(path).comment == "altered"

    def test_a_transaction_raises_the_error_of_its_body(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            try:
                with catalog.transaction():
                    raise KeyError("of the body")
            except KeyError:
                return
            raise AssertionError("the error of a transaction's body is lost")

    def test_a_transaction_that_fails_changes_nothing(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if not self._is_transactional(catalog):
                return
            path = self.stored(catalog, partition_keys=("day",))
            before = self._seen(catalog, path)
            try:
                with catalog.transaction():
                    with catalog.transaction():
                        catalog.alter_table(path, self.table("altered", ("day",)), False)
                    if self.changes("partitions"):
                        catalog.create_partition(path, CatalogPartitionSpec({"day": "1"}), CatalogPartition(), False)
                    self.stored(catalog, "added")
                    raise KeyError("of the body")
            except KeyError:
                assert self._seen(catalog, path) == before, "a transaction that failed left some of its changes"
            self.stored(catalog, "added")
            assert catalog.table_exists(ObjectPath(path.database_name, "added"))

    def test_a_transaction_goes_on_after_a_refusal(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if not self._is_transactional(catalog):
                return
            with catalog.transaction():
                path = self.stored(catalog)
                fails(path.object_name, catalog.create_table, path, self.table(), False)
                self.stored(catalog, "second")
            assert {path.object_name, "second"} <= set(catalog.list_tables(path.database_name))

    def test_nobody_changes_what_a_transaction_reads(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if not self._is_transactional(catalog):
                return
            path, began = self.stored(catalog), Event()

            def change() -> None:
                began.set()
                catalog.alter_table(path, self.table("of the other thread"), False)

            thread = Thread(target=change)
            with catalog.transaction():
                before = described(catalog.get_table(path))
                thread.start()
                began.wait()
                thread.join(_OTHER_TURN)
                assert described(catalog.get_table(path)) == before
                catalog.alter_table(path, self.table("of the transaction"), False)
            thread.join()
            assert catalog.get_table(path).comment == "of the other thread"

    def test_two_catalogs_over_one_store_see_each_other(self, tmp_path: Path) -> None:
        if not self.persists or not self.changes("tables"):
            return
        with self.opened(tmp_path) as one, self.opened(tmp_path) as other:
            path = self.stored(one)
            assert described(other.get_table(path)) == described(one.get_table(path))
            assert other.list_tables(path.database_name) == one.list_tables(path.database_name)
            other.alter_table(path, self.table("by the other"), False)
            assert one.get_table(path).comment == "by the other"
            fails(path.object_name, other.create_table, path, self.table(), False)
            other.rename_table(path, "renamed", False)
            assert not one.table_exists(path)
            one.drop_table(ObjectPath(path.database_name, "renamed"), False)
            assert not other.table_exists(ObjectPath(path.database_name, "renamed"))

    def test_objects_outlive_the_catalog(self, tmp_path: Path) -> None:
        if not self.persists or not self.changes("tables"):
            return
        with self.opened(tmp_path) as catalog:
            path = self.stored(catalog, partition_keys=("day",))
            seen = self._seen(catalog, path)
        with self.opened(tmp_path) as catalog:
            assert self._seen(catalog, path) == seen

    def _is_transactional(self, catalog: Catalog) -> bool:
        return self.changes("tables") and type(catalog).transaction is not Catalog.transaction

    def _seen(self, catalog: Catalog, path: ObjectPath) -> list[object]:
        """Returns the catalog's information about a partitioned table and its database."""
        table = catalog.get_table(path)
        assert isinstance(table, CatalogTable)
        partitions = catalog.list_partitions(path) if self.changes("partitions") else []
        return [described(table), partitions, catalog.list_tables(path.database_name), catalog.list_databases()]
