"""The evaluator: columns, constants, common parts, deep trees, errors, pickling."""

from __future__ import annotations

import pickle
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableException, TableInternalError, TableRuntimeException
from table_common.expressions import CallExpression, ResolvedExpression
from table_common.functions.builtin import arithmetic, comparison, conditional, logic, math, strings, temporal
from table_common.types import BooleanType, IntType
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.kernels import Kernel

A_AND_B = pa.record_batch({"a": pa.array([1, 4, None, 6], pa.int32()), "b": pa.array([0, 2, 3, None], pa.int32())})


def test_a_constant_fills_the_batch(expressions: Any, context: EvaluationContext) -> None:
    (array,) = Evaluator([expressions.literal("x")], context).evaluate(A_AND_B)
    assert array.to_pylist() == ["x"] * 4


def test_an_empty_batch_gives_empty_arrays_of_the_type(expressions: Any, context: EvaluationContext) -> None:
    call = expressions.call(arithmetic.PLUS, expressions.column(0, "INT"), 1)
    (array,) = Evaluator([call], context).evaluate(A_AND_B.slice(0, 0))
    assert array.equals(pa.array([], pa.int32()))


def test_columns_of_the_second_input_stand_behind_those_of_the_first(expressions: Any, context: EvaluationContext) -> None:
    right = expressions.column(0, "INT", input_index=1)
    (array,) = Evaluator([right], context, input_widths=(1, 1)).evaluate(A_AND_B)
    assert array.to_pylist() == [0, 2, 3, None]


def test_columns_of_related_arrow_types_are_taken_as_the_type_says(expressions: Any, context: EvaluationContext) -> None:
    batch = pa.record_batch({"s": pa.array(["x", "y"]).dictionary_encode()})
    (array,) = Evaluator([expressions.column(0, "STRING")], context).evaluate(batch)
    assert array.equals(pa.array(["x", "y"]))


def test_equal_parts_are_computed_once(expressions: Any, context: EvaluationContext) -> None:
    calls: list[int] = []

    def count(args: Any, call: Any, context: Any, num_rows: int) -> Any:
        calls.append(num_rows)
        return args[0]

    absolute = [expressions.call(math.ABS, expressions.column(0, "INT")) for _ in range(3)]
    evaluator = Evaluator(absolute, context, kernels={math.ABS: Kernel(count)})
    evaluator.evaluate(A_AND_B)
    assert calls == [4]


def test_random_numbers_of_two_calls_differ(expressions: Any, context: EvaluationContext) -> None:
    left, right = Evaluator([expressions.call(math.RAND), expressions.call(math.RAND)], context).evaluate(A_AND_B)
    assert not left.equals(right)


def _deep(expressions: Any, depth: int) -> ResolvedExpression:
    tree: ResolvedExpression = expressions.column(0, "INT")
    one = expressions.literal(1)
    for _ in range(depth):
        tree = CallExpression(arithmetic.PLUS, (tree, one), IntType())
    return tree


def test_a_tree_deeper_than_the_stack_is_evaluated(expressions: Any, context: EvaluationContext) -> None:
    (array,) = Evaluator([_deep(expressions, 3000)], context).evaluate(A_AND_B)
    assert array.to_pylist() == [3001, 3004, None, 3006]


def test_an_evaluator_of_a_deep_tree_can_be_pickled(expressions: Any, context: EvaluationContext) -> None:
    evaluator = pickle.loads(pickle.dumps(Evaluator([_deep(expressions, 3000)], context)))
    assert evaluator.evaluate(A_AND_B)[0].to_pylist() == [3001, 3004, None, 3006]


def test_a_filter_is_true_only_where_all_conditions_are_true(expressions: Any, context: EvaluationContext) -> None:
    a, b = expressions.column(0, "INT"), expressions.column(1, "INT")
    conditions = [expressions.call(comparison.GREATER_THAN, a, 0), expressions.call(comparison.LESS_THAN, b, 3)]
    assert Evaluator(conditions, context).evaluate_filter(A_AND_B).to_pylist() == [True, True, False, False]


def test_a_condition_of_a_filter_does_not_see_rows_that_an_earlier_one_dropped(expressions: Any, context: EvaluationContext) -> None:
    a, b = expressions.column(0, "INT"), expressions.column(1, "INT")
    quotient = expressions.call(arithmetic.DIVIDE, a, b)
    conditions = [expressions.call(comparison.NOT_EQUALS, b, 0), expressions.call(comparison.GREATER_THAN, quotient, 1)]
    assert Evaluator(conditions, context).evaluate_filter(A_AND_B).to_pylist() == [False, True, False, False]


def test_a_filter_without_conditions_keeps_all_rows(context: EvaluationContext) -> None:
    assert Evaluator([], context).evaluate_filter(A_AND_B).to_pylist() == [True] * 4


def test_a_constant_condition_filters_all_rows(expressions: Any, context: EvaluationContext) -> None:
    null = expressions.literal((None, "BOOLEAN"))
    assert Evaluator([null], context).evaluate_filter(A_AND_B).to_pylist() == [False] * 4


def test_a_projection_uses_what_its_filter_has_computed_for_all_rows(expressions: Any, context: EvaluationContext) -> None:
    a = expressions.column(0, "INT")
    calls: list[int] = []

    def count(args: Any, call: Any, context: Any, num_rows: int) -> Any:
        calls.append(num_rows)
        return args[0]

    absolute = expressions.call(math.ABS, a)
    kernels = {math.ABS: Kernel(count, lambda call: True)}
    above = expressions.call(comparison.GREATER_THAN, absolute, 1)
    columns, rows = Evaluator([above, absolute, a], context, kernels=kernels).evaluate_filtered(A_AND_B, 1)
    expected = [value for value in A_AND_B.column(0).to_pylist() if value is not None and value > 1]
    assert [column.to_pylist() for column in columns] == [expected, expected]
    assert (rows, calls) == (len(expected), [4])


