"""The short forms in which tables of functions are written."""

from __future__ import annotations

import pytest

from table_api.operations import AggregateCall
from table_common.expressions import CallExpression, FieldReferenceExpression, ValueLiteralExpression
from table_common.functions.builtin import aggregates, math
from table_common.types import BigIntType, DecimalType, DoubleType, IntType, LogicalType
from table_planner_spark.expressions.functions.translation import AggregateArguments, aggregate, as_type, literal_of, sql, template, typed

FIELD = FieldReferenceExpression("a", DoubleType(), 0, 0)
CALL = CallExpression(math.LN, (FIELD, ValueLiteralExpression(2, IntType())), IntType())
LONG = " + ".join(["`a_column`"] * 20)


def test_a_function_of_spark_has_the_same_arguments() -> None:
    assert sql("f")(CALL, ["a", "b"]) == "f(a, b)"


def test_a_template_repeats_a_short_argument() -> None:
    assert template("g({0}, {0}, {1})")(CALL, ["a", "b"]) == "g(a, a, b)"


def test_a_template_holds_a_long_argument_once() -> None:
    text = template("g({0}, {0})")(CALL, [LONG])
    assert text.count(LONG) == 1
    assert text.startswith("element_at(transform(array(")


def test_a_long_argument_that_is_used_once_is_not_bound() -> None:
    assert template("g({0})")(CALL, [LONG]) == f"g({LONG})"


def test_a_typed_translation_has_the_type_of_the_call() -> None:
    assert typed(sql("f"))(CALL, ["a"]) == "CAST(f(a) AS INT)"


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (DecimalType(5, 2), "try_cast(a AS DECIMAL(5,2))"),
        (DecimalType(5, 2, nullable=False), "CAST(a AS DECIMAL(5,2))"),
        (BigIntType(), "CAST(a AS BIGINT)"),
    ],
)
def test_only_a_nullable_decimal_that_does_not_fit_becomes_null(type_: LogicalType, expected: str) -> None:
    assert as_type("a", type_) == expected


def test_only_a_constant_argument_has_a_value() -> None:
    assert [literal_of(CALL, position) for position in range(3)] == [None, 2, None]


@pytest.mark.parametrize(
    ("distinct", "expected"), [(False, "CAST(f(a) FILTER (WHERE b) AS BIGINT)"), (True, "CAST(f(DISTINCT a) FILTER (WHERE b) AS BIGINT)")]
)
def test_an_aggregate_has_its_distinct_its_filter_and_its_cast(distinct: bool, expected: str) -> None:
    call = AggregateCall(aggregates.COUNT, (FIELD,), BigIntType(), distinct=distinct)
    assert aggregate("f({args})", cast=True)(call, AggregateArguments(("a",), "", " FILTER (WHERE b)")) == expected
