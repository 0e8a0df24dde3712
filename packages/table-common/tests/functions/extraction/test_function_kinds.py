"""Types of table functions and aggregates, manual definitions, and what is no function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.functions import (
    AggregateFunction,
    ListView,
    MapView,
    ScalarFunction,
    TableFunction,
    UserDefinedFunction,
    as_user_function,
    function_hint,
)
from table_common.inference import explicit, infer_call, sig
from table_common.inference import family as any_of
from table_common.inference.type_inference import TypeInference
from table_common.types import DataTypes, IntType, VarCharType, parse_logical_type
from table_common.types.extraction import extract_type


def inputs(function: type[UserDefinedFunction]) -> list[str]:
    found = as_user_function(function).signatures
    return [f"({', '.join(str(p.extracted.type) for p in s.parameters)}){'...' if s.is_var_args else ''}" for s in found]


def output(function: type[UserDefinedFunction]) -> str:
    return str(as_user_function(function).signatures[0].output.type)


def typed(function: Any, *types: str) -> str:
    arguments: list[ResolvedExpression] = [FieldReferenceExpression(text, parse_logical_type(text), 0, i) for i, text in enumerate(types)]
    return str(infer_call(as_user_function(function), arguments).output_type)


# --- kinds ------------------------------------------------------------------------------------------------------------------------


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


def test_retract_with_other_arguments_is_refused() -> None:
    class Unequal(Sum):
        def retract(self, accumulator: list[int]) -> None: ...

    with pytest.raises(ValidationException, match="retract takes 0 arguments, but accumulate takes 1"):
        as_user_function(Unequal)


def test_views_are_collections_that_change() -> None:
    view: ListView[int] = ListView()
    view.add(1)
    view.add_all([2, 3])
    assert list(view.get()) == [1, 2, 3]


# --- manual definition ------------------------------------------------------------------------------------------------------------


class Manual(ScalarFunction):
    @function_hint(output="DOUBLE")
    def eval(self, a: object) -> str:
        return str(a)

    def get_type_inference(self) -> TypeInference:
        return TypeInference(sig(any_of("INT", IntType)), explicit(VarCharType()))


def test_type_inference_goes_before_hints_and_extraction() -> None:
    assert typed(Manual, "INT") == "STRING"
    with pytest.raises(ValidationException):
        typed(Manual, "BOOLEAN")


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ValidationException, match="no function of ours"):
        as_user_function(len)


def test_flip_65_views_are_structured_types() -> None:
    assert str(extract_type(MapView[str, int], "x").type) == "STRUCTURED<'table_common.functions.views.MapView', `map` MAP<STRING, BIGINT>>"


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
def test_accumulator_may_be_a_view_whose_contents_only_the_hint_says(function: type[UserDefinedFunction]) -> None:
    accumulator = as_user_function(function).signatures[0].accumulator
    assert accumulator is not None
    assert accumulator.type == VIEW.logical_type
