"""The changes of a table that are under way, or have happened but are not cleaned up yet, as its folder says.

Each is a folder in the hidden one ``.table-changes``, which is there only while there are changes. See ``table_runtime.files.commit`` for
what is in it, and when.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_runtime.files.paths import is_hidden

__all__ = ["CHANGES", "DATA", "JOURNAL", "MARKER", "PREPARED", "Change", "changes_of", "folders_at", "settled_changes", "stagings", "walk"]

CHANGES = ".table-changes"
"""The folder in that of a table where jobs change it: one that readers find without listing the table."""
MARKER = "table-change"
"""An empty file in every staging folder of ours: what has none is never deleted."""
PREPARED = "prepared.json"
"""The journal before the commit; renaming it to ``JOURNAL`` is the commit."""
JOURNAL = "commit.json"
DATA = "data"


@dataclass(frozen=True)
class Change:
    """A change with a journal. Its ``added`` files are at their places, at the latest when it is committed; until then they do not count.

    Once it is committed, those ``removed`` do not count; they are deleted when no reader needs them.
    """

    staging: Path
    number: int
    """Higher than those of all changes and pins that there were when it was prepared."""
    added: frozenset[str]
    removed: frozenset[str]
    is_committed: bool


def changes_of(table: Path) -> list[Change]:
    """Returns the changes that have a journal, in the order in which they were prepared."""
    found = []
    for staging in stagings(table):
        # In this order: a change that is committed meanwhile is found as the one or as the other.
        for name in (PREPARED, JOURNAL):
            change = _read(staging, name)
            if change is not None:
                found.append(change)
                break
    return sorted(found, key=lambda change: (change.number, change.staging.name))


def settled_changes(table: Path) -> list[Change]:
    """Returns the changes as they were at one moment: read again until nothing changes."""
    changes = changes_of(table)
    while changes and (again := changes_of(table)) != changes:
        changes = again
    return changes


def stagings(table: Path) -> list[Path]:
    """Returns the folders in which jobs change the table, sorted by name; none if they cannot be listed."""
    try:
        with os.scandir(table / CHANGES) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def walk(folder: Path) -> Iterable[Path]:
    """Yields the files below a folder that are not hidden.

    Raises:
        TableRuntimeException: a link leads back to a folder that it is in.
        OSError: a folder cannot be listed.
    """
    stack: list[tuple[str, tuple[str, ...]]] = [(str(folder), ())]
    while stack:
        current, behind = stack.pop()
        with os.scandir(current) as entries:
            for entry in entries:
                is_folder = entry.is_dir()
                if is_hidden(entry.name, folder=is_folder):
                    continue
                if not is_folder:
                    yield Path(entry.path)
                elif entry.is_symlink():
                    stack.append((entry.path, _followed(entry.path, current, behind)))
                else:
                    stack.append((entry.path, behind))


def folders_at(folder: Path, depth: int) -> list[str] | None:
    """Returns the names, relative to a folder, of those that are so many levels below it and not hidden, sorted; None if there is a file above that level.

    Raises:
        OSError: a folder cannot be listed.
    """
    names = [""]
    for _ in range(depth):
        below = []
        for name in names:
            with os.scandir(folder / name) as entries:
                for entry in entries:
                    is_folder = entry.is_dir()
                    if is_hidden(entry.name, folder=is_folder):
                        continue
                    if not is_folder:
                        return None
                    below.append(f"{name}{entry.name}/")
        names = below
    return sorted(name.removesuffix("/") for name in names)


def _followed(link: str, folder: str, behind: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the real folders that a walk has come from once it has followed a link."""
    target = os.path.realpath(link)
    behind = (*behind, os.path.realpath(folder))
    if any(one == target or one.startswith(target.rstrip("/") + "/") for one in behind):
        raise TableRuntimeException(
            f"The link '{link}' leads back to '{target}', which it is in, so that the table has no end.",
            hint="Remove the link, or name the folder below it as the table's path.",
        )
    return behind


def _read(staging: Path, name: str) -> Change | None:
    try:
        content = read_json(staging / name)
        if content is None or not (staging / MARKER).exists():  # nothing, or nothing of ours
            return None
        return _change(staging, content, is_committed=name == JOURNAL)
    except (KeyError, TypeError, ValueError) as error:
        raise TableRuntimeException(
            f"The journal '{staging / name}' of a change of the table is damaged: {type(error).__name__}: {error}.",
            hint="Files of the table that are listed in it may belong to a change that happened or did not; delete the folder once that is clear.",
        ) from error


def _change(staging: Path, content: Any, *, is_committed: bool) -> Change:
    added, removed = ([str(name) for name in content[key]] for key in ("add", "remove"))
    return Change(staging, int(content["number"]), frozenset(added), frozenset(removed), is_committed)


def read_json(path: Path) -> Any:
    """Returns what a file says, or None if it is not there.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        text = path.read_text()
    except (FileNotFoundError, NotADirectoryError):
        return None
    import json  # a table without changes under way needs none

    return json.loads(text)
