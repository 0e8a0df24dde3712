"""Cleans up after committed changes and failed jobs: deletes files and staging folders.

All is done under the table's write lock, and in an order in which it can be interrupted anywhere and done again.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from table_runtime.files.journals import CHANGES, DATA, JOURNAL, MARKER, PREPARED, Change, changes_of, stagings
from table_runtime.files.locks import LISTING, READING, PinnedFolder, is_owned, try_write_lock

__all__ = ["clean", "drop", "roll_back", "try_clean", "write_journal"]


def clean(table: Path) -> None:
    """Finishes changes that have happened and that no reader hinders, and undoes those of dead jobs. The caller holds the write lock.

    What cannot be deleted stays, with the journal that keeps readers from counting it.
    """
    found = stagings(table)
    changes = {change.staging: change for change in changes_of(table)} if found else {}
    for staging in found:
        change = changes.get(staging)
        if change is None or not change.is_committed:
            with suppress(OSError):
                _undo(staging, change)
    if changes:
        _finish(table, changes_of(table))
    with suppress(OSError):  # there are other changes, or none
        (table / CHANGES).rmdir()


def try_clean(table: Path) -> None:
    """Does what ``clean`` does unless somebody else changes the table, or it may not be changed."""
    with try_write_lock(table) as is_held:
        if is_held:
            clean(table)


def _undo(staging: Path, change: Change | None) -> None:
    """Undoes what a dead job has not committed."""
    if not (staging / MARKER).exists():
        staging.rmdir()  # only if it is empty: a job of ours died before it had marked it; else it is somebody else's
    elif is_owned(staging):
        return
    elif change is not None:
        roll_back(change)
    else:
        drop(staging)


def roll_back(change: Change) -> None:
    """Turns a change that was prepared into one that removes what it has added.

    Raises:
        OSError: the journal cannot be written.
    """
    names = sorted(change.added)
    write_journal(change.staging, JOURNAL, {"number": change.number, "add": names, "remove": names})
    (change.staging / PREPARED).unlink(missing_ok=True)


def drop(staging: Path) -> None:
    """Deletes a staging folder; what says that it is ours goes last, so that whoever comes next can go on."""
    shutil.rmtree(staging / DATA, ignore_errors=True)
    for name in (*(entry.name for entry in os.scandir(staging) if entry.name != MARKER), MARKER):
        (staging / name).unlink(missing_ok=True)
    staging.rmdir()


def write_journal(staging: Path, name: str, content: Mapping[str, Any]) -> None:
    """Writes a journal that is there as a whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    draft = staging / f"{name}.draft"
    with draft.open("w") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, staging / name)


def _finish(table: Path, changes: Iterable[Change]) -> None:
    committed = [change for change in changes if change.is_committed]
    if not committed:
        return
    folder = PinnedFolder(table)
    try:
        for change in committed:
            if folder.is_pinned(LISTING, change.number) or (change.removed and folder.is_pinned(READING, change.number)):
                continue
            with suppress(OSError):
                for name in change.removed:
                    with suppress(FileNotFoundError, NotADirectoryError):
                        (table / name).unlink()
                drop(change.staging)
    finally:
        folder.close()
