"""What is particular to the catalog in a file: it persists, has a version, is transactional, and is used by several at once."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from table_api import CatalogDescriptor, EnvironmentSettings, TableEnvironment, col
from table_api.catalog import QueryOperationCatalogView, SqliteCatalog
from table_api.catalog.sqlite_file import SCHEMA_STEPS
from table_common.catalog import CatalogFunction, CatalogPartition, CatalogPartitionSpec, CatalogTable, ObjectPath, Schema
from table_common.exceptions import CatalogException, ValidationException

SCHEMA = Schema.new_builder().column("a", "INT").build()
TABLE = CatalogTable(SCHEMA, None, {"connector": "x"})
PATH = ObjectPath("default", "t")


def opened(path: Path, lock_timeout: float = 60.0) -> SqliteCatalog:
    catalog = SqliteCatalog("c", path, lock_timeout=lock_timeout)
    catalog.open()
    return catalog


def test_statements_survive_the_environment(tmp_path: Path) -> None:
    create = f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{tmp_path / 'c.db'}')"
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        for statement in (
            create,
            "USE CATALOG c",
            (
                "CREATE TABLE t (id INT NOT NULL, twice AS id * 2, p STRING, PRIMARY KEY (id) NOT ENFORCED) PARTITIONED BY (p)"
                " WITH ('connector' = 'x', 'password' = '${env:SECRET}')"
            ),
            "ALTER TABLE t ADD PARTITION (p = 'x')",
            "CREATE VIEW v AS SELECT id, twice FROM t",
            "CREATE DATABASE e COMMENT 'other' WITH ('k' = 'v')",
        ):
            env.execute_sql(statement)
        catalog = env.get_catalog("c")
        assert catalog is not None
        catalog.create_function(ObjectPath("default", "f"), CatalogFunction("package.F"), False)
        shown = [env.execute_sql(f"SHOW CREATE {what}").collect().__next__()[0] for what in ("TABLE t", "VIEW v")]
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql(create)
        env.execute_sql("USE CATALOG c")
        assert [env.execute_sql(f"SHOW CREATE {what}").collect().__next__()[0] for what in ("TABLE t", "VIEW v")] == shown
        assert (env.list_databases(), env.list_tables(), env.list_views()) == (["default", "e"], ["t", "v"], ["v"])
        assert "f" in env.list_user_defined_functions()
        assert [row[0] for row in env.execute_sql("SHOW PARTITIONS t").collect()] == ["p=x"]


def test_references_to_the_environment_are_stored_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "hunter2")
    catalog = opened(tmp_path / "c.db")
    catalog.create_table(PATH, CatalogTable(SCHEMA, None, {"password": "${env:SECRET}"}), False)
    catalog.close()
    assert b"${env:SECRET}" in (tmp_path / "c.db").read_bytes()
    assert b"hunter2" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_expressions_of_the_table_api_are_stored_as_sql(tmp_path: Path) -> None:
    from table_api import Schema as ApiSchema
    from table_api import TableDescriptor

    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.create_catalog("c", CatalogDescriptor({"type": "sqlite", "path": str(tmp_path / "c.db")}))
        schema = ApiSchema.new_builder().column("a", "INT").column_by_expression("b", col("a") + 1).build()
        env.create_table("c.`default`.t", TableDescriptor.for_connector("x").schema(schema).build())
        text = env.execute_sql("SHOW CREATE TABLE c.`default`.t").collect().__next__()[0]
    assert "`b` AS (`a` + 1)" in text


def test_view_of_a_plan_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogException, match="has no SQL text"):
        opened(tmp_path / "c.db").create_table(PATH, QueryOperationCatalogView(SCHEMA), False)


def test_newer_version_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "c.db").close()
    with sqlite3.connect(tmp_path / "c.db") as connection:
        connection.execute(f"PRAGMA user_version = {len(SCHEMA_STEPS) + 1}")
    connection.close()
    with pytest.raises(CatalogException, match=f"has version {len(SCHEMA_STEPS) + 1}; this program supports versions up to") as caught:
        opened(tmp_path / "c.db")
    assert "upgrade" in str(caught.value.hint)


def test_older_version_is_brought_up_with_what_it_holds(tmp_path: Path) -> None:
    new = opened(tmp_path / "new.db")
    new.create_table(PATH, CatalogTable(SCHEMA, None, {}, ("a",)), False)
    ((definition,),) = new._file.rows("SELECT definition FROM tables")
    new.close()
    connection = sqlite3.connect(tmp_path / "c.db")
    connection.executescript(SCHEMA_STEPS[0])
    connection.execute("""INSERT INTO databases VALUES ('default', '{"properties": {}, "comment": null}')""")
    connection.execute("INSERT INTO tables VALUES ('default', 't', 0, ?)", (definition,))
    connection.execute("PRAGMA user_version = 1")
    connection.execute(f"PRAGMA application_id = {0x7461626C}")
    connection.commit()
    connection.close()
    catalog = opened(tmp_path / "c.db")
    catalog.create_partition(PATH, CatalogPartitionSpec({"a": "1"}), CatalogPartition(), False)
    assert (catalog.list_tables("default"), len(catalog.list_partitions(PATH))) == (["t"], 1)
    assert catalog._file.row("PRAGMA user_version") == (len(SCHEMA_STEPS),)
    catalog.close()


def test_database_of_something_else_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "c.db")
    connection.execute("CREATE TABLE mine (a INT)")
    connection.close()
    with pytest.raises(CatalogException, match="is a SQLite database of another application"):
        opened(tmp_path / "c.db")


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_text("this is no database, " * 100)
    with pytest.raises(CatalogException, match="is not a SQLite database"):
        opened(tmp_path / "c.db")


def test_path_that_the_system_refuses_is_an_error_of_the_catalog(tmp_path: Path) -> None:
    statement = f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{tmp_path / ('z' * 300)}.db')"
    message = r"Catalog 'c' cannot be opened: File name too long\."
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env, pytest.raises(CatalogException, match=message):
        env.execute_sql(statement)


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogException, match=r"The folder '.*nope' of the catalog 'c' does not exist"):
        opened(tmp_path / "nope" / "c.db")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "missing: path"),
        (", 'path' = ':memory:'", "Option 'path' of catalog 'c' is the path of a file, but got ':memory:'"),
        (", 'path' = '/x', 'paths' = 'y'", "unknown: 'paths' .*did you mean 'path'"),
        (", 'path' = '/x', 'lock-timeout' = 'soon'", "Option 'lock-timeout' takes a duration"),
        (", 'path' = '/x', 'default-database' = ''", "Option 'default-database' of catalog 'c' is empty"),
    ],
)
def test_wrong_options_are_refused(options: str, message: str) -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env, pytest.raises(ValidationException, match=message):
        env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'sqlite'{options})")


def test_failed_transaction_changes_nothing(tmp_path: Path) -> None:
    catalog = opened(tmp_path / "c.db")
    catalog.create_table(ObjectPath("default", "u"), TABLE, False)

    def create_both() -> None:
        with catalog.transaction():
            catalog.create_table(PATH, TABLE, False)
            catalog.create_table(ObjectPath("default", "u"), TABLE, False)

    with pytest.raises(CatalogException, match="exists already"):
        create_both()
    assert catalog.list_tables("default") == ["u"]
    catalog.close()


def test_partitions_of_one_statement_are_added_together(tmp_path: Path) -> None:
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as env:
        env.execute_sql(f"CREATE CATALOG c WITH ('type' = 'sqlite', 'path' = '{tmp_path / 'c.db'}')")
        env.execute_sql("USE CATALOG c")
        env.execute_sql("CREATE TABLE t (a INT) PARTITIONED BY (a) WITH ('connector' = 'x')")
        env.execute_sql("ALTER TABLE t ADD PARTITION (a = 2)")
        with pytest.raises(CatalogException, match="exists already"):
            env.execute_sql("ALTER TABLE t ADD PARTITION (a = 1) PARTITION (a = 2)")
        assert [row[0] for row in env.execute_sql("SHOW PARTITIONS t").collect()] == ["a=2"]


def test_two_catalogs_on_one_file_see_each_other(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "c.db"), opened(tmp_path / "c.db")
    one.create_table(PATH, TABLE, False)
    assert other.list_tables("default") == ["t"]
    one.close()
    other.close()


def test_lock_held_for_too_long_is_a_clear_error(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "c.db"), opened(tmp_path / "c.db", lock_timeout=0.05)
    with one.transaction(), pytest.raises(CatalogException, match=r"Another process has locked the catalog 'c' in ") as caught:
        other.create_table(PATH, TABLE, False)
    assert "lock-timeout" in str(caught.value.hint)
    one.close()
    other.close()


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "c.db"), opened(tmp_path / "c.db", lock_timeout=0.05)
    with one.transaction():
        one.create_table(PATH, TABLE, False)
        assert other.list_tables("default") == []
    assert other.list_tables("default") == ["t"]
    one.close()
    other.close()


def test_no_update_of_several_threads_is_lost(tmp_path: Path) -> None:
    catalog, second = opened(tmp_path / "c.db"), opened(tmp_path / "c.db")
    catalog.create_table(PATH, CatalogTable(SCHEMA, None, {"n": "0"}), False)

    def count(used: SqliteCatalog) -> None:
        for _ in range(20):
            with used.transaction():
                table = used.get_table(PATH)
                used.alter_table(PATH, table.copy({"n": str(int(table.options["n"]) + 1)}), False)

    threads = [threading.Thread(target=count, args=(used,)) for used in (catalog, catalog, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert catalog.get_table(PATH).options["n"] == "60"
    catalog.close()
    second.close()


def test_child_process_has_a_connection_of_its_own(tmp_path: Path) -> None:
    catalog = opened(tmp_path / "c.db")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            catalog.create_table(PATH, TABLE, False)
            os.write(writing, b"done")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    assert (os.read(reading, 4), catalog.list_tables("default")) == (b"done", ["t"])
    os.close(reading)
    catalog.close()
