"""SELECT lists, and tables whose columns are not all stored, as SQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_api.operations.sql_text import query_text

COLUMNS = {
    "stored": "id INT, w TIMESTAMP(3), twice AS id * 2, WATERMARK FOR w AS w - INTERVAL '5' SECOND",
    "computed": "twice AS id * 2, id INT, s STRING, ts AS TO_TIMESTAMP(s), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
    "plain": "id INT, w TIMESTAMP(3), WATERMARK FOR w AS w",
}


@pytest.fixture(params=["batch", "streaming"])
def env(request: pytest.FixtureRequest) -> Iterator[TableEnvironment]:
    settings = EnvironmentSettings.in_streaming_mode() if request.param == "streaming" else EnvironmentSettings.in_batch_mode()
    with TableEnvironment.create(settings) as made:
        for name, columns in COLUMNS.items():
            made.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'datagen')")
        yield made


def text(env: TableEnvironment, query: str) -> str:
    return " ".join(query_text(env.sql_query(query).query_operation).split())


@pytest.mark.parametrize("table", COLUMNS)
def test_computed_columns_and_watermarks_of_a_table_are_not_written_again(env: TableEnvironment, table: str) -> None:
    names = ", ".join(f"`{table}`.`{name}`" for name in env.from_path(table).get_schema().get_field_names())
    assert text(env, f"SELECT * FROM {table}") == f"SELECT {names} FROM `default_catalog`.`default_database`.`{table}` AS `{table}`"


def test_a_query_over_a_table_with_a_watermark_names_its_columns(env: TableEnvironment) -> None:
    expected = "SELECT `computed`.`ts` FROM `default_catalog`.`default_database`.`computed` AS `computed` WHERE `computed`.`twice` > 2"
    assert text(env, "SELECT ts FROM computed WHERE twice > 2") == expected


def test_what_is_computed_once_stays_computed_once(env: TableEnvironment) -> None:
    written = text(env, "SELECT r + r AS d FROM (SELECT RAND() AS r FROM plain) AS v")
    assert written.count("RAND()") == 1


def test_references_are_merged_into_one_select(env: TableEnvironment) -> None:
    assert text(env, "SELECT i + 1 AS j FROM (SELECT id AS i FROM plain) AS v").count("SELECT") == 1
