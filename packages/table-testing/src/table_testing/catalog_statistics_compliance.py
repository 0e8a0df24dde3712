"""The contract of catalogs whose statistics can be changed."""

from __future__ import annotations

import datetime
from pathlib import Path

from table_common.catalog import (
    CatalogColumnStatistics,
    CatalogColumnStatisticsData,
    CatalogColumnStatisticsDataBinary,
    CatalogColumnStatisticsDataBoolean,
    CatalogColumnStatisticsDataDate,
    CatalogColumnStatisticsDataDouble,
    CatalogColumnStatisticsDataLong,
    CatalogColumnStatisticsDataString,
    CatalogPartition,
    CatalogPartitionSpec,
    CatalogTableStatistics,
    ObjectPath,
)
from table_testing.catalog_case import MISSING, CatalogCase, fails, try_to_change

_SIZE = CatalogTableStatistics(2**40, 3, 4, 0, {"by": "it's ✓"})
_COLUMNS: dict[str, CatalogColumnStatisticsData] = {
    "boolean": CatalogColumnStatisticsDataBoolean(1, 2, 3),
    "long": CatalogColumnStatisticsDataLong(0, -(2**63), 2**63 - 1, 5),
    "double": CatalogColumnStatisticsDataDouble(None, -0.1, 1e300, None),
    "a `string`": CatalogColumnStatisticsDataString(4, 10, 2.5, 3),
    "date": CatalogColumnStatisticsDataDate(1, datetime.date(1, 1, 1), datetime.date(9999, 12, 31), 2),
    "binary": CatalogColumnStatisticsDataBinary(2, 8, 0.5),
}
_SPEC, _OTHER_SPEC = CatalogPartitionSpec({"day": "1"}), CatalogPartitionSpec({"day": "2"})


