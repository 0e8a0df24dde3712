"""Catalogs, catalog stores and compiled plans are files of mode 0600, whatever the umask and also where they were there before."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_api import CatalogDescriptor, EnvironmentSettings, TableEnvironment
from table_api.catalog import FileCatalogStore, SqliteCatalog


@pytest.fixture(autouse=True)
def _permissive_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def _open_catalog(path: Path) -> SqliteCatalog:
    catalog = SqliteCatalog("c", path)
    catalog.open()
    return catalog


def test_file_of_a_catalog_and_its_logs_are_private(tmp_path: Path) -> None:
    catalog = _open_catalog(tmp_path / "c.db")
    assert _modes(tmp_path) == {"c.db": 0o600, "c.db-wal": 0o600, "c.db-shm": 0o600}
    catalog.close()


def test_catalog_that_exists_is_tightened(tmp_path: Path) -> None:
    _open_catalog(tmp_path / "c.db").close()
    (tmp_path / "c.db").chmod(0o644)
    catalog = _open_catalog(tmp_path / "c.db")
    assert set(_modes(tmp_path).values()) == {0o600}
    catalog.close()


def test_stored_catalog_is_private(tmp_path: Path) -> None:
    store = FileCatalogStore(tmp_path)
    store.open()
    store.store_catalog("c", CatalogDescriptor({"type": "generic_in_memory"}))
    assert _modes(tmp_path) == {"c.json": 0o600}


def test_stored_catalog_that_exists_is_tightened(tmp_path: Path) -> None:
    store = FileCatalogStore(tmp_path)
    store.open()
    store.store_catalog("c", CatalogDescriptor({"type": "generic_in_memory"}))
    (tmp_path / "c.json").chmod(0o666)
    FileCatalogStore(tmp_path).open()
    assert _modes(tmp_path) == {"c.json": 0o600}


def test_compiled_plan_is_private(tmp_path: Path) -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        environment.execute_sql("CREATE TABLE k (a INT) WITH ('connector' = 'blackhole')")
        compile_plan = f"COMPILE PLAN '{tmp_path / 'p.json'}' IF NOT EXISTS FOR INSERT INTO k VALUES (1)"
        environment.execute_sql(compile_plan)
        created = _modes(tmp_path)
        (tmp_path / "p.json").chmod(0o644)
        environment.execute_sql(compile_plan)
        assert created == _modes(tmp_path) == {"p.json": 0o600}
