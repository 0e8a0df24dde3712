"""Warnings of the client, on standard error."""

from __future__ import annotations

import sys

from table_common.terminal_text import escape_controls


def print_warning(text: object) -> None:
    """Prints a warning; control characters in it are escaped."""
    print(escape_controls(f"[WARN] {text}", keep="\n\t"), file=sys.stderr)
