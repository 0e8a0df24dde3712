"""Intervals from numbers."""

from __future__ import annotations

from table_api.expressions import col, lit
from table_api.expressions.unresolved import Literal
from table_common.types import DayTimeIntervalType, YearMonthIntervalType


def test_minutes_of_a_constant_are_an_interval_constant() -> None:
    node = lit(5).minutes.unresolved
    assert isinstance(node, Literal)
    assert (node.value, type(node.type)) == (300_000_000_000, DayTimeIntervalType)


def test_quarters_count_months() -> None:
    node = lit(2).quarters.unresolved
    assert isinstance(node, Literal)
    assert (node.value, type(node.type)) == (6, YearMonthIntervalType)


def test_days_of_a_column_are_computed() -> None:
    assert str(col("n").days) == "TIMES(n, 86400000000000)"
