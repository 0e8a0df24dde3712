"""Reads the tables of result types."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from table_common.expressions import FieldReferenceExpression, ResolvedExpression, TypeLiteralExpression, ValueLiteralExpression
from table_common.expressions.symbols import symbol_of
from table_common.types import NullType, SymbolType
from table_common.types.parser import parse_logical_type


def read_facts(file: str) -> list[str]:
    """Returns the lines of a table beside this file that are not comments."""
    lines = (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _argument(text: str) -> ResolvedExpression:
    if text == "NULL":
        return ValueLiteralExpression(None, NullType())
    if text.startswith("@"):
        return ValueLiteralExpression(symbol_of(text[1:]), SymbolType(nullable=False))
    if text.startswith("TYPE "):
        return TypeLiteralExpression(parse_logical_type(text[5:]))
    value, separator, type_text = text.rpartition(" :: ")
    parsed = parse_logical_type(type_text, allow_zero_length=True)
    return ValueLiteralExpression(json.loads(value), parsed) if separator else FieldReferenceExpression("f", parsed, 0, 0)


def _call(text: str) -> tuple[str, list[ResolvedExpression]]:
    name, _, rest = text.partition("(")
    inside = rest[: rest.rindex(")")]
    return name, [_argument(part) for part in inside.split(" | ")] if inside else []


@pytest.fixture
def call() -> Callable[[str], tuple[str, list[ResolvedExpression]]]:
    """Turns ``NAME(argument | …)`` into the name and resolved arguments."""
    return _call


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scalar_fact" in metafunc.fixturenames:
        metafunc.parametrize("scalar_fact", read_facts("scalar_result_types.txt"))
    if "aggregate_fact" in metafunc.fixturenames:
        metafunc.parametrize("aggregate_fact", read_facts("aggregate_result_types.txt"))
