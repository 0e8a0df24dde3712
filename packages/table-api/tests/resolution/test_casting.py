"""Implicit casts: which constants get the target type directly, and where a CAST is added."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from table_api.resolution.casting import cast_all, cast_arguments, cast_to, same_type
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import (
    BigIntType,
    CharType,
    DecimalType,
    DoubleType,
    IntType,
    LogicalType,
    RowType,
    TimestampKind,
    TimestampType,
    TinyIntType,
    VarCharType,
)

COLUMN = FieldReferenceExpression("a", IntType(), 0, 0)


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (127, IntType(), TinyIntType(), 127),
        (7, IntType(), DecimalType(5, 2), Decimal("7.00")),
        (2, IntType(), DoubleType(), 2.0),
        (Decimal("1.5"), DecimalType(2, 1), DecimalType(4, 2), Decimal("1.50")),
        ("ab", CharType(2), VarCharType(2), "ab"),
        (None, IntType(), BigIntType(), None),
    ],
)
def test_a_constant_that_keeps_its_value_gets_the_type(value: Any, source: LogicalType, target: LogicalType, expected: Any) -> None:
    cast = cast_to(ValueLiteralExpression(value, source), target)
    assert isinstance(cast, ValueLiteralExpression)
    assert (cast.value, type(cast.output_type)) == (expected, type(target))


@pytest.mark.parametrize(
    ("value", "source", "target"),
    [
        (128, IntType(), TinyIntType()),
        (1 << 53, BigIntType(), DoubleType()),
        (Decimal("1.55"), DecimalType(3, 2), DecimalType(3, 1)),
        ("abc", CharType(3), VarCharType(2)),
        ("ab", CharType(2), CharType(3)),
    ],
)
def test_a_constant_whose_value_could_change_is_cast_by_the_engine(value: Any, source: LogicalType, target: LogicalType) -> None:
    assert isinstance(cast_to(ValueLiteralExpression(value, source), target), CallExpression)


def test_a_cast_keeps_nullability() -> None:
    cast = cast_to(COLUMN, BigIntType(nullable=False))
    assert cast.output_type == BigIntType()


def test_an_expression_of_the_type_is_not_cast() -> None:
    assert cast_to(COLUMN, IntType(nullable=False)) is COLUMN


def test_types_are_compared_without_nullability() -> None:
    assert same_type(IntType(), IntType(nullable=False))
    assert not same_type(IntType(), BigIntType())


def test_each_of_several_expressions_is_cast() -> None:
    wide = FieldReferenceExpression("b", BigIntType(), 0, 1)
    assert cast_all([COLUMN, wide], BigIntType()) == [cast_to(COLUMN, BigIntType()), wide]


def test_each_argument_is_cast_to_its_own_type() -> None:
    assert cast_arguments([COLUMN, COLUMN], [BigIntType(), IntType()]) == (cast_to(COLUMN, BigIntType()), COLUMN)


def _row(*values: ValueLiteralExpression) -> CallExpression:
    types = [(f"f{i}", value.output_type) for i, value in enumerate(values)]
    return CallExpression(BUILT_INS_BY_NAME["ROW"], values, RowType.of(types, nullable=False))


def test_a_row_of_constants_becomes_one_of_the_fields_types_where_asked() -> None:
    row = _row(ValueLiteralExpression(1, IntType(nullable=False)), ValueLiteralExpression("a", CharType(1, nullable=False)))
    target = RowType.of([("x", BigIntType()), ("y", VarCharType(3))], nullable=False)
    (cast,) = cast_arguments([row], [target], into_rows=True)
    assert isinstance(cast, CallExpression)
    assert cast.function is row.function
    assert cast.output_type == target
    assert cast.args == (ValueLiteralExpression(1, BigIntType(nullable=False)), ValueLiteralExpression("a", VarCharType(3, nullable=False)))


def test_a_row_with_a_constant_whose_value_could_change_is_cast_by_the_engine() -> None:
    row = _row(ValueLiteralExpression("abc", CharType(3, nullable=False)))
    target = RowType.of([("x", VarCharType(2))], nullable=False)
    assert cast_arguments([row], [target], into_rows=True) == (cast_to(row, target),)


def test_a_time_attribute_is_an_argument_of_its_plain_type_without_a_cast() -> None:
    time = FieldReferenceExpression("ts", TimestampType(3, kind=TimestampKind.ROWTIME), 0, 0)
    assert cast_arguments([time], [TimestampType(3)]) == (time,)
    (longer,) = cast_arguments([time], [TimestampType(6)])
    assert isinstance(longer, CallExpression)
