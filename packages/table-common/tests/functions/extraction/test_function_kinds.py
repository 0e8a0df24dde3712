"""Types of table functions and aggregates, manual definitions, and what is no function."""

from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import (
    AggregateFunction,
    ListView,
    MapView,
    UserDefinedFunction,
    as_user_function,
)
from table_common.types.extraction import extract_type


def inputs(function: type[UserDefinedFunction]) -> list[str]:
    found = as_user_function(function).signatures
    return [f"({', '.join(str(p.extracted.type) for p in s.parameters)}){'...' if s.is_var_args else ''}" for s in found]


# --- kinds ------------------------------------------------------------------------------------------------------------------------


class Sum(AggregateFunction[int, list[int]]):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_retract_and_accumulate_may_differ_in_how_they_take_the_same_arguments() -> None:
    class OfAny(Sum):
        def retract(self, accumulator: list[int], *values: int) -> None: ...

    class FromAny(AggregateFunction[int, list[int]]):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, accumulator: list[int], *values: int) -> None: ...

        def retract(self, accumulator: list[int], value: int) -> None: ...

        def get_value(self, accumulator: list[int]) -> int:
            return accumulator[0]

    for function in (OfAny(), FromAny()):
        assert as_user_function(function) is not None


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


def test_flip_65_views_are_structured_types() -> None:
    assert str(extract_type(MapView[str, int], "x").type) == "STRUCTURED<'table_common.functions.views.MapView', `map` MAP<STRING, BIGINT>>"
