"""String functions as Spark SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import strings as fn
from table_common.types import IntType, LogicalType, VarCharType
from table_planner_spark.expressions.functions import splitting
from table_planner_spark.expressions.functions.strings import FUNCTIONS

TEXT, INT = VarCharType(), IntType()


def translated(function: FunctionDefinition, types: list[LogicalType], *texts: str) -> str:
    fields = tuple(FieldReferenceExpression(str(index), type_, 0, index) for index, type_ in enumerate(types))
    return FUNCTIONS[function](CallExpression(function, fields, TEXT), texts)


@pytest.mark.parametrize(
    ("expression", "planned"),
    [("TRIM(s)", "trim(s"), ("LTRIM(s)", "ltrim(s"), ("TRIM(BOTH 'x' FROM s)", "trim(s")],
)
def test_trim_is_planned_as_the_function_of_spark(env: Any, expression: str, planned: str) -> None:
    env.create_temporary_view("t", env.sql_query("SELECT * FROM (VALUES (' a '), ('b')) AS t(s)"))
    plan = env.to_data_frame(env.sql_query(f"SELECT {expression} AS x, s FROM t"))._jdf.queryExecution().analyzed().toString()
    assert planned in plan.split(" AS ")[0] or f"[{planned}" in plan, plan


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("TRIM('  a b ')", "a b"),
        ("TRIM(LEADING FROM '  a ')", "a "),
        ("RTRIM(' a\t ')", " a\t"),
        ("TRIM(BOTH 'xy' FROM 'xyaxy')", "a"),
    ],
)
def test_trim_removes_spaces_or_the_characters_given(run: Any, expression: str, expected: object) -> None:
    assert run.value(expression) == expected


@pytest.mark.parametrize(("start", "expected"), [(1, "abc"), (-2, "bc"), (-4, ""), (4, "")])
def test_a_substring_that_starts_outside_of_the_text_is_empty(value_of: Callable[[str], Any], start: int, expected: str) -> None:
    assert value_of(translated(fn.SUBSTRING, [TEXT, INT], "'abc'", str(start))) == expected


@pytest.mark.parametrize(("index", "expected"), [(0, "a"), (1, "b"), (2, None), (-1, None)])
def test_split_index_counts_from_zero(value_of: Callable[[str], Any], index: int, expected: str | None) -> None:
    args: tuple[ResolvedExpression, ...] = (
        FieldReferenceExpression("s", TEXT, 0, 0),
        ValueLiteralExpression("|", TEXT),
        ValueLiteralExpression(index, INT),
    )
    assert (
        value_of(splitting.FUNCTIONS[fn.SPLIT_INDEX](CallExpression(fn.SPLIT_INDEX, args, TEXT), ["'a|b'", "'|'", str(index)])) == expected
    )


@pytest.mark.parametrize(("text", "expected"), [("'12'", True), ("''", False), ("'1a'", False), ("CAST(NULL AS STRING)", False)])
def test_is_digit_of_null_is_false(value_of: Callable[[str], Any], text: str, expected: bool) -> None:
    assert value_of(translated(fn.IS_DIGIT, [TEXT], text)) is expected


def test_a_repeated_text_of_normal_size_passes_the_check_of_its_size(value_of: Callable[[str], Any]) -> None:
    assert value_of(translated(fn.REPEAT, [TEXT, INT], "'ab'", "2")) == "abab"


def test_a_pattern_that_is_not_valid_matches_nothing() -> None:
    args = (FieldReferenceExpression("s", TEXT, 0, 0), ValueLiteralExpression("x(", TEXT))
    assert FUNCTIONS[fn.REGEXP](CallExpression(fn.REGEXP, args, TEXT), ["s", "'x('"]) == "if(s IS NULL, NULL, false)"


def test_base64_has_no_line_breaks(run: Any) -> None:
    assert "\n" not in run.value("TO_BASE64(REPEAT('a', 100))")
