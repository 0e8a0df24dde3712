"""Checks the names of objects, columns and files."""

from __future__ import annotations

from table_common.exceptions import ValidationException

__all__ = ["check_no_nul"]


def check_no_nul(text: str, what: str) -> None:
    """Rejects the character NUL, which terminates strings in file systems and in many other systems.

    Raises:
        ValidationException: it is in the text; ``what`` says what the text is, as in ``the name of a column``.
    """
    if "\0" in text:
        shown = text.replace("\0", "\\x00")
        raise ValidationException(f"The character NUL cannot be in {what}: '{shown}'.")