class CatalogStatisticsCompliance(CatalogCase):
    """Does nothing where users cannot change statistics."""

    def test_nothing_is_known_of_a_new_table(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("statistics"):
                path = self.stored(catalog)
                assert catalog.get_table_statistics(path) == CatalogTableStatistics()
                assert not catalog.get_table_column_statistics(path).column_statistics_data

    def test_tables_keep_their_statistics(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("statistics"):
                path, other = self.stored(catalog), self.stored(catalog, "other")
                catalog.alter_table_statistics(path, _SIZE, False)
                catalog.alter_table_column_statistics(path, CatalogColumnStatistics(_COLUMNS, {"k": "v"}), False)
                assert catalog.get_table_statistics(path) == _SIZE
                assert catalog.get_table_column_statistics(path) == CatalogColumnStatistics(_COLUMNS, {"k": "v"})
                assert catalog.get_table_statistics(other) == CatalogTableStatistics()

    def test_statistics_of_a_table_are_replaced(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("statistics"):
                path = self.stored(catalog)
                catalog.alter_table_statistics(path, _SIZE, False)
                catalog.alter_table_statistics(path, CatalogTableStatistics(0), False)
                assert catalog.get_table_statistics(path) == CatalogTableStatistics(0)

    def test_statistics_of_other_columns_stay(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if self.changes("statistics"):
                path = self.stored(catalog)
                old, new = CatalogColumnStatisticsDataLong(ndv=1), CatalogColumnStatisticsDataLong(ndv=2)
                catalog.alter_table_column_statistics(path, CatalogColumnStatistics({"a": old, "b": old}), False)
                catalog.alter_table_column_statistics(path, CatalogColumnStatistics({"b": new}), False)
                assert dict(catalog.get_table_column_statistics(path).column_statistics_data) == {"a": old, "b": new}

    def test_partitions_keep_their_statistics(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if not self.changes("statistics", "partitions"):
                return
            path = self.stored(catalog, partition_keys=("day",))
            for spec in (_SPEC, _OTHER_SPEC):
                catalog.create_partition(path, spec, CatalogPartition(), False)
            catalog.alter_partition_statistics(path, _SPEC, _SIZE, False)
            catalog.alter_partition_column_statistics(path, _SPEC, CatalogColumnStatistics(_COLUMNS), False)
            assert catalog.get_partition_statistics(path, _SPEC) == _SIZE
            assert catalog.get_partition_column_statistics(path, _SPEC) == CatalogColumnStatistics(_COLUMNS)
            assert catalog.bulk_get_partition_statistics(path, [_OTHER_SPEC, _SPEC]) == [CatalogTableStatistics(), _SIZE]
            bulk = catalog.bulk_get_partition_column_statistics(path, [_OTHER_SPEC, _SPEC])
            assert bulk == [CatalogColumnStatistics(), CatalogColumnStatistics(_COLUMNS)]
            assert catalog.get_table_statistics(path) == CatalogTableStatistics()

    def test_statistics_go_with_their_objects(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if not self.changes("statistics", "tables"):
                return
            path = self.stored(catalog)
            catalog.alter_table_statistics(path, _SIZE, False)
            catalog.rename_table(path, "renamed", False)
            renamed = ObjectPath(path.database_name, "renamed")
            assert catalog.get_table_statistics(renamed) == _SIZE
            catalog.drop_table(renamed, False)
            for one in (path, renamed):
                catalog.create_table(one, self.table(), False)
                assert catalog.get_table_statistics(one) == CatalogTableStatistics(), "a new table has the statistics of an earlier one"

    def test_statistics_of_a_partition_are_dropped_with_it(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if not self.changes("statistics", "partitions"):
                return
            path = self.stored(catalog, partition_keys=("day",))
            catalog.create_partition(path, _SPEC, CatalogPartition(), False)
            catalog.alter_partition_statistics(path, _SPEC, _SIZE, False)
            catalog.drop_partition(path, _SPEC, False)
            catalog.create_partition(path, _SPEC, CatalogPartition(), False)
            assert catalog.get_partition_statistics(path, _SPEC) == CatalogTableStatistics()

    def test_statistics_of_unknown_objects_are_changed_only_if_they_may_be_missing(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if not self.changes("statistics"):
                return
            path = ObjectPath(self.database(catalog), MISSING)
            fails(MISSING, catalog.alter_table_statistics, path, _SIZE, False)
            fails(MISSING, catalog.alter_table_column_statistics, path, CatalogColumnStatistics(), False)
            catalog.alter_table_statistics(path, _SIZE, True)
            catalog.alter_table_column_statistics(path, CatalogColumnStatistics(), True)
            if self.changes("partitions"):
                table, absent = self.stored(catalog, partition_keys=("day",)), CatalogPartitionSpec({"day": "absent"})
                fails("absent", catalog.get_partition_statistics, table, absent)
                fails("absent", catalog.get_partition_column_statistics, table, absent)
                fails("absent", catalog.alter_partition_statistics, table, absent, _SIZE, False)
                fails("absent", catalog.alter_partition_column_statistics, table, absent, CatalogColumnStatistics(), False)
                catalog.alter_partition_statistics(table, absent, _SIZE, True)
                catalog.alter_partition_column_statistics(table, absent, CatalogColumnStatistics(), True)
                assert catalog.list_partitions(table) == []

    def test_statistics_share_nothing_with_callers(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as catalog:
            if not self.changes("statistics"):
                return
            path, properties, columns = self.stored(catalog), {"k": "v"}, dict(_COLUMNS)
            catalog.alter_table_statistics(path, CatalogTableStatistics(1, properties=properties), False)
            catalog.alter_table_column_statistics(path, CatalogColumnStatistics(columns, properties), False)
            try_to_change(properties)
            columns.clear()
            for _ in range(2):
                size, known = catalog.get_table_statistics(path), catalog.get_table_column_statistics(path)
                assert dict(size.properties) == {"k": "v"}
                assert (dict(known.column_statistics_data), dict(known.properties)) == (_COLUMNS, {"k": "v"})
                try_to_change(size.properties)
                try_to_change(known.properties)
