"""Statements that run without an engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_api import (
    EnvironmentSettings,
    TableEnvironment,
    TableException,
    TableResult,
    ValidationException,
)


@pytest.fixture
def plain() -> Iterator[TableEnvironment]:
    """An environment without any engine."""
    with TableEnvironment.create(EnvironmentSettings.in_batch_mode()) as environment:
        yield environment


def _rows(result: TableResult) -> list[list[object]]:
    with result.collect() as rows:
        return [list(row) for row in rows]


def test_use_changes_what_is_current(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE CATALOG c WITH ('type' = 'generic_in_memory')")
    plain.execute_sql("CREATE DATABASE c.d")
    plain.execute_sql("USE c.d")
    assert (plain.get_current_catalog(), plain.get_current_database()) == ("c", "d")


def test_option_is_set_and_reset(plain: TableEnvironment) -> None:
    plain.execute_sql("SET 'table.local-time-zone' = 'Asia/Tokyo'")
    assert plain.get_config().get_local_timezone() == "Asia/Tokyo"
    plain.execute_sql("RESET 'table.local-time-zone'")
    assert plain.get_config().get("table.local-time-zone", "unset") == "unset"


def test_set_alone_lists_options_without_secrets(plain: TableEnvironment) -> None:
    plain.execute_sql("SET 'spark.password' = 'x'")
    assert _rows(plain.execute_sql("SET")) == [["execution.runtime-mode", "batch"], ["spark.password", "******"]]


@pytest.mark.parametrize(
    ("key", "value"), [("table.exec.timeout", "soon"), ("table.local-time-zone", "Mars/Base"), ("table.dml-sync", "maybe")]
)
def test_value_that_an_option_does_not_take_is_refused_at_once(plain: TableEnvironment, key: str, value: str) -> None:
    with pytest.raises(ValidationException):
        plain.execute_sql(f"SET '{key}' = '{value}'")


def test_option_that_is_fixed_cannot_be_set(plain: TableEnvironment) -> None:
    with pytest.raises(TableException, match="fixed when an environment is created"):
        plain.execute_sql("SET 'table.planner' = 'arrow'")


def test_the_mode_can_be_set_and_reset(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TABLE events (ts TIMESTAMP(3), WATERMARK FOR ts AS ts)")
    types = []
    for statement in ("SET 'execution.runtime-mode' = 'streaming'", "RESET 'execution.runtime-mode'"):
        plain.execute_sql(statement)
        types.append(str(plain.from_path("events").get_resolved_schema().columns[0].data_type))
    assert types == ["TIMESTAMP(3) *ROWTIME*", "TIMESTAMP(3)"]


def test_error_of_a_name_has_line_and_column(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TABLE orders (a INT)")
    with pytest.raises(ValidationException) as caught:
        plain.sql_query("SELECT a\nFROM order_s")
    assert "at line 2, column 6" in str(caught.value)
    assert "Did you mean 'orders'?" in str(caught.value)


def test_completion_offers_tables_and_columns(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE TABLE orders (amount INT)")
    assert plain.get_completion_hints("SELECT * FROM ord", 17)[0] == "orders"
    assert "amount" in plain.get_completion_hints("SELECT am FROM orders", 9)


def test_closed_environment_says_so(plain: TableEnvironment) -> None:
    plain.close()
    plain.close()
    with pytest.raises(TableException, match="was closed"):
        plain.execute_sql("SHOW TABLES")


def test_a_view_of_a_view_is_expanded(plain: TableEnvironment) -> None:
    plain.execute_sql("CREATE VIEW v AS SELECT 1 AS x")
    plain.execute_sql("CREATE VIEW w AS SELECT x + 1 AS y FROM v")
    assert plain.from_path("w").get_resolved_schema().column_names == ("y",)
