from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.inference import row_windows
from table_common.inference.call_context import CallContext

Context = Callable[..., CallContext]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("INT NOT NULL",), "INT"),
        (("INT NOT NULL", "INT"), "INT"),
        (("INT NOT NULL", "INT", "INT NOT NULL"), "INT NOT NULL"),
        (("INT NOT NULL", "INT", "INT"), "INT"),
    ],
)
def test_a_neighbor_is_nullable_unless_its_default_is_not(context: Context, given: tuple[str, ...], expected: str) -> None:
    assert str(row_windows.neighbor()(context(*given))) == expected


def test_a_value_and_its_default_take_their_common_type(context: Context) -> None:
    inferred = row_windows.neighbor_arguments().infer(context("INT", "INT", "BIGINT"))
    assert inferred is not None
    assert [str(type_) for type_ in inferred] == ["BIGINT", "INT", "BIGINT"]


def test_the_bound_of_a_window_is_a_plain_timestamp(context: Context) -> None:
    assert str(row_windows.window_bound()(context("TIMESTAMP_LTZ(3)"))) == "TIMESTAMP(3) NOT NULL"


def test_the_time_of_a_match_without_an_attribute_has_milliseconds(context: Context) -> None:
    assert str(row_windows.match_rowtime()(context())).startswith("TIMESTAMP(3)")
