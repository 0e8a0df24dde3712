"""Cleans up after committed changes and failed jobs: deletes files and staging folders.

The caller holds the table's write lock. Each step is idempotent, so an interrupted cleanup can be repeated.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from table_common.durable_files import sync_folder
from table_runtime.files.journals import CHANGES, DATA, JOURNAL, MARKER, PREPARED, Change, Note, changes_of, read_json, stagings
from table_runtime.files.locks import LISTING, READING, PinnedFolder, is_owned, try_write_lock


def clean(table: Path) -> None:
    """Finishes committed changes that no reader pins, and rolls back the changes of dead jobs. The caller holds the write lock.

    Files that cannot be deleted stay, together with the journal that hides them from readers.
    """
    staging_folders = stagings(table)
    changes = {change.staging: change for change in changes_of(table)} if staging_folders else {}
    for staging in staging_folders:
        change = changes.get(staging)
        if change is None or not change.is_committed:
            with suppress(OSError):
                _undo(staging, change)
    if changes:
        _finish(table, changes_of(table))
    with suppress(OSError):  # the folder has other changes, or does not exist
        (table / CHANGES).rmdir()


def try_clean(table: Path) -> None:
    """Calls ``clean`` if the write lock is free and the table is writable; otherwise does nothing."""
    with try_write_lock(table) as is_held:
        if is_held:
            clean(table)


def _undo(staging: Path, change: Change | None) -> None:
    """Rolls back the uncommitted change of a dead job."""
    if not (staging / MARKER).exists():
        staging.rmdir()  # succeeds only if the folder is empty: a job died before it wrote the marker; other folders are not ours
    elif is_owned(staging):
        return
    elif change is not None:
        roll_back(change)
    else:
        drop(staging)


def roll_back(change: Change) -> None:
    """Turns a prepared change into a committed one that removes the files that it has added.

    Raises:
        OSError: the journal cannot be written.
    """
    names = sorted(change.added)
    write_journal(change.staging, JOURNAL, {"number": change.number, "add": names, "remove": names})
    (change.staging / PREPARED).unlink(missing_ok=True)


def drop(staging: Path) -> None:
    """Deletes a staging folder. The marker is deleted last, so that the next job can continue an interrupted deletion."""
    shutil.rmtree(staging / DATA, ignore_errors=True)
    for name in (*(entry.name for entry in os.scandir(staging) if entry.name != MARKER), MARKER):
        (staging / name).unlink(missing_ok=True)
    staging.rmdir()


def write_journal(staging: Path, name: str, content: Mapping[str, Any]) -> None:
    """Writes a journal atomically.

    Raises:
        OSError: the journal cannot be written.
    """
    write_whole(staging / name, json.dumps(content).encode())


def write_whole(path: Path, content: bytes) -> None:
    """Writes a small file so that readers see it whole, or as it was.

    Raises:
        OSError: the file cannot be written.
    """
    draft = path.with_name(f"{path.name}.draft")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def write_note(table: Path, note: Note) -> None:
    """Writes the note of an epoch, unless there is one of a later epoch.

    Raises:
        OSError: it cannot be written.
    """
    path, content = table / note[0], note[1]
    try:
        known = read_json(path)
        if known is not None and int(known["epoch"]) >= content["epoch"]:
            return
    except (KeyError, TypeError, ValueError):  # it is damaged: the next epoch of the job says so
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_journal(path.parent, path.name, content)
    sync_folder(path.parent)


def _delete(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):  # there is no such file
            raise


def _finish(table: Path, changes: Iterable[Change]) -> None:
    committed = [change for change in changes if change.is_committed]
    if not committed:
        return
    folder = PinnedFolder(table)
    try:
        for change in committed:
            if change.note is not None:
                write_note(table, change.note)
            if folder.is_pinned(LISTING, change.number) or (change.removed and folder.is_pinned(READING, change.number)):
                continue
            with suppress(OSError):
                for name in change.removed:
                    _delete(table / name)
                drop(change.staging)
    finally:
        folder.close()
