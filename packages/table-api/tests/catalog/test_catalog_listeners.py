"""Listeners are told of the changes that a session makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.catalog import CatalogModificationEvent, CatalogModificationListener
from table_common.exceptions import TableError, ValidationException
from table_common.factories import CatalogModificationListenerFactory

KEY = "table.catalog-modification.listeners"
HEARD: list[CatalogModificationEvent] = []


class Hearing(CatalogModificationListener):
    def on_event(self, event: CatalogModificationEvent) -> None:
        HEARD.append(event)
        if getattr(event, "database_name", "") == "refused":
            raise ValidationException("not this one")


class HearingFactory(CatalogModificationListenerFactory):
    factory_identifier = "hearing"

    def create_listener(self, context: CatalogModificationListenerFactory.Context) -> CatalogModificationListener:
        return Hearing()


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableEnvironment:
    folder = tmp_path / "listening-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: listening\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[table.catalog-listeners]\nhearing = {__name__}:HearingFactory\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    HEARD.clear()
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_configuration(listening("hearing")).build()
    return TableEnvironment.create(settings)


def listening(names: str) -> Any:
    from table_api.common import Configuration

    configuration = Configuration()
    configuration.set_string(KEY, names)
    return configuration


def heard(env: TableEnvironment, statement: str) -> list[tuple[str, str]]:
    HEARD.clear()
    env.execute_sql(statement)
    return [(type(event).__name__, str(getattr(event, "identifier", getattr(event, "database_name", "")))) for event in HEARD]


def test_each_change_is_one_event(env: TableEnvironment) -> None:
    hole = "WITH ('connector' = 'blackhole')"
    t = "`default_catalog`.`d`.`t`"
    assert heard(env, "CREATE DATABASE d") == [("CreateDatabaseEvent", "d")]
    assert heard(env, "ALTER DATABASE d SET ('a' = 'b')") == [("AlterDatabaseEvent", "d")]
    assert heard(env, f"CREATE TABLE d.t (a INT) {hole}") == [("CreateTableEvent", t)]
    assert heard(env, "ALTER TABLE d.t SET ('x' = 'y')") == [("AlterTableEvent", t)]
    assert heard(env, "ALTER TABLE d.t RENAME TO u") == [("RenameTableEvent", t)]
    assert heard(env, "CREATE VIEW d.v AS SELECT 1 AS a") == [("CreateTableEvent", "`default_catalog`.`d`.`v`")]
    assert heard(env, "DROP VIEW d.v") == [("DropTableEvent", "`default_catalog`.`d`.`v`")]
    assert heard(env, "DROP TABLE d.u") == [("DropTableEvent", "`default_catalog`.`d`.`u`")]
    assert heard(env, "DROP TABLE IF EXISTS d.u") == []
    assert heard(env, f"CREATE TEMPORARY TABLE p (a INT) {hole}") == [("CreateTableEvent", "`default_catalog`.`default_database`.`p`")]
    assert HEARD[0].is_temporary  # type: ignore[attr-defined]
    assert heard(env, "DROP TEMPORARY TABLE p") == [("DropTableEvent", "`default_catalog`.`default_database`.`p`")]
    assert heard(env, "DROP DATABASE d CASCADE") == [("DropDatabaseEvent", "d")]


def test_a_change_that_fails_is_no_event(env: TableEnvironment) -> None:
    with pytest.raises(TableError):
        env.execute_sql("DROP TABLE nothing")
    with pytest.raises(TableError):
        env.execute_sql("CREATE DATABASE default_database")
    assert HEARD == []


def test_the_error_of_a_listener_is_that_of_the_statement(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="not this one"):
        env.execute_sql("CREATE DATABASE refused")
    assert "refused" in env.list_databases()


def test_the_list_is_read_when_the_environment_is_made(env: TableEnvironment) -> None:
    with pytest.raises(TableError, match=KEY):
        env.get_config().set(KEY, "")


def test_a_listener_that_is_not_installed_is_named() -> None:
    settings = EnvironmentSettings.new_instance().with_configuration(listening("nobody")).build()
    with pytest.raises(ValidationException, match="nobody"):
        TableEnvironment.create(settings)
