from __future__ import annotations

import pytest

from table_common.expressions import FieldReferenceExpression
from table_common.expressions.row_patterns import (
    MatchTime,
    PatternAggregate,
    PatternDefinition,
    PatternExpression,
    PatternVariable,
    RowNavigation,
)
from table_common.functions.builtin import aggregates
from table_common.types import BigIntType, IntType, TimestampType

PRICE = FieldReferenceExpression("price", IntType(), 0, 0)


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        (PatternVariable("A"), "A"),
        (PatternVariable("A", 0, None), "A*"),
        (PatternVariable("A", 1, None, greedy=False), "A+?"),
        (PatternVariable("A", 0, 1), "A?"),
        (PatternVariable("A", 2, 2), "A{2}"),
        (PatternVariable("A", 2, None), "A{2,}"),
        (PatternVariable("A", 2, 5), "A{2,5}"),
    ],
)
def test_a_variable_prints_with_its_quantifier(variable: PatternVariable, text: str) -> None:
    assert str(variable) == text


@pytest.mark.parametrize(
    ("navigation", "text"),
    [
        (RowNavigation("A", PRICE), "A.price"),
        (RowNavigation("A", PRICE, offset=1), "LAST(A.price, 1)"),
        (RowNavigation("A", PRICE, from_first=True), "FIRST(A.price, 0)"),
    ],
)
def test_a_navigation_prints_as_in_sql(navigation: RowNavigation, text: str) -> None:
    assert str(navigation) == text


def test_an_aggregate_prints_its_variable_and_call() -> None:
    assert str(PatternAggregate("A", aggregates.SUM, (PRICE,), IntType())) == "A: SUM(price)"
    assert str(PatternAggregate("A", aggregates.COUNT, (), BigIntType())) == "A: COUNT(*)"


def test_a_match_time_without_a_column_is_processing_time() -> None:
    assert str(MatchTime(TimestampType(3))) == "MATCH_PROCTIME()"
    assert str(MatchTime(TimestampType(3), PRICE)) == "MATCH_ROWTIME()"


def test_a_definition_prints_as_in_define() -> None:
    assert str(PatternDefinition("A", PatternExpression(PRICE, (RowNavigation("A", PRICE),)))) == "A AS price"
