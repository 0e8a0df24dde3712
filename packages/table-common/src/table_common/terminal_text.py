"""Text for terminals: its display width, and the escaping of control characters.

Values, names and comments are untrusted. An escape sequence among them could hide or forge rows, set the title, or ask the terminal to
answer as if somebody had typed; marks of direction let a text read as another one.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["character_width", "display_width", "escape_controls"]

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def escape_controls(text: str, keep: str = "") -> str:
    r"""Returns the text with control characters, marks of direction and lone surrogates as ``\x1b`` or ``\u202e``.

    Args:
        text: the text.
        keep: control characters that stay, such as line feeds.

    Example:
        >>> escape_controls("a\x1b[2Jb")
        'a\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    return _CONTROLS.sub(lambda match: match[0] if match[0] in keep else _escape(match[0]), text)


def display_width(text: str) -> int:
    """Returns how many columns of a terminal the text takes: East Asian wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(map(character_width, text))


def character_width(character: str) -> int:
    """Returns how many columns of a terminal a character takes."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "FW" else 1


def _escape(character: str) -> str:
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
