"""User functions as Python workers call them, without Spark."""

from __future__ import annotations

import pyarrow as pa
from pyspark import cloudpickle

from table_common.functions import AggregateFunction, ScalarFunction, UserDefinedFunction, as_user_function
from table_common.types import BigIntType
from table_planner_spark.expressions.user_functions.worker import call_aggregate, call_scalar


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


def payload(function: UserDefinedFunction) -> bytes:
    content: bytes = cloudpickle.dumps((as_user_function(function), (BigIntType(),), BigIntType(), None))  # type: ignore[no-untyped-call]
    return content


def test_a_scalar_function_is_called_for_each_row_of_a_batch() -> None:
    assert call_scalar(payload(Twice()), [pa.array([1, 2])]).to_pylist() == [2, 4]


def test_an_aggregate_is_called_for_each_list_of_rows() -> None:
    groups = pa.array([[{"a0": 1}, {"a0": 2}], [{"a0": 5}], []], pa.list_(pa.struct([("a0", pa.int64())])))
    assert call_aggregate(payload(Total()), groups).to_pylist() == [3, 5, 0]
