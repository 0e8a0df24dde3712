"""What a folder's files are while changes of it are under way: the journals of ``table_runtime.files.commit``, read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_runtime.files.paths import is_hidden

__all__ = ["DATA", "JOURNAL", "PREFIX", "is_publishing", "read_json", "stagings", "visible_files", "walk"]

PREFIX = ".staging-"
JOURNAL = "commit.json"
DATA = "data"


def visible_files(table: Path) -> list[tuple[str, Path]]:
    """Returns (name relative to the table, where it is now) of the table's files, sorted by name; a file that is the table is the only one.

    Raises:
        TableRuntimeException: there is nothing at the path.
    """
    table = Path(os.path.realpath(table))
    if table.is_file():
        return [(table.name, table)]
    journals = _journals(table)
    if not table.is_dir() and not journals:
        raise TableRuntimeException(f"The path '{table}' of the table does not exist.", hint="Check the table's option 'path'.")
    files = {str(path.relative_to(table)): path for path in walk(table)} if table.is_dir() else {}
    for staging, journal in journals:
        for name in journal["remove"]:
            files.pop(name, None)
        for name in journal["add"]:
            staged = staging / DATA / name
            files[name] = staged if staged.exists() else table / name
    return sorted(files.items())


def is_publishing(table: Path) -> bool:
    """Returns whether a change has happened whose files are not all in place, so that ``visible_files`` differs from what is in the folder."""
    table = Path(os.path.realpath(table))
    return not table.is_file() and bool(_journals(table))


def walk(folder: Path) -> Iterable[Path]:
    """Yields the files below a folder that are not hidden."""
    stack = [str(folder)]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                is_folder = entry.is_dir()
                if is_hidden(entry.name, folder=is_folder):
                    continue
                if is_folder:
                    stack.append(entry.path)
                else:
                    yield Path(entry.path)


def stagings(table: Path) -> list[Path]:
    """Returns the folders in which jobs change tables beside this one."""
    try:
        return sorted(path for path in table.parent.glob(f"{PREFIX}*") if path.is_dir())
    except OSError:
        return []


def _journals(table: Path) -> list[tuple[Path, dict[str, Any]]]:
    found = []
    for staging in stagings(table):
        journal = read_json(staging / JOURNAL)
        if journal is not None and journal["table"] == table.name:
            found.append((staging, journal))
    return found


def read_json(path: Path) -> dict[str, Any] | None:
    """Returns what a file says, or None if it is not there, or not whole."""
    import json  # a folder without changes under way needs none

    try:
        content: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return content
