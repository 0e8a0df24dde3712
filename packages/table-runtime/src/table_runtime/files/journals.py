"""Journals of the changes of a table that are in progress, or committed but not cleaned up yet.

Each change is a folder in the hidden folder ``.table-changes``, which exists only while there are changes. See
``table_runtime.files.local_folder`` for its content.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_common.gate import current_gate
from table_runtime.files.paths import WHERE, is_hidden, special_file

CHANGES = ".table-changes"
"""The folder of a table's changes. Its name is fixed, so that readers find it without listing the table."""
MARKER = "table-change"
"""An empty file that marks our staging folders; folders without it are never deleted."""
PREPARED = "prepared.json"
"""The journal before the commit; renaming it to ``JOURNAL`` is the commit."""
JOURNAL = "commit.json"
DATA = "data"


Note = tuple[str, Mapping[str, Any]]
"""The name, relative to the table, and the content of a hidden file that says which epochs of a job are committed."""


@dataclass(frozen=True)
class Change:
    """A change with a journal.

    Readers ignore the ``added`` files before the commit, and the ``removed`` files after it. Removed files are deleted when no reader needs
    them.
    """

    staging: Path
    number: int
    """Higher than the numbers of all changes and pins that existed when it was prepared."""
    added: frozenset[str]
    removed: frozenset[str]
    is_committed: bool
    note: Note | None = None
    """Is written before the journal of a committed change goes."""


def changes_of(table: Path) -> list[Change]:
    """Returns the changes that have a journal, in the order in which they were prepared."""
    changes = []
    for staging in stagings(table):
        # In this order, so that a change that is committed meanwhile is read in one of its two states.
        for name in (PREPARED, JOURNAL):
            change = _read(staging, name)
            if change is not None:
                changes.append(change)
                break
    return sorted(changes, key=lambda change: (change.number, change.staging.name))


def settled_changes(table: Path) -> list[Change]:
    """Returns a consistent state of the changes: reads until two reads are equal."""
    changes = changes_of(table)
    while changes and (next_changes := changes_of(table)) != changes:
        changes = next_changes
    return changes


def stagings(table: Path) -> list[Path]:
    """Returns the staging folders of the table, sorted by name; none if they cannot be listed."""
    try:
        with os.scandir(table / CHANGES) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def walk(folder: Path) -> Iterable[Path]:
    """Yields the files below a folder that are not hidden.

    Raises:
        TableRuntimeException: a symbolic link leads to a folder above it, or there is a pipe, a socket or a device.
        OSError: a folder cannot be listed.
    """
    gate = current_gate()
    stack: list[tuple[str, tuple[str, ...]]] = [(str(folder), ())]
    while stack:
        current, ancestors = stack.pop()
        with os.scandir(current) as entries:
            for entry in entries:
                is_folder = entry.is_dir()
                if is_hidden(entry.name, folder=is_folder):
                    continue
                if entry.is_symlink():
                    gate.found(Path(entry.path), WHERE)
                if not is_folder:
                    if not entry.is_file() and os.path.exists(entry.path):
                        raise special_file(entry.path)
                    yield Path(entry.path)
                elif entry.is_symlink():
                    stack.append((entry.path, _followed(entry.path, current, ancestors)))
                else:
                    stack.append((entry.path, ancestors))


def folders_at(folder: Path, depth: int) -> list[str] | None:
    """Returns the folders ``depth`` levels below ``folder`` that are not hidden, as sorted relative names.

    Returns None if there is a file above that level.


    Raises:
        OSError: a folder cannot be listed.
    """
    gate = current_gate()
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
                    if entry.is_symlink():
                        gate.found(Path(entry.path), WHERE)
                    below.append(f"{name}{entry.name}/")
        names = below
    return sorted(name.removesuffix("/") for name in names)


def _followed(link: str, folder: str, ancestors: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the resolved ancestors of the walk after it follows a link."""
    target = os.path.realpath(link)
    ancestors = (*ancestors, os.path.realpath(folder))
    if any(ancestor == target or ancestor.startswith(target.rstrip("/") + "/") for ancestor in ancestors):
        raise TableRuntimeException(
            f"The link '{link}' leads to '{target}', a folder above it, so the folders of the table form a cycle.",
            hint="Remove the link, or use a folder below it as the table's path.",
        )
    return ancestors


def _read(staging: Path, name: str) -> Change | None:
    try:
        content = read_json(staging / name)
        if content is None or not (staging / MARKER).exists():  # no journal, or not a folder of ours
            return None
        return _change(staging, content, is_committed=name == JOURNAL)
    except (KeyError, TypeError, ValueError) as error:
        raise TableRuntimeException(
            f"The journal '{staging / name}' of a change of the table is damaged: {type(error).__name__}: {error}.",
            hint="The change that lists these files may be committed or not. Check the files, then delete the folder.",
        ) from error


def _change(staging: Path, content: Any, *, is_committed: bool) -> Change:
    for key in ("add", "remove"):
        if not isinstance(content[key], list) or not all(isinstance(name, str) for name in content[key]):
            raise TypeError(f"'{key}' is not a list of names")
        _check_names(key, content[key])
    added, removed = content["add"], content["remove"]
    note: Note | None = None
    if "note" in content:
        name, noted = content["note"]
        _check_names("note", [name])
        note = name, {**noted, "epoch": int(noted["epoch"])}
    return Change(staging, int(content["number"]), frozenset(added), frozenset(removed), is_committed, note)


def leads_out(name: str) -> bool:
    """Returns whether a name that should be relative to a table leads out of it."""
    return name.startswith("/") or os.path.isabs(name) or ".." in PurePath(name).parts


def _check_names(key: str, names: Iterable[str]) -> None:
    if any(map(leads_out, names)):
        raise ValueError(f"'{key}' has a name that leads out of the table")


def read_json(path: Path) -> Any:
    """Returns the content of a JSON file, or None if the file does not exist.

    Raises:
        ValueError: the file is not JSON.
    """
    try:
        text = path.read_text()
    except (FileNotFoundError, NotADirectoryError):
        return None
    import json  # a table without changes under way needs none

    return json.loads(text)
