"""``udf`` and the like: types, names and kinds of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from table_api import DataTypes, ScalarFunction, ValidationException
from table_api.expressions import col
from table_api.udf import AggregateFunction, udaf, udf, udtaf, udtf


class PlusOne(ScalarFunction):
    def eval(self, i: int) -> int:
        return i + 1


class Total(AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_a_function_is_called_with_expressions_and_constants() -> None:
    assert str(udf(PlusOne())(col("a"))) == "PlusOne(a)"


def test_a_class_is_instantiated() -> None:
    assert repr(udf(PlusOne)) == "UserDefinedFunctionWrapper(PlusOne)"


def test_a_decorator_takes_types_and_a_name() -> None:
    @udf(result_type=DataTypes.BIGINT(), name="next")
    def plus_one(i: int) -> int:
        return i + 1

    assert str(plus_one(1)) == "next(1)"


def test_an_alias_names_the_columns_of_the_result() -> None:
    split = udtf(lambda text: text.split(), result_types=["STRING", "INT"]).alias("word", "n")
    assert str(split(col("a"))) == "AS(<lambda>(a), word, n)"


@pytest.mark.parametrize(
    ("create", "message"),
    [
        (lambda: udf(Total()), "Total is of the kind 'aggregate'"),
        (lambda: udtf(PlusOne()), "PlusOne is of the kind 'scalar'"),
        (lambda: udaf(PlusOne()), "PlusOne is of the kind 'scalar'"),
        (lambda: udtaf(lambda x: x), "udtaf takes an object of TableAggregateFunction"),
        (lambda: udf(3), "3 is not a function"),
    ],
    ids=["udf", "udtf", "udaf", "udtaf", "number"],
)
def test_another_kind_of_function_is_refused(create: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        create()


def test_the_function_itself_can_be_called() -> None:
    def one() -> int:
        return 1

    assert udf(one, result_type="INT")._func is one
    assert udtf(one, result_types="INT")._func is one
    assert isinstance(udaf(Total(), result_type="INT", accumulator_type="ARRAY<INT>")._func, Total)
