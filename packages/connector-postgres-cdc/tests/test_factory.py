from __future__ import annotations

import pytest
from cdc_server import new_schema, new_table, provider_of, run, server, source_of

from table_common.connector import ScanTableSource
from table_common.exceptions import ValidationException

COLUMNS = "id INT NOT NULL, v INT"
TABLE = "id int PRIMARY KEY, v int"


def failure(table: str, columns: str = COLUMNS, key: tuple[str, ...] = (), **options: str) -> str:
    with pytest.raises(ValidationException) as caught:
        source_of(table, columns, key, **options)
    return f"{caught.value} {caught.value.hint}"


def test_old_rows_depend_on_the_replica_identity() -> None:
    full, default = new_table(TABLE), new_table(TABLE, full=False)
    assert str(source_of(full, COLUMNS).get_changelog_mode()) == "[+I,-U,+U,-D]"
    assert str(source_of(full, COLUMNS, ("id",), changelog_mode="upsert").get_changelog_mode()) == "[+I,+U,-D]"
    upsert = source_of(default, COLUMNS, ("id",))
    assert str(upsert.get_changelog_mode()) == "[+I,+U,-D]"
    assert "REPLICA IDENTITY FULL" in upsert.as_summary_string(), "EXPLAIN says what would save keeping the last rows"
    schema = default.partition(".")[0]
    assert f'ALTER TABLE "{schema}"."tested" REPLICA IDENTITY FULL' in failure(default, COLUMNS, ("id",), changelog_mode="all")
    assert "declare PRIMARY KEY" in failure(default)
    assert "declare the primary key (id)" in failure(default, COLUMNS, ("v",))


def test_a_table_without_replica_identity_is_told_the_statement() -> None:
    table = new_table("id int, v int", full=False)
    assert f'ALTER TABLE "{table.partition(".")[0]}"."tested" REPLICA IDENTITY FULL' in failure(table, COLUMNS, ("id",))


def test_tables_that_the_log_does_not_have_are_refused() -> None:
    schema = new_schema()
    run(f"CREATE UNLOGGED TABLE {schema}.u (id int PRIMARY KEY, v int)", f"CREATE VIEW {schema}.w AS SELECT 1 AS id, 2 AS v")
    assert "SET LOGGED" in failure(f"{schema}.u")
    assert "is no table" in failure(f"{schema}.w")
    assert "does not exist" in failure(f"{schema}.nothing")
    assert "neither a name nor a regular expression" in failure(f"{schema}.(")


def test_columns_are_checked() -> None:
    table = new_table("id int PRIMARY KEY, v int, g int GENERATED ALWAYS AS (v * 2) STORED")
    assert "declare it as a computed column" in failure(table, "id INT NOT NULL, g INT")
    assert "nothing" in failure(table, "id INT NOT NULL, nothing INT")
    assert "STRING" in failure(table, "id INT NOT NULL, v STRING")


def test_options_are_checked() -> None:
    table = new_table(TABLE)
    assert "lack 'slot.name'" in failure(table, slot__name="")
    assert "either 'url' or 'hostname'" in failure(table, hostname="localhost")
    assert "scan.startup.mode" in failure(table, scan__startup__mode="sometimes")
    assert "at least 1" in failure(table, scan__incremental__snapshot__chunk__size="0")


def test_the_server_can_be_named_by_parts() -> None:
    table = new_table(TABLE)
    folder = server().url.partition("host=")[2].replace("%2F", "/")
    source = source_of(table, COLUMNS, url="", hostname=folder, username="postgres", database_name="postgres")
    assert source.capture.shape.database == "postgres"
    assert "must have 'database-name'" in failure(table, url="", hostname="localhost")


def test_batch_mode_needs_an_end() -> None:
    source = source_of(new_table(TABLE), COLUMNS)
    with pytest.raises(ValidationException, match="has no end"):
        source.get_scan_runtime_provider(ScanTableSource.ScanContext())
    snapshot = source_of(new_table(TABLE), COLUMNS, scan__startup__mode="snapshot", slot__name="")
    assert snapshot.get_scan_runtime_provider(ScanTableSource.ScanContext()).is_bounded
    assert str(snapshot.get_changelog_mode()) == "[+I]"
    assert not provider_of(new_table(TABLE), COLUMNS).is_bounded
