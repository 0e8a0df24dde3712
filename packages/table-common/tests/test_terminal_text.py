"""Text for a terminal: widths, and no characters that the terminal obeys."""

from __future__ import annotations

import pytest

from table_common.exceptions import SourcePosition, ValidationException
from table_common.terminal_text import display_width, escape_controls


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("ｱ", 1), ("Ａ", 2), ("☎\ufe0e", 1)])  # wide
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


@pytest.mark.parametrize("text", ["", "abc", "日本 é ☎", "\u200b"])
def test_harmless_text_stays(text: str) -> None:
    assert escape_controls(text) == text


def test_text_of_an_error_has_no_control_characters() -> None:
    assert str(ValidationException("no column 'a\x1b]0;x\x07'.", hint="b\x9b")) == "no column 'a\\x1b]0;x\\x07'.\nhint: b\\x9b"


def test_caret_is_aligned_after_wide_and_control_characters() -> None:
    text = "SELECT '日本\x1b[2J' oops"
    source, caret = SourcePosition.of_offset(text, text.index("oops"), len(text)).excerpt().splitlines()
    assert (display_width(source[: source.index("oops")]), "\x1b" in source) == (caret.index("^"), False)
