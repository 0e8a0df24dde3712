"""Conditions as Python source: the three values of logic, the types that Python compares as SQL does, and what is left to the kernels."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BigIntType, BooleanType, DoubleType, IntType, LogicalType, TimestampType, VarCharType
from table_runtime.patterns.scalar_program import NeedsKernels, condition_source, to_python_values

BOOLEANS = (True, False, None)
NAN = float("nan")


def column(position: int, type_: LogicalType | None = None) -> FieldReferenceExpression:
    return FieldReferenceExpression(f"c{position}", type_ or IntType(), 0, position)


def call(name: str, *args: ResolvedExpression, type_: LogicalType | None = None) -> CallExpression:
    return CallExpression(BUILT_INS_BY_NAME[name], args, type_ or BooleanType())


def literal(value: Any, type_: LogicalType | None = None) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, type_ or IntType())


def is_true(condition: ResolvedExpression, *values: Any) -> bool:
    """Evaluates the condition's source with the values as columns."""
    written = condition_source(condition, lambda position: f"column{position}")
    assert written is not None
    source, names = written
    result: bool = eval(source, {**names, **{f"column{position}": value for position, value in enumerate(values)}})
    return result


def source_of(condition: ResolvedExpression) -> object:
    return condition_source(condition, lambda position: f"column{position}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("EQUALS", [False, True, False]),
        ("NOT_EQUALS", [True, False, True]),
        ("LESS_THAN", [True, False, False]),
        ("LESS_THAN_OR_EQUAL", [True, True, False]),
        ("GREATER_THAN", [False, False, True]),
        ("GREATER_THAN_OR_EQUAL", [False, True, True]),
    ],
)
def test_integers_are_compared(name: str, expected: list[bool]) -> None:
    assert [is_true(call(name, column(0), literal(5)), value) for value in (4, 5, 6)] == expected


@pytest.mark.parametrize("name", ["EQUALS", "NOT_EQUALS", "LESS_THAN", "GREATER_THAN_OR_EQUAL"])
@pytest.mark.parametrize("values", [(None, 1), (1, None), (None, None)])
def test_a_comparison_with_null_is_not_true(name: str, values: tuple[Any, Any]) -> None:
    assert not is_true(call(name, column(0), column(1)), *values)


@pytest.mark.parametrize("values", [(None, 1), (1, None), (None, None)])
def test_the_negation_of_a_comparison_with_null_is_not_true(values: tuple[Any, Any]) -> None:
    assert not is_true(call("NOT", call("EQUALS", column(0), column(1))), *values)


@pytest.mark.parametrize("left", BOOLEANS)
@pytest.mark.parametrize("right", BOOLEANS)
def test_a_conjunction_is_true_if_both_are(left: bool | None, right: bool | None) -> None:
    both = call("AND", column(0, BooleanType()), column(1, BooleanType()))
    assert is_true(both, left, right) is (left is True and right is True)


@pytest.mark.parametrize("left", BOOLEANS)
@pytest.mark.parametrize("right", BOOLEANS)
def test_the_negation_of_a_conjunction_is_true_if_one_is_false(left: bool | None, right: bool | None) -> None:
    both = call("AND", column(0, BooleanType()), column(1, BooleanType()))
    assert is_true(call("NOT", both), left, right) is (left is False or right is False)


@pytest.mark.parametrize("left", BOOLEANS)
@pytest.mark.parametrize("right", BOOLEANS)
def test_a_disjunction_is_true_if_one_is(left: bool | None, right: bool | None) -> None:
    either = call("OR", column(0, BooleanType()), column(1, BooleanType()))
    assert is_true(either, left, right) is (left is True or right is True)


@pytest.mark.parametrize("value", BOOLEANS)
def test_the_negation_of_null_is_not_true(value: bool | None) -> None:
    assert is_true(call("NOT", column(0, BooleanType())), value) is (value is False)


@pytest.mark.parametrize(("name", "expected"), [("IS_NULL", [True, False]), ("IS_NOT_NULL", [False, True])])
def test_null_is_tested(name: str, expected: list[bool]) -> None:
    assert [is_true(call(name, column(0)), value) for value in (None, 0)] == expected


def test_a_negated_test_of_null_is_the_opposite() -> None:
    assert [is_true(call("NOT", call("IS_NULL", column(0))), value) for value in (None, 0)] == [False, True]


@pytest.mark.parametrize(("name", "result"), [("PLUS", 9), ("MINUS", 5), ("TIMES", 14)])
def test_integers_are_computed(name: str, result: int) -> None:
    assert is_true(call("EQUALS", call(name, column(0), column(1), type_=IntType()), literal(result)), 7, 2)


def test_a_sum_with_null_is_null() -> None:
    assert is_true(call("IS_NULL", call("PLUS", column(0), literal(1), type_=IntType())), None)


