"""Times that are cut to the digits of their columns, and the bounds of stored values."""

from __future__ import annotations

from typing import Any

import pytest

from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import comparison, conversion
from table_common.types import BooleanType, LocalZonedTimestampType, TimestampType, parse_logical_type
from table_planner_spark.scan.time_digits import bounds_of_stored_times, cut_times

_MILLIS = TimestampType(3)
_COLUMN = FieldReferenceExpression("v", _MILLIS, 0, 0)
_FINE = CallExpression(conversion.CAST, (_COLUMN, TypeLiteralExpression(TimestampType(6))), TimestampType(6))
_ZERO, _ONE = (f"`v` >= TIMESTAMP_NTZ'1970-01-01 00:00:00.00{n}000'" for n in (0, 1))
_BELOW_ONE, _BELOW_TWO = (f"`v` < TIMESTAMP_NTZ'1970-01-01 00:00:00.00{n}000'" for n in (1, 2))


def call(function: FunctionDefinition, *args: ResolvedExpression) -> CallExpression:
    return CallExpression(function, args, BooleanType())


def at(nanos: int | None, type_: Any = _MILLIS) -> ValueLiteralExpression:
    return ValueLiteralExpression(nanos, type_)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (call(comparison.EQUALS, _COLUMN, at(1_000_000)), [_ONE, _BELOW_TWO]),
        (call(comparison.EQUALS, _FINE, at(1_500_000, TimestampType(6))), [_ONE, _BELOW_TWO]),
        (call(comparison.LESS_THAN, at(1_000_000), _COLUMN), [_ONE]),
        (call(comparison.LESS_THAN_OR_EQUAL, _COLUMN, at(1_000_000)), [_BELOW_TWO]),
        (call(comparison.BETWEEN, _COLUMN, at(0), at(1_000_000)), [_ZERO, _BELOW_TWO]),
        (call(comparison.IN, _COLUMN, at(0), at(1_000_000)), [_ZERO, _BELOW_TWO]),
        (call(comparison.NOT_EQUALS, _COLUMN, at(0)), []),
        (call(comparison.EQUALS, _COLUMN, at(None)), []),
        (call(comparison.EQUALS, _COLUMN, at(0, LocalZonedTimestampType(3))), []),
        (call(comparison.EQUALS, _COLUMN, _COLUMN), []),
        (call(comparison.IS_NULL, _COLUMN), []),
        (call(comparison.LESS_THAN_OR_EQUAL, _COLUMN, at(253_402_300_799_999_000_000)), []),
    ],
)
def test_conditions_bound_the_stored_values(condition: CallExpression, expected: list[str]) -> None:
    assert bounds_of_stored_times([condition], {"v": "`v`"}, {"v"}) == expected
    assert bounds_of_stored_times([condition], {"v": "`v`"}, ()) == []


@pytest.mark.parametrize("type_", ["TIMESTAMP(6)", "TIMESTAMP_LTZ(9)", "ARRAY<TIMESTAMP(6)>", "TIME(0)", "ROW<a INT>"])
def test_what_has_no_digits_to_cut_is_not_changed(type_: str) -> None:
    assert cut_times("`a`", parse_logical_type(type_)) == "`a`"
