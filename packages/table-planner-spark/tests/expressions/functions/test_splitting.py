"""Functions that divide a string, as Spark SQL."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import strings
from table_common.types import ArrayType, VarCharType
from table_planner_spark.expressions.converter import to_spark_sql


def split(separator: str, length: int) -> str:
    text: ResolvedExpression = FieldReferenceExpression("a", VarCharType(length), 0, 0)
    call = CallExpression(strings.SPLIT, (text, ValueLiteralExpression(separator, VarCharType(10))), ArrayType(VarCharType()))
    return to_spark_sql(call, ["a"])


@pytest.mark.parametrize(("separator", "pattern"), [(",", "','"), (".", "'\\\\.'")])
def test_one_character_is_no_quoted_pattern(separator: str, pattern: str) -> None:
    assert split(separator, 10) == f"if(`a` = '', CAST(array() AS ARRAY<STRING>), split(`a`, {pattern}, -1))"


def test_a_short_text_has_no_guard() -> None:
    assert "raise_error" not in split(",", 1000)
    assert "raise_error" in split(",", 2147483647)


def test_a_text_of_many_entries_is_a_map_in_linear_time(run: Any) -> None:
    text = ",".join(f"k{number % 20000}=v{number}" for number in range(40000))
    assert run.rows(f"SELECT CARDINALITY(STR_TO_MAP(a)), STR_TO_MAP(a)['k7'] FROM (VALUES '{text}', 'k7=x') AS t (a)") == [
        (20000, "v20007"),
        (1, "x"),
    ]
