"""Reads the tables of result types."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from table_common.expressions import FieldReferenceExpression, ResolvedExpression, TypeLiteralExpression, ValueLiteralExpression
from table_common.expressions.call_inference import infer_call
from table_common.functions.builtin import BUILT_INS_BY_NAME, definitions_of
from table_common.types import NullType, SymbolType
from table_common.types.parser import parse_logical_type
from table_common.types.symbols import symbol_of


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


def facts_of(family: str) -> list[str]:
    """Returns the facts about functions of a family."""
    names = {definition.name for definition in definitions_of(family)}
    return [
        fact for fact in read_facts("scalar_result_types.txt") + read_facts("aggregate_result_types.txt") if fact.partition("(")[0] in names
    ]


@pytest.fixture
def inferred() -> Callable[[str], tuple[str, str]]:
    """Returns the inferred and the expected result type of a fact: ``NAME(argument | …) -> type``, of aggregates with the scope before the arrow."""

    def types_of(fact: str) -> tuple[str, str]:
        left, _, expected = fact.rpartition(" -> ")
        is_global = left.endswith(" global")
        name, arguments = _call(left.removesuffix(" global").removesuffix(" grouped"))
        return str(infer_call(BUILT_INS_BY_NAME[name], arguments, is_global_aggregate=is_global).output_type), expected

    return types_of


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrizes ``fact`` with the facts about the functions of the module's ``FAMILY``."""
    if "fact" in metafunc.fixturenames:
        metafunc.parametrize("fact", facts_of(metafunc.module.FAMILY))
