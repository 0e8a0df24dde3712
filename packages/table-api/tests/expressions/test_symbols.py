"""Symbols: keyword arguments of functions."""

from __future__ import annotations

from enum import Enum

import pytest

from table_api.expressions import symbols
from table_api.expressions.node_holder import to_unresolved
from table_api.expressions.symbols import JsonOnNull, TimeIntervalUnit, TimePointUnit
from table_api.expressions.unresolved import Symbol


@pytest.mark.parametrize(
    ("member", "keyword"),
    [(TimeIntervalUnit.DAY_TO_SECOND, "DAY TO SECOND"), (TimePointUnit.QUARTER, "QUARTER"), (JsonOnNull.ABSENT, "ABSENT_ON_NULL")],
)
def test_a_member_becomes_its_keyword(member: Enum, keyword: str) -> None:
    assert to_unresolved(member) == Symbol(keyword)


@pytest.mark.parametrize("enumeration", [value for value in vars(symbols).values() if isinstance(value, type(Enum)) and value is not Enum])
def test_the_keywords_of_an_enumeration_differ(enumeration: type[Enum]) -> None:
    assert len({member.value for member in enumeration}) == len(enumeration.__members__)
