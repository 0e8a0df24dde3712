"""The contract of catalogs whose partitions can be changed."""

from __future__ import annotations

from pathlib import Path

from table_common.catalog import Catalog, CatalogPartition, CatalogPartitionSpec, ObjectPath
from table_testing.catalog_case import MISSING, CatalogCase, fails, try_to_change

_KEYS = ("day", "hour")
_ODD_VALUES = ("a/b=c", "it's", 'a "quote"', "", " ", "ü ✓", "a.b", "%_", "A", "a")


class CatalogPartitionCompliance(CatalogCase):
    """Does nothing where users cannot change partitions."""

    def test_partitions_keep_properties_and_comment(self, tmp_path: Path) -> None:
        if not self.changes("partitions"):
            return
        with self.opened(tmp_path) as catalog:
            path = self.stored(catalog, partition_keys=_KEYS)
            catalog.create_partition(path, _spec("1", "2"), CatalogPartition({"k": "it's ✓", "empty": ""}, "what it's for"), False)
            found = catalog.get_partition(path, _spec("1", "2"))
            assert (dict(found.properties), found.comment) == ({"k": "it's ✓", "empty": ""}, "what it's for")
            assert catalog.partition_exists(path, _spec("1", "2"))

    def test_partitions_are_listed_in_order(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self._with_partitions(catalog, ("2", "1"), ("1", "2"), ("1", "1"))
                assert catalog.list_partitions(path) == [_spec("1", "1"), _spec("1", "2"), _spec("2", "1")]

    def test_partitions_are_listed_by_a_part_of_their_keys(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self._with_partitions(catalog, ("2", "1"), ("1", "2"), ("1", "1"))
                assert catalog.list_partitions(path, CatalogPartitionSpec({"hour": "1"})) == [_spec("1", "1"), _spec("2", "1")]
                assert catalog.list_partitions(path, CatalogPartitionSpec({"day": "3"})) == []
                assert len(catalog.list_partitions(path, CatalogPartitionSpec({}))) == 3

    def test_the_order_of_keys_does_not_matter(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self.stored(catalog, partition_keys=_KEYS)
                turned = CatalogPartitionSpec({"hour": "2", "day": "1"})
                catalog.create_partition(path, turned, CatalogPartition(comment="x"), False)
                assert catalog.get_partition(path, _spec("1", "2")).comment == "x"
                assert catalog.partition_exists(path, turned)
                assert [list(spec.partition_spec) for spec in catalog.list_partitions(path)] == [list(_KEYS)]

    def test_partitions_keep_their_values(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self.stored(catalog, partition_keys=_KEYS)
                for value in (*_ODD_VALUES, None):
                    catalog.create_partition(path, _spec(value, "1"), CatalogPartition(comment=f"<{value}>"), False)
                assert {spec.partition_spec["day"] for spec in catalog.list_partitions(path)} == {*_ODD_VALUES, None}
                for value in (*_ODD_VALUES, None):
                    assert catalog.get_partition(path, _spec(value, "1")).comment == f"<{value}>"
                    assert catalog.list_partitions(path, CatalogPartitionSpec({"day": value})) == [_spec(value, "1")]

    def test_a_partition_that_exists_is_not_created_again(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self._with_partitions(catalog, ("present", "1"))
                fails("present", catalog.create_partition, path, _spec("present", "1"), CatalogPartition(comment="x"), False)
                catalog.create_partition(path, _spec("present", "1"), CatalogPartition(comment="x"), True)
                assert catalog.get_partition(path, _spec("present", "1")).comment == "present-1"

    def test_partitions_are_altered_and_dropped(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self._with_partitions(catalog, ("1", "1"), ("1", "2"))
                catalog.alter_partition(path, _spec("1", "1"), CatalogPartition({"k": "v"}, "new"), False)
                assert catalog.get_partition(path, _spec("1", "1")).comment == "new"
                assert catalog.get_partition(path, _spec("1", "2")).comment == "1-2"
                catalog.drop_partition(path, _spec("1", "1"), False)
                assert catalog.list_partitions(path) == [_spec("1", "2")]
                assert not catalog.partition_exists(path, _spec("1", "1"))

    def test_unknown_partitions_are_changed_only_if_they_may_be_missing(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self._with_partitions(catalog, ("1", "1"))
                absent = _spec("absent", "1")
                assert not catalog.partition_exists(path, absent)
                fails("absent", catalog.get_partition, path, absent)
                fails("absent", catalog.alter_partition, path, absent, CatalogPartition(), False)
                fails("absent", catalog.drop_partition, path, absent, False)
                catalog.alter_partition(path, absent, CatalogPartition(), True)
                catalog.drop_partition(path, absent, True)
                assert catalog.list_partitions(path) == [_spec("1", "1")]

    def test_a_part_of_the_keys_is_no_partition(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path, part = self._with_partitions(catalog, ("1", "1")), CatalogPartitionSpec({"day": "1"})
                assert not catalog.partition_exists(path, part)
                fails("hour", catalog.create_partition, path, part, CatalogPartition(), False)
                fails("hour", catalog.create_partition, path, part, CatalogPartition(), True)
                fails("day", catalog.get_partition, path, part)
                fails("day", catalog.drop_partition, path, part, False)
                assert catalog.list_partitions(path) == [_spec("1", "1")]

    def test_keys_that_the_table_has_not_are_an_error(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path, other = self._with_partitions(catalog, ("1", "1")), CatalogPartitionSpec({"day": "1", "hour": "1", "minute": "1"})
                fails("minute", catalog.create_partition, path, other, CatalogPartition(), False)
                fails("minute", catalog.list_partitions, path, CatalogPartitionSpec({"minute": "1"}))

    def test_tables_without_partition_keys_have_no_partitions(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self.stored(catalog, "undivided")
                fails("undivided", catalog.list_partitions, path)
                fails("undivided", catalog.create_partition, path, _spec("1", "1"), CatalogPartition(), False)
                assert not catalog.partition_exists(path, _spec("1", "1"))

    def test_partitions_need_their_table(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = ObjectPath(self.database(catalog), MISSING)
                fails(MISSING, catalog.create_partition, path, _spec("1", "1"), CatalogPartition(), False)
                fails(MISSING, catalog.create_partition, path, _spec("1", "1"), CatalogPartition(), True)
                fails(MISSING, catalog.alter_partition, path, _spec("1", "1"), CatalogPartition(), False)
                fails(MISSING, catalog.drop_partition, path, _spec("1", "1"), False)

    def test_partitions_go_with_their_table(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self._with_partitions(catalog, ("1", "1"))
                catalog.rename_table(path, "renamed", False)
                renamed = ObjectPath(path.database_name, "renamed")
                assert catalog.list_partitions(renamed) == [_spec("1", "1")]
                catalog.create_table(path, self.table(partition_keys=_KEYS), False)
                assert catalog.list_partitions(path) == [], "a new table has the partitions of one that was renamed"
                catalog.drop_table(renamed, False)
                catalog.create_table(renamed, self.table(partition_keys=_KEYS), False)
                assert catalog.list_partitions(renamed) == [], "a new table has the partitions of one that was dropped"

    def test_partitions_share_no_properties_with_callers(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("partitions"):
                path = self._with_partitions(catalog, ("1", "1"))
                catalog.alter_partition(path, _spec("1", "1"), CatalogPartition({"k": "v"}), False)
                try_to_change(catalog.get_partition(path, _spec("1", "1")).properties)
                assert dict(catalog.get_partition(path, _spec("1", "1")).properties) == {"k": "v"}
                catalog.list_partitions(path).clear()
                assert catalog.list_partitions(path) == [_spec("1", "1")]

    def _with_partitions(self, catalog: Catalog, *values: tuple[str, str]) -> ObjectPath:
        path = self.stored(catalog, partition_keys=_KEYS)
        for day, hour in values:
            catalog.create_partition(path, _spec(day, hour), CatalogPartition(comment=f"{day}-{hour}"), False)
        return path


def _spec(day: str | None, hour: str | None) -> CatalogPartitionSpec:
    return CatalogPartitionSpec({"day": day, "hour": hour})