def test_a_sum_at_the_limit_of_its_type_is_computed() -> None:
    assert is_true(call("EQUALS", call("PLUS", column(0), literal(1), type_=IntType()), literal(2**31 - 1)), 2**31 - 2)


@pytest.mark.parametrize(("name", "values"), [("PLUS", (2**31 - 1, 1)), ("MINUS", (-(2**31), 1)), ("TIMES", (2**30, 2))])
def test_a_result_beyond_its_type_needs_the_kernels(name: str, values: tuple[int, int]) -> None:
    condition = call("GREATER_THAN", call(name, column(0), column(1), type_=IntType()), literal(0))
    with pytest.raises(NeedsKernels):
        is_true(condition, *values)


@pytest.mark.parametrize("values", [(NAN, 1.0), (1.0, NAN), (NAN, NAN)])
@pytest.mark.parametrize("name", ["EQUALS", "NOT_EQUALS", "LESS_THAN"])
def test_a_comparison_with_nan_needs_the_kernels(name: str, values: tuple[float, float]) -> None:
    with pytest.raises(NeedsKernels):
        is_true(call(name, column(0, DoubleType()), column(1, DoubleType())), *values)


def test_a_negated_comparison_of_doubles_is_the_opposite() -> None:
    less = call("LESS_THAN", column(0, DoubleType()), literal(1.5, DoubleType()))
    assert [is_true(call("NOT", less), value) for value in (1.0, 1.5, None)] == [False, True, False]


def test_a_negated_comparison_of_integers_is_the_opposite() -> None:
    less = call("NOT", call("LESS_THAN", column(0), literal(5)))
    assert [is_true(less, value) for value in (4, 5)] == [False, True]


def test_strings_are_compared_by_code_points() -> None:
    assert is_true(call("LESS_THAN", column(0, VarCharType()), literal("\U0001f600", VarCharType())), "\uffff")


def test_a_string_constant_is_no_part_of_the_source() -> None:
    """A text of the user that reaches the source could run as code."""
    written = condition_source(call("EQUALS", column(0, VarCharType()), literal("__import__('os')", VarCharType())), lambda _: "column0")
    assert written is not None
    assert "import" not in written[0]


def test_a_null_constant_is_null() -> None:
    assert is_true(call("IS_NULL", literal(None)))


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param(call("EQUALS", column(0), column(1, DoubleType())), id="values of two kinds"),
        pytest.param(call("EQUALS", column(0, TimestampType(3)), column(1, TimestampType(9))), id="timestamps of two units"),
        pytest.param(call("LIKE", column(0, VarCharType()), literal("a%", VarCharType())), id="another function"),
        pytest.param(call("EQUALS", call("DIVIDE", column(0), column(1), type_=IntType()), literal(1)), id="a division"),
        pytest.param(
            call("EQUALS", call("PLUS", column(0), column(1, BigIntType()), type_=DoubleType()), literal(1.0, DoubleType())),
            id="a sum that is not an integer",
        ),
        pytest.param(
            call("AND", column(0, BooleanType()), call("LIKE", column(1, VarCharType()), column(1, VarCharType()))), id="a conjunct"
        ),
        pytest.param(column(0), id="no boolean"),
    ],
)
def test_other_conditions_are_left_to_the_kernels(condition: ResolvedExpression) -> None:
    assert source_of(condition) is None


def nested(depth: int) -> ResolvedExpression:
    condition: ResolvedExpression = column(0, BooleanType())
    for _ in range(depth):
        condition = call("NOT", condition)
    return condition


def test_a_condition_of_moderate_depth_is_written() -> None:
    assert is_true(nested(30), True)


def test_a_condition_that_is_too_deep_for_the_python_parser_is_left_to_the_kernels() -> None:
    assert source_of(nested(5000)) is None


def test_a_sum_that_is_too_deep_is_left_to_the_kernels() -> None:
    total: ResolvedExpression = column(0)
    for _ in range(5000):
        total = call("PLUS", total, literal(1), type_=IntType())
    assert source_of(call("GREATER_THAN", total, literal(0))) is None


def test_values_of_comparable_types_become_python_values() -> None:
    assert to_python_values(pa.array([1, None, 3], pa.int16())) == [1, None, 3]


def test_dates_become_days() -> None:
    assert to_python_values(pa.array([date(1970, 1, 3), None])) == [2, None]


def test_timestamps_become_ticks_of_their_unit() -> None:
    assert to_python_values(pa.array([datetime(1970, 1, 1, 0, 0, 1)], pa.timestamp("ms"))) == [1000]


def test_a_slice_has_its_own_values_only() -> None:
    assert to_python_values(pa.array(["a", "b", None, "d"]).slice(1, 2)) == ["b", None]


@pytest.mark.parametrize("array", [pa.array([Decimal("1.5")]), pa.array([1.0], pa.float32()), pa.array([[1]]), pa.nulls(1)])
def test_values_of_other_types_are_left_to_the_kernels(array: pa.Array) -> None:
    assert to_python_values(array) is None
