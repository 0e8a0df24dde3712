from pathlib import Path

import pytest

from table_api.catalog.sqlite_catalog import SqliteCatalog
from table_common.catalog import CatalogPartition, CatalogPartitionSpec, CatalogTable, ObjectPath, Schema
from table_common.catalog_exceptions import PartitionAlreadyExistsException


def test_partitions_are_in_the_file(tmp_path: Path) -> None:
    path, spec = ObjectPath("d", "t"), CatalogPartitionSpec({"day": "1"})
    catalog = SqliteCatalog("c", tmp_path / "c.db", "d")
    catalog.open()
    schema = Schema.new_builder().column("id", "INT").column("day", "STRING").build()
    catalog.create_table(path, CatalogTable(schema, partition_keys=("day",)), False)
    catalog.create_partition(path, spec, CatalogPartition({"a": "b"}), False)
    with pytest.raises(PartitionAlreadyExistsException):
        catalog.create_partition(path, spec, CatalogPartition({}), False)
    catalog.close()

    again = SqliteCatalog("c", tmp_path / "c.db", "d")
    again.open()
    assert again.get_partition(path, spec).properties == {"a": "b"}
    assert again.list_partitions(path) == [spec]
    again.close()
