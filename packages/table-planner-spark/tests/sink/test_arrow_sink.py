"""Sinks that take Arrow batches, and the built-in connectors on Spark."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.exceptions import TableException

GENERATED = "CREATE TEMPORARY TABLE g (a INT, b STRING) WITH ('connector'='datagen', 'number-of-rows'='7', 'fields.b.length'='4')"


def test_generated_rows_are_counted(run: Any) -> None:
    run.environment.execute_sql(GENERATED)
    assert run.rows("SELECT COUNT(*), MIN(CHAR_LENGTH(b)) FROM g") == [(7, 4)]


def test_rows_that_never_end_are_refused(run: Any) -> None:
    run.environment.execute_sql("CREATE TEMPORARY TABLE g (a INT) WITH ('connector'='datagen')")
    with pytest.raises(TableException, match="never ends"):
        run.rows("SELECT a FROM g")


def test_rows_are_printed_by_the_program(run: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run.environment.execute_sql("CREATE TEMPORARY TABLE p (a INT, b STRING) WITH ('connector'='print', 'print-identifier'='id')")
    run.environment.execute_sql("INSERT INTO p VALUES (1, 'a')").wait()
    assert capsys.readouterr().out == "id> +I[1, a]\n"


def test_rows_in_a_black_hole_are_counted(run: Any) -> None:
    run.environment.execute_sql(GENERATED)
    run.environment.execute_sql("CREATE TEMPORARY TABLE k (a INT, b STRING) WITH ('connector'='blackhole')")
    assert run.rows("INSERT INTO k SELECT * FROM g") == [(7,)]
