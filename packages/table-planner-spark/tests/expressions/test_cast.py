"""CAST and TRY_CAST on Spark, where Spark's own differ."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from table_common.exceptions import TableRuntimeException


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CAST(TRUE AS STRING)", "TRUE"),
        ("CAST('ab' AS CHAR(4))", "ab  "),
        ("CAST('abcdef' AS VARCHAR(3))", "abc"),
        ("CAST('1.9' AS INT)", 1),
        ("CAST('12' AS DATE)", datetime.date(12, 1, 1)),
        ("CAST(CAST(1.005 AS DECIMAL(5, 3)) AS DECIMAL(5, 2))", Decimal("1.01")),
        ("CAST(TIMESTAMP '2020-01-01 00:00:00.1' AS STRING)", "2020-01-01 00:00:00.1"),
        ("CAST(CAST('2020-01-01 00:00:00' AS TIMESTAMP(3)) AS STRING)", "2020-01-01 00:00:00.000"),
        ("CAST(TIMESTAMP '2020-01-01 00:00:00.123456789' AS STRING)", "2020-01-01 00:00:00.123456789"),
        ("CAST(INTERVAL '-1-2' YEAR TO MONTH AS STRING)", "-1-02"),
        ("CAST(ROW(1, 'a', CAST(NULL AS INT)) AS STRING)", "(1, a, NULL)"),
        ("CAST(MAP['a', ARRAY[1, 2]] AS STRING)", "{a=[1, 2]}"),
        ("TRY_CAST('x' AS INT)", None),
        ("TRY_CAST(300 AS TINYINT)", None),
        ("TRY_CAST('2020-01-01T00:00:00' AS DATE)", None),
        pytest.param("CAST('12:34:56' AS TIME)", datetime.time(12, 34, 56), marks=pytest.mark.needs_time),
    ],
)
def test_a_cast_returns_flinks_result(run: Any, expression: str, expected: object) -> None:
    assert run.value(expression) == expected


@pytest.mark.parametrize("expression", ["CAST('x' AS INT)", "CAST(300 AS TINYINT)", "CAST('2020-01-01T00:00:00' AS DATE)"])
def test_a_value_that_cannot_be_cast_is_an_error_in_words(run: Any, expression: str) -> None:
    with pytest.raises(TableRuntimeException, match="cannot be cast") as caught:
        run.value(expression)
    assert "\tat " not in str(caught.value)


def test_a_deeply_nested_cast_does_not_grow_exponentially(run: Any) -> None:
    expression = "'2020-01-01'"
    for _ in range(8):
        expression = f"CAST(CAST({expression} AS DATE) AS STRING)"
    assert run.value(expression) == "2020-01-01"
