from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow.filter_constants import are_of_one_family, constant_of, plain_constants
from table_common.expressions import ValueLiteralExpression
from table_common.types import parse_logical_type


def constant(value: Any, type_: str) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, parse_logical_type(type_))


@pytest.mark.parametrize(
    ("literal", "column", "expected"),
    [
        (constant(5, "INT"), "BIGINT", pa.scalar(5, pa.int64())),
        (constant(2**40, "BIGINT"), "INT", None),
        (constant(Decimal("1.50"), "DECIMAL(3, 2)"), "DECIMAL(9, 1)", pa.scalar(Decimal("1.5"), pa.decimal128(9, 1))),
        (constant(Decimal("1.55"), "DECIMAL(3, 2)"), "DECIMAL(9, 1)", None),
        (constant("a", "CHAR(1)"), "STRING", pa.scalar("a")),
        (constant(1_000, "TIMESTAMP(9)"), "TIMESTAMP(6)", pa.scalar(1, pa.timestamp("us"))),
        (constant(1_001, "TIMESTAMP(9)"), "TIMESTAMP(6)", None),
        (constant(date(1970, 1, 2), "DATE"), "TIMESTAMP(6)", None),
        (constant(float("nan"), "DOUBLE"), "DOUBLE", None),
    ],
)
def test_a_constant_has_the_arrow_type_of_its_column_if_it_is_exactly_that(
    literal: ValueLiteralExpression, column: str, expected: Any
) -> None:
    found = constant_of(literal, parse_logical_type(column))
    assert found is None if expected is None else found.equals(expected)


def test_many_integers_and_texts_are_one_array() -> None:
    assert plain_constants([constant(1, "INT"), constant(2, "BIGINT")], parse_logical_type("INT")).to_pylist() == [1, 2]
    assert plain_constants([constant("a", "CHAR(1)")], parse_logical_type("STRING")).to_pylist() == ["a"]
    assert plain_constants([constant(1, "INT"), constant(None, "INT")], parse_logical_type("INT")) is None
    assert plain_constants([constant(2**40, "BIGINT")], parse_logical_type("INT")) is None
    assert plain_constants([constant(1.5, "DOUBLE")], parse_logical_type("DOUBLE")) is None


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("INT", "DECIMAL(3, 1)", True), ("INT", "DOUBLE", False), ("CHAR(1)", "STRING", True), ("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)", False)],
)
def test_types_of_one_family_are_compared_as_they_are(first: str, second: str, expected: bool) -> None:
    assert are_of_one_family(parse_logical_type(first), parse_logical_type(second)) is expected
