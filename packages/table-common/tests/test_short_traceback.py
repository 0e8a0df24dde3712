"""Tests for table_common.short_traceback."""

from __future__ import annotations

from types import ModuleType

import pytest

from table_common.exceptions import ValidationException

LIBRARY = """
from table_common.exceptions import ValidationException

def outer(call):
    return inner(call)

def inner(call):
    return call()

def fail():
    raise ValidationException("Column 'a' does not exist.", hint="look again")
"""


@pytest.fixture
def library() -> ModuleType:
    module = ModuleType("table_of_a_test.part")
    exec(LIBRARY, module.__dict__)
    return module


def lines_of(call: object, library: ModuleType) -> list[str]:
    with pytest.raises(ValidationException) as caught:
        library.outer(call)
    return caught.value._render_traceback_()


def test_frames_of_the_library_are_one_line_and_the_message_is_last(library: ModuleType) -> None:
    lines = lines_of(library.fail, library)
    assert lines[0] == "Traceback (most recent call last):"
    assert "test_short_traceback.py" in lines[1]
    assert "library.outer(call)" in lines[2]
    assert lines[-3:] == [
        "  … 3 frames of the library",
        "table_common.exceptions.ValidationException: Column 'a' does not exist.",
        "hint: look again",
    ]


def test_frames_of_the_program_below_the_library_are_shown(library: ModuleType) -> None:
    def callback() -> None:
        library.fail()

    lines = lines_of(callback, library)
    assert "  … 2 frames of the library" in lines
    assert any("in callback" in line for line in lines)
    assert "  … 1 frame of the library" in lines
