"""Paths with ``*``, ``?``, ``[…]`` and ``{a,b}``: the files and folders that they match, the same for both engines."""

from __future__ import annotations

import re
from pathlib import Path

from table_common.exceptions import TableRuntimeException
from table_runtime.files.paths import is_hidden, local_path
from table_runtime.files.remote import is_remote

__all__ = ["expanded_paths", "is_pattern", "matches_of"]

_SIGNS = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*)\}")


def is_pattern(path: str) -> bool:
    """Returns whether the path is a pattern: it has signs of one, and there is nothing of that name on this machine."""
    return _SIGNS.search(path) is not None and not is_remote(path) and not local_path(path).exists()


def matches_of(path: str) -> tuple[str, ...]:
    """Returns what a pattern matches, sorted; hidden files and folders are left out."""
    import glob  # few paths are patterns

    found = {match for pattern in _without_braces(str(local_path(path))) for match in glob.glob(pattern)}
    return tuple(sorted(match for match in found if not is_hidden(Path(match).name)))


def expanded_paths(path: str) -> tuple[str, ...]:
    """Returns what a pattern matches; another path is returned as it is.

    Raises:
        TableRuntimeException: nothing matches the pattern.
    """
    if not is_pattern(path):
        return (path,)
    matches = matches_of(path)
    if not matches:
        raise TableRuntimeException(f"No file matches the path '{path}' of the table.", hint="Check the table's option 'path'.")
    return matches


def _without_braces(pattern: str) -> list[str]:
    """Returns one pattern for each choice of each pair of braces."""
    found = _BRACES.search(pattern)
    if found is None:
        return [pattern]
    return [
        expanded
        for choice in found[1].split(",")
        for expanded in _without_braces(pattern[: found.start()] + choice + pattern[found.end() :])
    ]
