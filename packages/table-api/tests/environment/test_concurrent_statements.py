"""Statements that change one object at the same time lose nothing: an ALTER is repeated on what is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.catalog import CatalogManager
from table_common.catalog import CatalogTable, ObjectIdentifier, Schema
from table_common.exceptions import CatalogConflictException

SCHEMA = Schema.new_builder().column("a", "INT").build()


@pytest.mark.parametrize("kind", ["generic_in_memory", "sqlite"])
def test_options_that_two_threads_set_are_all_there(kind: str, tmp_path: Path) -> None:
    path = f", 'path' = '{tmp_path / 'c.db'}'" if kind == "sqlite" else ""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql(f"CREATE CATALOG c WITH ('type' = '{kind}'{path})")
        env.execute_sql("USE CATALOG c")
        env.execute_sql("CREATE TABLE t (a INT)")

        def alter(thread: int) -> None:
            for number in range(15):
                env.execute_sql(f"ALTER TABLE t SET ('{thread}.{number}' = '1')")

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(alter, range(2)))
        found = env.session.catalog_manager.get_object(ObjectIdentifier("c", "default", "t"))
    assert found is not None
    assert set(found[0].options) == {f"{thread}.{number}" for thread in range(2) for number in range(15)}


def test_table_that_was_altered_since_it_was_read_is_a_conflict() -> None:
    manager = CatalogManager()
    identifier = ObjectIdentifier("default_catalog", "default_database", "t")
    read = CatalogTable(SCHEMA, None, {"k": "1"})
    manager.create_table(identifier, read)
    manager.alter_table(identifier, CatalogTable(SCHEMA, None, {"k": "2"}), expected=read)
    with pytest.raises(CatalogConflictException, match="was altered by another session"):
        manager.alter_table(identifier, CatalogTable(SCHEMA, None, {"k": "3"}), expected=read)
