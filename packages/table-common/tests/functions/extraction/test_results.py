from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import (
    AggregateFunction,
    MapView,
    TableFunction,
    UserDefinedFunction,
    as_user_function,
    function_hint,
)
from table_common.types import DataTypes


def output(function: type[UserDefinedFunction]) -> str:
    return str(as_user_function(function).signatures[0].output.type)


def test_table_function_whose_rows_disagree_is_refused() -> None:
    class Disagreeing(TableFunction[str]):
        def eval(self, a: int) -> Iterator[int]:
            yield a

    with pytest.raises(ValidationException, match="declares rows of str"):
        as_user_function(Disagreeing)


def test_rows_of_the_return_annotation() -> None:
    class Returning(TableFunction[Any]):
        def eval(self, a: int) -> list[float]:
            return []

    assert output(Returning) == "DOUBLE NOT NULL"


class Sum(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_types_of_an_aggregate() -> None:
    (signature,) = as_user_function(Sum).signatures
    assert str(signature.output.type) == "BIGINT NOT NULL"
    assert signature.accumulator is not None
    assert str(signature.accumulator.type) == "ARRAY<BIGINT>"


@pytest.mark.parametrize("class_", [int, str])
def test_accumulator_that_cannot_change_is_refused(class_: type) -> None:
    class Stuck(AggregateFunction[int, class_]):  # type: ignore[valid-type]
        def create_accumulator(self) -> Any: ...

        def accumulate(self, accumulator: Any, value: int) -> None: ...

        def get_value(self, accumulator: Any) -> int:
            return 1

    Stuck.create_accumulator.__annotations__["return"] = class_
    with pytest.raises(ValidationException, match="whose objects cannot change"):
        as_user_function(Stuck)


VIEW = DataTypes.MAP_VIEW("STRING", "BIGINT")


@function_hint(input=["STRING"], accumulator=VIEW, output="BIGINT")
class CountsOfWords(AggregateFunction[Any, Any]):
    def create_accumulator(self):  # type: ignore[no-untyped-def]  # as PyFlink's programs write it
        return MapView()

    def accumulate(self, accumulator: Any, word: str) -> None:
        accumulator.put(word, 1)

    def get_value(self, accumulator: Any) -> int:
        return len(accumulator)


class AnnotatedCounts(CountsOfWords):
    def create_accumulator(self) -> MapView:  # type: ignore[type-arg]  # only the hint says what is in it
        return MapView()


@pytest.mark.parametrize("function", [CountsOfWords, AnnotatedCounts])
def test_the_hint_can_declare_the_contents_of_a_view_accumulator(function: type[UserDefinedFunction]) -> None:
    accumulator = as_user_function(function).signatures[0].accumulator
    assert accumulator is not None
    assert accumulator.type == VIEW.logical_type
