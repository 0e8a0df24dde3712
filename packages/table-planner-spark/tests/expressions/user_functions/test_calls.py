"""Calls of user functions as Spark SQL, outside of a session."""

from __future__ import annotations

from table_api.operations import AggregateCall
from table_common.expressions import CallExpression, FieldReferenceExpression
from table_common.functions import AggregateFunction, ScalarFunction, as_user_function
from table_common.types import BigIntType
from table_planner_spark.expressions.names import WORKER_PREFIX
from table_planner_spark.expressions.user_functions.calls import aggregate_call, scalar_call

FIELD = FieldReferenceExpression("a", BigIntType(), 0, 0)


class Twice(ScalarFunction):
    def eval(self, value: int) -> int:
        return 2 * value


class Total(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_equal_calls_of_a_function_have_one_name() -> None:
    call = CallExpression(as_user_function(Twice()), (FIELD,), BigIntType())
    text = scalar_call(call, ["`a`"])
    assert text.startswith(WORKER_PREFIX)
    assert text.endswith("(`a`)")
    assert scalar_call(call, ["`a`"]) == text


def test_an_aggregate_is_called_with_the_list_of_its_rows() -> None:
    call = AggregateCall(as_user_function(Total()), (FIELD,), BigIntType())
    assert aggregate_call(call, ["`a`"], " FILTER (WHERE b)").endswith("(collect_list(named_struct('a0', `a`)) FILTER (WHERE b))")


def test_a_distinct_aggregate_is_called_with_distinct_rows() -> None:
    call = AggregateCall(as_user_function(Total()), (FIELD,), BigIntType(), distinct=True)
    assert aggregate_call(call, ["`a`"], "").endswith("(array_distinct(collect_list(named_struct('a0', `a`))))")
