from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.expressions.call_inference import rearrange_named_arguments
from table_common.functions.builtin.declarations import INT, scalar
from table_common.inference.input_strategies import sig
from table_common.inference.type_strategies import same_as

F = scalar("F", sig(INT, INT, INT), same_as(0), names=("low", "high", "step"), optional=(False, False, True))
UNNAMED = scalar("G", sig(INT), same_as(0))


def test_positional_arguments_stay():
    assert rearrange_named_arguments(F, [(None, 1), (None, 2)], 0) == (1, 2)


def test_named_arguments_take_the_order_of_the_parameters():
    assert rearrange_named_arguments(F, [("high", 2), ("low", 1), ("step", 3)], 0) == (1, 2, 3)


def test_optional_arguments_left_out_are_filled_in():
    assert rearrange_named_arguments(F, [("high", 2), ("low", 1)], 0) == (1, 2, 0)


@pytest.mark.parametrize(
    ("function", "arguments", "text"),
    [
        (F, [("hihg", 2), ("low", 1)], "has no argument 'hihg'.*low, high, step"),
        (F, [("low", 2), ("low", 1)], "is given twice"),
        (F, [("low", 1)], "needs the argument 'high'"),
        (F, [("low", 1), (None, 2)], "either all arguments by name or all by position"),
        (UNNAMED, [("x", 1)], "has no named arguments"),
    ],
)
def test_wrong_names_are_refused(function, arguments, text):
    with pytest.raises(ValidationException, match=text):
        rearrange_named_arguments(function, arguments, 0)


def test_a_close_name_is_suggested():
    with pytest.raises(ValidationException, match="Did you mean 'high'"):
        rearrange_named_arguments(F, [("hihg", 2), ("low", 1)], 0)
