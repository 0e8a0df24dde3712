"""How many arguments a call may have, and the parts of a function's type inference."""

from __future__ import annotations

import pytest

from table_common.inference import ArgumentCount, CallContext, TypeInference, any_type, explicit, sig
from table_common.types import IntType


@pytest.mark.parametrize(
    ("count", "text", "accepted"),
    [
        (ArgumentCount(2, 2), "2", {2}),
        (ArgumentCount(1, 3), "1 to 3", {1, 2, 3}),
        (ArgumentCount(1, None), "at least 1", {1, 2, 3, 4}),
        (ArgumentCount(0, 0), "0", {0}),
    ],
)
def test_a_count_accepts_the_numbers_within_its_bounds(count: ArgumentCount, text: str, accepted: set[int]) -> None:
    assert str(count) == text
    assert {number for number in range(5) if count.accepts(number)} == accepted


def test_a_strategy_has_no_hint_by_default() -> None:
    assert sig(any_type()).hint(CallContext("F", (), {})) is None


def test_a_function_has_neither_accumulator_nor_argument_names_by_default() -> None:
    inference = TypeInference(sig(any_type()), explicit(IntType()))
    assert (inference.accumulator, inference.argument_names, inference.optional_arguments) == (None, None, None)
