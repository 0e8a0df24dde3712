"""The connectors datagen, print, blackhole and values."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_common.exceptions import TableException, ValidationException
from table_runtime.connectors.values import register_values, unregister_values


@pytest.fixture
def env() -> Any:
    with TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()) as environment:
        yield environment


def rows(env: Any, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in env.execute_sql(sql).collect()]


def test_a_seed_makes_the_same_rows(env: Any) -> None:
    options = "'connector'='datagen', 'number-of-rows'='5', 'seed'='1'"
    env.execute_sql(f"CREATE TEMPORARY TABLE g (a INT, b STRING, c BIGINT) WITH ({options})")
    assert rows(env, "SELECT * FROM g") == rows(env, "SELECT * FROM g")


def test_rows_that_never_end_are_refused(env: Any) -> None:
    env.execute_sql("CREATE TEMPORARY TABLE g (a INT) WITH ('connector'='datagen')")
    with pytest.raises(TableException, match=r"never ends.*SET 'execution.runtime-mode' = 'streaming'"):
        rows(env, "SELECT a FROM g")


def test_a_sequence_without_a_number_of_rows_is_refused_with_the_option(env: Any) -> None:
    options = "'connector'='datagen', 'fields.a.kind'='sequence', 'fields.a.start'='4', 'fields.a.end'='6'"
    env.execute_sql(f"CREATE TEMPORARY TABLE g (a INT) WITH ({options})")
    with pytest.raises(TableException, match=r"end with the shortest sequence.*'number-of-rows'"):
        rows(env, "SELECT a FROM g")


def test_a_sequence_ends_the_table(env: Any) -> None:
    options = "'connector'='datagen', 'number-of-rows'='9', 'fields.a.kind'='sequence', 'fields.a.start'='4', 'fields.a.end'='6'"
    env.execute_sql(f"CREATE TEMPORARY TABLE g (a INT) WITH ({options})")
    assert rows(env, "SELECT a FROM g") == [(4,), (5,), (6,)]


def test_rows_are_printed_in_the_form_of_flink(env: Any, capsys: pytest.CaptureFixture[str]) -> None:
    env.execute_sql("CREATE TEMPORARY TABLE p (a INT, b STRING, c BOOLEAN) WITH ('connector'='print', 'print-identifier'='id')")
    env.execute_sql("INSERT INTO p VALUES (1, 'a', TRUE), (2, CAST(NULL AS STRING), FALSE)").wait()
    assert capsys.readouterr().out == "id> +I[1, a, true]\nid> +I[2, null, false]\n"


def test_a_black_hole_cannot_be_read(env: Any) -> None:
    env.execute_sql("CREATE TEMPORARY TABLE k (a INT) WITH ('connector'='blackhole')")
    with pytest.raises(ValidationException):
        rows(env, "SELECT * FROM k")


def test_registered_rows_are_read(env: Any) -> None:
    register_values("mine", [(1, "a"), (2, None)])
    env.execute_sql("CREATE TEMPORARY TABLE v (a INT, b STRING) WITH ('connector'='values', 'data-id'='mine')")
    assert rows(env, "SELECT b, a FROM v") == [("a", 1), (None, 2)]
    unregister_values("mine")
