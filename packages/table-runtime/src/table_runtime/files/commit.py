"""Changes of a table's files that happen as a whole or not at all.

A job writes its files below a hidden folder beside the table, ``.staging-<job>``. To commit it writes a journal there, which says which files are added
and which go; the rename that gives the journal its name is the moment at which the change has happened. Only then are files moved and
deleted. Readers apply journals that they find, so that a job that died while it moved files has still happened as a whole; one that died before
has not happened at all. What dead jobs left is finished or removed by the next job that writes the table.

An engine whose own writer makes the files and names them has it write below ``StagedWrite.folder`` and calls ``adopt`` when it is done. One whose own
reader lists a folder asks ``is_publishing`` first: only then is the folder not the whole truth and the files are those of ``visible_files``.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_runtime.files.journals import DATA, JOURNAL, PREFIX, read_json, stagings, visible_files, walk

__all__ = ["OWNER", "StagedWrite", "is_alive", "this_process"]

OWNER = "owner.json"


class StagedWrite:
    """One job's change of one table. Begin it, write files to ``path_of`` names, then commit or abort; abort after commit does nothing."""

    def __init__(self, table: Path, job_id: str) -> None:
        # A link to the table stays a link: what it points to changes.
        self.table = Path(os.path.realpath(table))
        self._staging = self.table.parent / f"{PREFIX}{job_id}"
        self._names: list[str] = []
        self._done = False

    def begin(self) -> None:
        """Makes the staging folder, after finishing or removing what dead jobs left.

        Raises:
            TableRuntimeException: the path is a file or cannot be written.
        """
        if self.table.exists() and not self.table.is_dir():
            raise TableRuntimeException(f"The path '{self.table}' is a file; a table that is written must be a folder.")
        try:
            self.table.parent.mkdir(parents=True, exist_ok=True)
            _recover(self.table)
            if read_json(self._staging / OWNER) is None:
                # This job, run before, died while it removed the folder: its change has happened, or it had not begun.
                shutil.rmtree(self._staging, ignore_errors=True)
            (self._staging / DATA).mkdir(parents=True)
            (self._staging / OWNER).write_text(json.dumps({"table": self.table.name, **this_process()}))
        except OSError as error:
            raise TableRuntimeException(f"The table at '{self.table}' cannot be written: {error}") from error

    def path_of(self, name: str) -> Path:
        """Returns where a new file with this name relative to the table is to be written."""
        path = self._staging / DATA / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._names.append(name)
        return path

    @property
    def folder(self) -> Path:
        """Where an engine's own writer puts files, laid out as in the table; they count when ``adopt`` has been called."""
        return self._staging / DATA

    def adopt(self) -> list[str]:
        """Takes all files below ``folder`` that readers would see into the change; returns the names of all that it adds, sorted.

        Raises:
            TableRuntimeException: the folder cannot be read.
        """
        try:
            self._names = sorted(str(path.relative_to(self.folder)) for path in walk(self.folder))
        except OSError as error:
            raise TableRuntimeException(f"The table at '{self.table}' cannot be written: {error}") from error
        return list(self._names)

    def existing(self) -> list[str]:
        """Returns the names of the table's files, relative to it; none if there is no table yet."""
        return [name for name, _ in visible_files(self.table)] if self.table.exists() else []

    def commit(self, removed: Sequence[str] = ()) -> None:
        """Publishes all files written and removes those named; when it returns, or dies half-way, the change has happened."""
        journal = {"table": self.table.name, "add": self._names, "remove": list(removed)}
        draft = self._staging / (JOURNAL + ".draft")
        try:
            for name in self._names:
                _sync(self._staging / DATA / name)
            with draft.open("w") as file:
                json.dump(journal, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._staging / JOURNAL)
            self._done = True
            _apply(self._staging, self.table, journal)
        except OSError as error:
            raise TableRuntimeException(f"The table at '{self.table}' cannot be written: {error}") from error

    def abort(self) -> None:
        """Removes what was written; the table is as it was."""
        if not self._done:
            shutil.rmtree(self._staging, ignore_errors=True)


def _apply(staging: Path, table: Path, journal: Mapping[str, Any]) -> None:
    table.mkdir(exist_ok=True)
    for name in journal["add"]:
        staged, final = staging / DATA / name, table / name
        final.parent.mkdir(parents=True, exist_ok=True)
        if staged.exists():
            os.replace(staged, final)
    for name in journal["remove"]:
        (table / name).unlink(missing_ok=True)
    shutil.rmtree(staging, ignore_errors=True)


def _recover(table: Path) -> None:
    for staging in stagings(table):
        owner = read_json(staging / OWNER)
        if owner is None or owner["table"] != table.name or is_alive(owner):
            continue
        journal = read_json(staging / JOURNAL)
        if journal is not None:
            _apply(staging, table, journal)
        else:
            shutil.rmtree(staging, ignore_errors=True)


def this_process() -> dict[str, Any]:
    """Returns what ``is_alive`` needs to know of this process."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "start": _process_start(os.getpid())}


def is_alive(owner: Mapping[str, Any]) -> bool:
    """Returns whether the process runs; a process of another machine may."""
    if owner["host"] != socket.gethostname():
        return True
    pid = int(owner["pid"])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return bool(_process_start(pid) == owner["start"])


def _process_start(pid: int) -> str:
    """Returns when a process began, for numbers are given again; empty where the system does not say."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
