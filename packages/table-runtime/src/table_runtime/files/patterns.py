"""Paths with ``*``, ``?``, ``[…]`` and ``{a,b}``: the files and folders that they match, the same for both engines."""

from __future__ import annotations

import os
import re
from pathlib import Path

from table_common.exceptions import TableRuntimeException
from table_common.gate import current_gate
from table_runtime.files.paths import WHERE, is_hidden, local_path
from table_runtime.files.remote import is_remote

_PATTERN_CHARACTERS = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"\{([^{}]*)\}")


def is_pattern(path: str) -> bool:
    """Returns whether the path is a pattern: it has pattern characters, and no local file or folder has that name."""
    return _PATTERN_CHARACTERS.search(path) is not None and not is_remote(path) and not local_path(path).exists()


def matches_of(path: str) -> tuple[str, ...]:
    """Returns the files and folders that a pattern matches, sorted; without hidden ones.

    Raises:
        ValidationException: one of them, or a folder that the pattern lists, is where statements of the session must not read.
    """
    matches = {match for pattern in _without_braces(str(local_path(path))) for match in _found(Path(pattern))}
    visible = [match for match in sorted(matches, key=str) if not is_hidden(match.name)]
    return tuple(map(str, current_gate().found_all(visible, WHERE)))


def _found(pattern: Path) -> list[Path]:
    """Returns the matches of a pattern without braces. Each folder that is listed passes the gate first: a link may lead out of the allowed ones."""
    import glob  # few paths are patterns

    gate = current_gate()
    found = [Path(pattern.anchor)]
    for part in pattern.relative_to(pattern.anchor).parts:
        if glob.has_magic(part):
            folders = gate.found_all([folder for folder in found if folder.is_dir()], WHERE)
            found = [folder / name for folder in folders for name in glob.glob(part, root_dir=folder)]
        else:
            found = [folder / part for folder in found]
    return [match for match in found if os.path.lexists(match)]


def expanded_paths(path: str) -> tuple[str, ...]:
    """Returns the matches of a pattern; a path without pattern characters is returned unchanged.

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
    """Returns one pattern for each combination of alternatives in braces."""
    braces = _BRACES.search(pattern)
    if braces is None:
        return [pattern]
    return [
        expanded
        for choice in braces[1].split(",")
        for expanded in _without_braces(pattern[: braces.start()] + choice + pattern[braces.end() :])
    ]
