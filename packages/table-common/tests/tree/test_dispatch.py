"""Functions by the class of their first argument."""

from __future__ import annotations

import pytest

from table_common.tree import TypeDispatch, by_class


@by_class
def describe(value: object, end: str) -> str:
    """Returns what a value is."""
    return f"something{end}"


@describe.register(int)
def _int(value: int, end: str) -> str:
    return f"int {value}{end}"


@describe.register(str, bytes)
def _text(value: str | bytes, end: str) -> str:
    return f"{len(value)} of text{end}"


def test_the_nearest_base_class_decides() -> None:
    assert [describe(value, "!") for value in (2, True, "ab", b"c", 1.5)] == [
        "int 2!",
        "int True!",
        "2 of text!",
        "1 of text!",
        "something!",
    ]


def test_a_function_that_is_registered_later_counts() -> None:
    @by_class
    def name(value: object) -> str:
        return "object"

    assert name(True) == "object"

    @name.register(int)
    def _(value: int) -> str:
        return "int"

    assert name(True) == "int"


def test_a_class_is_registered_once() -> None:
    with pytest.raises(ValueError, match="describe: str is registered twice"):
        describe.register(str)(lambda value, end: end)


def test_a_class_of_type_dispatch_has_one_handler() -> None:
    dispatch: TypeDispatch[[], str] = TypeDispatch("test")
    dispatch.register(int)(str)
    with pytest.raises(ValueError, match="registered twice"):
        dispatch.register(int)(str)
