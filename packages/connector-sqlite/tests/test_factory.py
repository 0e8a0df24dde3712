"""The factory: options, paths, and the columns of the table in SQLite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from connector_sqlite import SqliteTableFactory
from table_common.exceptions import TableRuntimeException, ValidationException
from table_testing import ConnectorCase


class Case(ConnectorCase):
    factory = SqliteTableFactory
    schema = "id BIGINT, name STRING"


def refusal(options: dict[str, str]) -> ValidationException:
    with pytest.raises(ValidationException) as caught:
        Case().source(options)
    return caught.value


def test_a_missing_file_is_an_error_without_retries(tmp_path: Path, options: dict[str, str], waits: list[float]) -> None:
    error = refusal({**options, "path": str(tmp_path / "shopp.db")})
    assert error.message == (f"The SQLite database '{tmp_path}/shopp.db' does not exist. Did you mean 'shop.db'?")
    assert "it is not created" in (error.hint or "")
    assert not waits
    assert not (tmp_path / "shopp.db").exists()


def test_a_relative_path_is_shown_with_its_absolute_path(options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert f"'{tmp_path}/nix.db' does not exist" in refusal({**options, "path": "nix.db"}).message


def test_the_error_of_a_missing_folder_names_it(tmp_path: Path, options: dict[str, str]) -> None:
    assert f"nor does the folder '{tmp_path}/nix'" in refusal({**options, "path": f"{tmp_path}/nix/shop.db"}).message


def test_a_folder_is_no_database(tmp_path: Path, options: dict[str, str]) -> None:
    assert "is a folder." in refusal({**options, "path": str(tmp_path)}).message


def test_a_file_of_another_kind_is_an_error_without_retries(tmp_path: Path, options: dict[str, str], waits: list[float]) -> None:
    (tmp_path / "notes.txt").write_text("not a database at all" * 100)
    error = refusal({**options, "path": str(tmp_path / "notes.txt")})
    assert error.message == f"The file '{tmp_path}/notes.txt' is not a SQLite database."
    assert not waits


def test_the_error_of_a_missing_table_lists_the_existing_tables(options: dict[str, str], waits: list[float]) -> None:
    error = refusal({**options, "table-name": "tt"})
    assert error.message == f"The SQLite table 'tt' does not exist in the database '{options['path']}'. Did you mean 't'? Available: t."
    assert not waits


def test_the_error_of_a_missing_table_has_a_create_statement(options: dict[str, str]) -> None:
    assert 'CREATE TABLE "u" ("id" INTEGER, "name" TEXT)' in (refusal({**options, "table-name": "u"}).hint or "")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("table-nam", "t", "unknown: 'table-nam' (did you mean 'table-name'?)"),
        ("connection.max-retries", "often", "connection.max-retries"),
        ("connection.max-retries", "-1", "'connection.max-retries' of table compliance.suite.tested must be at least 0, but is -1"),
        ("connection.retry-delay", "soon", "connection.retry-delay"),
        ("scan.partition.num", "0", "'scan.partition.num' of table compliance.suite.tested must be at least 1, but is 0"),
    ],
)
def test_the_error_names_an_invalid_option(options: dict[str, str], key: str, value: str, message: str) -> None:
    assert message in refusal({**options, key: value}).message


def test_the_error_names_a_missing_option(options: dict[str, str]) -> None:
    del options["path"]
    assert "missing: path" in refusal(options).message


def test_the_error_of_missing_columns_shows_both_schemas(options: dict[str, str]) -> None:
    class Wider(Case):
        schema = "id BIGINT, price DECIMAL(10, 2)"

    with pytest.raises(ValidationException, match="has no column price") as caught:
        Wider().source(options)
    lines = [line.split() for line in str(caught.value).splitlines()[1:]]
    assert ["price", "DECIMAL(10,", "2)", "-"] in lines
    assert ["-", "name", "TEXT"] in lines


def test_a_type_that_sqlite_cannot_store_is_refused(options: dict[str, str]) -> None:
    class Nested(Case):
        schema = "id BIGINT, name ARRAY<INT>"

    with pytest.raises(ValidationException, match=r"Column 'name' .* which SQLite cannot store"):
        Nested().source(options)


def test_a_url_is_a_path(options: dict[str, str]) -> None:
    path = options.pop("path")
    source: Any = Case().source({**options, "url": f"sqlite:///{path}"})
    assert str(source.database.path) == path


def test_a_trace_file_that_cannot_be_written_is_named(tmp_path: Path, options: dict[str, str]) -> None:
    options["connection.trace-file"] = f"{tmp_path}/missing/trace.txt"
    with pytest.raises(TableRuntimeException, match=r"The trace file '.*/missing/trace.txt' cannot be written") as caught:
        Case().source(options)
    assert "'connection.trace-file'" in (caught.value.hint or "")
