from pathlib import Path

import pytest

from table_api.catalog.sqlite_catalog import SqliteCatalog
from table_api.catalog.warehouse import with_managed_options
from table_common.catalog import CatalogTable, ObjectPath, Schema
from table_common.exceptions import CatalogException, ValidationException

SCHEMA = Schema.new_builder().column("a", "INT").build()


def catalog(path: Path, warehouse: Path | None) -> SqliteCatalog:
    made = SqliteCatalog("c", path / "c.db", "d", warehouse=warehouse)
    made.open()
    return made


def test_a_table_without_a_connector_is_a_folder_of_the_warehouse(tmp_path: Path) -> None:
    options = catalog(tmp_path, tmp_path / "w").managed_table_options(ObjectPath("d", "t"))
    assert options == {"connector": "filesystem", "path": str(tmp_path / "w" / "d" / "t")}


def test_a_catalog_without_a_warehouse_keeps_no_rows(tmp_path: Path) -> None:
    made = catalog(tmp_path, None)
    assert made.managed_table_options(ObjectPath("d", "t")) == {}
    assert not made.remove_managed_rows(CatalogTable(SCHEMA, options={"connector": "filesystem", "path": str(tmp_path)}))


def test_rows_are_removed_only_from_folders_of_the_warehouse(tmp_path: Path) -> None:
    made, path = catalog(tmp_path, tmp_path / "w"), ObjectPath("d", "t")
    own = CatalogTable(SCHEMA, options=made.managed_table_options(path))
    assert made.prepare_managed_rows(own)
    (tmp_path / "w" / "d" / "t" / "f.json").write_text("{}")
    other = tmp_path / "other"
    other.mkdir()
    assert made.remove_managed_rows(own)
    assert not (tmp_path / "w" / "d" / "t").exists()
    assert not made.remove_managed_rows(CatalogTable(SCHEMA, options={"connector": "filesystem", "path": str(other)}))
    assert other.exists()


def test_a_new_table_does_not_get_rows_of_others(tmp_path: Path) -> None:
    made, path = catalog(tmp_path, tmp_path / "w"), ObjectPath("d", "t")
    folder = tmp_path / "w" / "d" / "t"
    folder.mkdir(parents=True)
    (folder / "f.json").write_text("{}")
    with pytest.raises(CatalogException, match="has files already"):
        with_managed_options(CatalogTable(SCHEMA), made, path)
    own = CatalogTable(SCHEMA, options=made.managed_table_options(path))
    made.create_table(path, own, False)
    assert with_managed_options(CatalogTable(SCHEMA), made, path) == own


@pytest.mark.parametrize("name", ["..", ".hidden", "a/b", "a\\b"])
def test_names_that_are_no_folders_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValidationException, match="cannot be the name of a folder"):
        catalog(tmp_path, tmp_path / "w").managed_table_options(ObjectPath("d", name))
