"""CREATE CATALOG survives in a catalog store; what is stored is what was written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from table_api import CatalogDescriptor, Configuration, EnvironmentSettings, TableEnvironment
from table_api.catalog import FileCatalogStore, GenericInMemoryCatalogStore
from table_common.catalog import CatalogStore
from table_common.exceptions import CatalogException, ValidationException

ONE = CatalogDescriptor({"type": "generic_in_memory", "default-database": "d"}, "hello")


@pytest.fixture(params=["generic_in_memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CatalogStore]:
    made: CatalogStore = GenericInMemoryCatalogStore() if request.param == "generic_in_memory" else FileCatalogStore(tmp_path / "store")
    made.open()
    yield made
    made.close()


def environment(folder: Path, kind: str = "file") -> TableEnvironment:
    configuration = Configuration().set("table.catalog-store.kind", kind).set("table.catalog-store.file.path", str(folder))
    return TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_configuration(configuration).build())


def test_stored_catalog_is_the_same(store: CatalogStore) -> None:
    store.store_catalog("c", ONE)
    assert (store.get_catalog("c"), store.contains("c"), store.list_catalogs()) == (ONE, True, ["c"])


def test_catalog_is_stored_once(store: CatalogStore) -> None:
    store.store_catalog("c", ONE)
    with pytest.raises(CatalogException, match="Catalog 'c' exists already"):
        store.store_catalog("c", ONE)


def test_replaced_catalog_is_the_new_one(store: CatalogStore) -> None:
    store.store_catalog("c", ONE)
    store.replace_catalog("c", CatalogDescriptor({"type": "other"}))
    assert store.get_catalog("c") == CatalogDescriptor({"type": "other"})


def test_removed_catalog_is_gone(store: CatalogStore) -> None:
    store.store_catalog("c", ONE)
    store.remove_catalog("c", False)
    assert (store.get_catalog("c"), store.contains("c"), store.list_catalogs()) == (None, False, [])


def test_missing_catalog_cannot_be_removed(store: CatalogStore) -> None:
    store.store_catalog("cat", ONE)
    with pytest.raises(CatalogException, match=r"Catalog 'cta' does not exist in the catalog store. Did you mean 'cat'"):
        store.remove_catalog("cta", False)
    store.remove_catalog("cta", True)


@pytest.mark.parametrize("name", ["a b", "ü/../x", ".hidden", "c.json", "%41"])
def test_every_name_is_a_file_of_its_own(tmp_path: Path, name: str) -> None:
    store = FileCatalogStore(tmp_path / "store")
    store.open()
    store.store_catalog(name, ONE)
    assert (store.list_catalogs(), store.get_catalog(name)) == ([name], ONE)
    assert [file.parent for file in tmp_path.rglob("*.json")] == [tmp_path / "store"]


@pytest.mark.parametrize("name", ["n" * 300, "名" * 40])
def test_name_that_is_too_long_for_a_file_is_refused(tmp_path: Path, name: str) -> None:
    with environment(tmp_path) as env:
        for create in ("CREATE CATALOG", "CREATE CATALOG IF NOT EXISTS"):
            with pytest.raises(CatalogException, match=f"'{name}' cannot be written to .*: File name too long(.|\n)*Choose a shorter name"):
                env.execute_sql(f"{create} `{name}` WITH ('type' = 'generic_in_memory')")
        for statement in ("USE CATALOG `{}`", "DROP CATALOG `{}`", "DESCRIBE CATALOG `{}`", "ALTER CATALOG `{}` SET ('a' = 'b')"):
            with pytest.raises(CatalogException, match=f"'{name}' does not exist"):
                env.execute_sql(statement.format(name))
        env.execute_sql(f"DROP CATALOG IF EXISTS `{name}`")
        assert env.list_catalogs() == ["default_catalog"]
    assert list(tmp_path.iterdir()) == []


def test_store_without_a_file_for_a_long_name_has_no_such_catalog(tmp_path: Path) -> None:
    store = FileCatalogStore(tmp_path)
    name = "n" * 300
    assert (store.contains(name), store.get_catalog(name)) == (False, None)
    store.remove_catalog(name, True)
    with pytest.raises(CatalogException, match=f"Catalog '{name}' does not exist in the catalog store"):
        store.remove_catalog(name, False)


def test_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("")
    store = FileCatalogStore(tmp_path / "store")
    with pytest.raises(CatalogException, match=r"The file '.*c\.json' of the catalog store cannot be read: Not a directory"):
        store.contains("c")
    with pytest.raises(CatalogException, match=r"The folder '.*store' of the catalog store cannot be read: Not a directory"):
        store.list_catalogs()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 1}', '{"version": 1, "options": [], "comment": null}'])
def test_file_that_declares_no_catalog_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(CatalogException, match=r"The file '.*c\.json' of the catalog store does not declare a catalog"):
        FileCatalogStore(tmp_path).get_catalog("c")


def test_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps({"version": 9, "options": {}, "comment": None}))
    with pytest.raises(CatalogException, match="has version 9; this program supports version 1"):
        FileCatalogStore(tmp_path).get_catalog("c")


def test_created_catalog_survives_the_environment(tmp_path: Path) -> None:
    with environment(tmp_path) as env:
        env.execute_sql("CREATE CATALOG c COMMENT 'hello' WITH ('type' = 'generic_in_memory', 'default-database' = 'd')")
    with environment(tmp_path) as env:
        assert env.list_catalogs() == ["c", "default_catalog"]
        env.execute_sql("USE CATALOG c")
        assert (env.get_current_database(), next(iter(env.execute_sql("SHOW CREATE CATALOG c").collect()))[0].splitlines()[1]) == (
            "d",
            "COMMENT 'hello'",
        )


def test_catalog_of_another_session_is_seen_at_once(tmp_path: Path) -> None:
    with environment(tmp_path) as one, environment(tmp_path) as other:
        one.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory')")
        assert "c" in other.list_catalogs()
        with pytest.raises(CatalogException, match="Catalog 'c' exists already"):
            other.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory')")
        other.execute_sql("CREATE CATALOG IF NOT EXISTS c WITH ('type' = 'generic_in_memory')")


def test_dropped_catalog_does_not_come_back(tmp_path: Path) -> None:
    with environment(tmp_path) as env:
        env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory')")
    with environment(tmp_path) as env:
        env.execute_sql("DROP CATALOG c")
        assert env.list_catalogs() == ["default_catalog"]
    assert list(tmp_path.glob("*.json")) == []


def test_references_are_stored_as_written_and_resolved_when_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHICH", "from_env")
    with environment(tmp_path) as env:
        env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = '${env:WHICH}')")
        env.execute_sql("USE CATALOG c")
        assert env.get_current_database() == "from_env"
        shown = next(iter(env.execute_sql("SHOW CREATE CATALOG c").collect()))[0]
    assert ("${env:WHICH}" in shown, "from_env" in (tmp_path / "c.json").read_text()) == (True, False)


def test_missing_variable_is_named_when_the_stored_catalog_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHICH", "d")
    with environment(tmp_path) as env:
        env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = '${env:WHICH}')")
    monkeypatch.delenv("WHICH")
    with environment(tmp_path) as env:
        assert "c" in env.list_catalogs()
        with pytest.raises(ValidationException, match=r"Catalog 'c' of the catalog store cannot be opened: .* 'WHICH', which is not set"):
            env.execute_sql("USE CATALOG c")


def test_described_catalog_shows_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with environment(tmp_path) as env:
        FileCatalogStore(tmp_path).store_catalog("c", CatalogDescriptor({"type": "generic_in_memory", "password": "hunter2"}))
        rows = [tuple(row) for row in env.execute_sql("DESCRIBE CATALOG EXTENDED c").collect()]
        text = next(iter(env.execute_sql("SHOW CREATE CATALOG c").collect()))[0]
        with pytest.raises(ValidationException) as caught:
            env.execute_sql("USE CATALOG c")
    assert ("option:password", "******") in rows
    assert "'password' = '******'" in text
    assert "hunter2" not in str(caught.value)


def test_catalog_that_cannot_be_made_is_not_stored(tmp_path: Path) -> None:
    with environment(tmp_path) as env:
        with pytest.raises(ValidationException, match="unknown: 'nope'"):
            env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'nope' = '1')")
        assert env.list_catalogs() == ["default_catalog"]


@pytest.mark.parametrize(
    ("kind", "folder", "message"),
    [
        ("files", "x", "No catalog store 'files' is installed. Did you mean 'file'"),
        ("file", "", "Option 'table.catalog-store.file.path' is empty"),
    ],
)
def test_wrong_store_is_an_error_when_the_environment_is_created(kind: str, folder: str, message: str) -> None:
    configuration = Configuration().set("table.catalog-store.kind", kind).set("table.catalog-store.file.path", folder)
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_configuration(configuration).build()
    with pytest.raises(ValidationException, match=message):
        TableEnvironment.create(settings)


def test_altered_catalog_is_opened_anew_and_stored(tmp_path: Path) -> None:
    with environment(tmp_path) as env:
        env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory')")
        env.execute_sql("ALTER CATALOG c SET ('default-database' = 'd')")
        env.execute_sql("ALTER CATALOG c COMMENT 'hello'")
        assert env.get_catalog("c").default_database == "d"
    with environment(tmp_path) as env:
        assert [tuple(row) for row in env.execute_sql("DESCRIBE CATALOG EXTENDED c").collect()] == [
            ("name", "c"),
            ("type", "generic_in_memory"),
            ("comment", "hello"),
            ("option:default-database", "d"),
        ]
        env.execute_sql("ALTER CATALOG c RESET ('default-database')")
        assert env.get_catalog("c").default_database == "default"


def test_new_comment_leaves_the_catalog_open(tmp_path: Path) -> None:
    with environment(tmp_path) as env:
        env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory')")
        env.execute_sql("CREATE TABLE c.`default`.t (a INT)")
        env.execute_sql("ALTER CATALOG c COMMENT 'hello'")
        assert [row[0] for row in env.execute_sql("SHOW TABLES FROM c.`default`").collect()] == ["t"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("c SET ('type' = 'sqlite')", "The type of catalog 'c' cannot be altered"),
        ("c RESET ('type')", "The type of catalog 'c' cannot be altered"),
        ("c SET ('nope' = '1')", "unknown: 'nope'"),
        ("c SET ('k' = '1', 'k' = '2')", "Option 'k' is given twice"),
        ("cc SET ('k' = '1')", "Catalog 'cc' does not exist"),
        ("default_catalog SET ('k' = '1')", "was registered as an object"),
    ],
)
def test_wrong_change_leaves_the_catalog_as_it_was(tmp_path: Path, change: str, message: str) -> None:
    with environment(tmp_path) as env:
        env.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory', 'default-database' = 'd')")
        with pytest.raises(ValidationException, match=message):
            env.execute_sql(f"ALTER CATALOG {change}")
        assert env.get_catalog("c").default_database == "d"