def test_a_projection_does_not_see_rows_that_its_filter_dropped(expressions: Any, context: EvaluationContext) -> None:
    a, b = expressions.column(0, "INT"), expressions.column(1, "INT")
    quotient = expressions.call(arithmetic.DIVIDE, a, b)
    (column,), rows = Evaluator([expressions.call(comparison.NOT_EQUALS, b, 0), quotient], context).evaluate_filtered(A_AND_B, 1)
    kept = [(x, y) for x, y in zip(*A_AND_B.to_pydict().values(), strict=True) if y not in (None, 0)]
    assert column.to_pylist() == [None if x is None else x // y for x, y in kept]
    assert rows == len(kept)


@pytest.mark.parametrize("divisor", [1, 2, 10, 100])
def test_few_and_many_filtered_rows_keep_their_values(expressions: Any, context: EvaluationContext, divisor: int) -> None:
    numbers = [None if number % 7 == 0 else number for number in range(500)]
    texts = [None if number % 11 == 0 else f"text {number}" for number in range(500)]
    batch = pa.record_batch({"a": pa.array(numbers, pa.int32()), "b": texts})
    a, b = expressions.column(0, "INT"), expressions.column(1, "STRING")
    condition = expressions.call(comparison.NOT_EQUALS, expressions.call(arithmetic.MOD, a, divisor), 1)
    columns, _ = Evaluator([condition, a, b], context).evaluate_filtered(batch, 1)
    expected = [pair for pair in zip(numbers, texts, strict=True) if pair[0] is not None and pair[0] % divisor != 1]
    assert list(zip(*(column.to_pylist() for column in columns), strict=True)) == expected


def test_a_failing_kernel_is_an_error_that_names_the_operation(expressions: Any, context: EvaluationContext) -> None:
    quotient = expressions.call(arithmetic.DIVIDE, expressions.column(0, "INT"), expressions.column(1, "INT"))
    with pytest.raises(TableRuntimeException, match="Division by zero"):
        Evaluator([quotient], context).evaluate(A_AND_B)


def test_a_function_without_kernel_is_refused_with_a_reason(expressions: Any, context: EvaluationContext) -> None:
    with pytest.raises(TableException, match="SOURCE_WATERMARK: it is only allowed in the WATERMARK clause"):
        Evaluator([expressions.call(temporal.SOURCE_WATERMARK)], context)


def test_a_kernel_given_to_the_evaluator_runs_instead_of_the_engine_s(expressions: Any, context: EvaluationContext) -> None:
    upper = expressions.call(strings.UPPER, "x")
    kernel = Kernel(lambda args, call, context, num_rows: pa.scalar("mine"))
    assert Evaluator([upper], context, kernels={strings.UPPER: kernel}).evaluate(A_AND_B)[0].to_pylist() == ["mine"] * 4


def test_a_negative_zero_constant_is_not_shared_with_zero(expressions: Any, context: EvaluationContext) -> None:
    zero, negative = Evaluator([expressions.literal(0.0), expressions.literal(-0.0)], context).evaluate(A_AND_B)
    assert [str(zero[0].as_py()), str(negative[0].as_py())] == ["0.0", "-0.0"]


def test_logic_of_constants_stays_a_scalar(expressions: Any, context: EvaluationContext) -> None:
    call = CallExpression(logic.AND, (expressions.literal(True), expressions.literal(False)), BooleanType())
    (value,) = Evaluator([call], context).evaluate_values(A_AND_B)
    assert value.equals(pa.scalar(False))


def test_case_of_constant_texts_takes_the_first_that_applies(expressions: Any, context: EvaluationContext) -> None:
    a = expressions.column(0, "INT")
    small, middle = (expressions.call(comparison.LESS_THAN, a, limit) for limit in (3, 6))
    case = expressions.call(conditional.CASE, small, "small", middle, "middle", "large")
    batch = pa.record_batch({"a": pa.array([1, 5, 9, None], pa.int32())})
    assert Evaluator([case], context).evaluate(batch)[0].to_pylist() == ["small", "middle", "large", "large"]


def _gives(values: list[bool | None]) -> Kernel:
    return Kernel(lambda args, call, context, num_rows: pa.array(values))


def test_one_value_of_constants_is_that_of_all_rows(expressions: Any, context: EvaluationContext) -> None:
    call = expressions.call(comparison.EQUALS, 1, 2)
    (array,) = Evaluator([call], context, kernels={comparison.EQUALS: _gives([False])}).evaluate(A_AND_B)
    assert array.to_pylist() == [False] * 4


def test_another_number_of_values_than_rows_is_an_internal_error(expressions: Any, context: EvaluationContext) -> None:
    call = expressions.call(comparison.EQUALS, expressions.column(0, "INT"), 2)
    with pytest.raises(TableInternalError, match="EQUALS returned 1 values for another number of rows"):
        Evaluator([call], context, kernels={comparison.EQUALS: _gives([False])}).evaluate(A_AND_B)


def test_arrow_errors_of_values_that_do_not_fit_name_the_type(expressions: Any, context: EvaluationContext) -> None:
    def fail(args: Any, call: Any, context: Any, num_rows: int) -> Any:
        return pa.array([1 << 40]).cast(pa.int32())

    call = expressions.call(arithmetic.PLUS, expressions.column(0, "INT"), 2)
    with pytest.raises(TableRuntimeException, match=r"The result of PLUS is outside the range of INT\."):
        Evaluator([call], context, kernels={arithmetic.PLUS: Kernel(fail)}).evaluate(A_AND_B)
