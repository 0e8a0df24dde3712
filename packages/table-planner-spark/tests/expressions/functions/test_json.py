"""JSON functions as Spark SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import json as fn
from table_common.types import BooleanType, LogicalType, VarCharType
from table_planner_spark.expressions.functions.json import FUNCTIONS

TEXT = VarCharType()


def translated(function: FunctionDefinition, text: str, *constants: str, output_type: LogicalType = TEXT) -> str:
    literals = [ValueLiteralExpression(constant, TEXT) for constant in constants]
    args: tuple[ResolvedExpression, ...] = (FieldReferenceExpression("a", TEXT, 0, 0), *literals)
    return FUNCTIONS[function](CallExpression(function, args, output_type), [text, *(f"'{constant}'" for constant in constants)])


@pytest.mark.parametrize(
    ("text", "expected"), [("'{}'", True), ("'1'", True), ("'[1] [2]'", False), ("''", False), ("CAST(NULL AS STRING)", False)]
)
def test_one_value_is_json(value_of: Callable[[str], Any], text: str, expected: bool) -> None:
    assert value_of(translated(fn.IS_JSON, text, output_type=BooleanType())) is expected


@pytest.mark.parametrize(("path", "expected"), [("$.x", True), ("$.y", False), ("$.x[0]", True), ("$.x[1]", False)])
def test_a_path_exists_or_not(value_of: Callable[[str], Any], path: str, expected: bool) -> None:
    assert value_of(translated(fn.JSON_EXISTS, "'{\"x\": [null]}'".replace("null", "1"), path, output_type=BooleanType())) is expected


@pytest.mark.parametrize(("text", "expected"), [('\'{"x": "v"}\'', "v"), ("'{\"x\": 7}'", "7"), ("'{\"x\": {}}'", None), ("'{'", None)])
def test_a_value_is_a_scalar(value_of: Callable[[str], Any], text: str, expected: str | None) -> None:
    # The part for numbers with a fraction runs in a worker, and is not evaluated for these texts.
    text = translated(fn.JSON_VALUE, text, "$.x")
    assert value_of("element_at" + text.partition(", element_at")[2][:-1]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'a\"b'", '"a\\"b"'),
        ("'é'", '"\\u00e9"'),
        ("'é€x😀/y'", '"\\u00e9\\u20acx\\ud83d\\ude00\\/y"'),
        ("concat('a', char(127), char(10))", '"a\x7f\\n"'),
        ("''", '""'),
        ("CAST(NULL AS STRING)", None),
    ],
)
def test_a_quoted_text_has_only_ascii_characters(value_of: Callable[[str], Any], text: str, expected: str | None) -> None:
    assert value_of(translated(fn.JSON_QUOTE, text)) == expected
