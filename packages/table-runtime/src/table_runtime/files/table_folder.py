"""The folder of a table that is written, on this machine or on a remote file system: one protocol for both.

1. *Stage*: a job begins a change, and writes files that readers do not see (``TableChange.path_of``), or lets another writer do so (``folder`` and ``adopt``).
2. *Prepare and publish*: ``commit`` writes a journal with the files to add and to remove, and moves the files. Readers see all of it or nothing.
3. *Clean*: the staged files and the journal go. Of a job that died, the next job that writes the table finishes a change with a complete journal, and removes the others.

A change belongs to a process: its files are in ``.table-changes/<job>`` and end with that process. What belongs to a job, whichever process runs it, is in
``.table-epochs/<job>``: the files of epochs that are not committed yet, and the note of the last one that is (``TableFolder.publish``). ``local_folder`` has locks and renames,
``remote_folder`` what object stores have, too: a small file that appears at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from table_common.exceptions import TableRuntimeException

Replaces = Callable[[Sequence[str]], Collection[str]]
"""Selects the files to delete; names are relative to the table."""
CameSince = Callable[[Collection[str]], Sequence[str]]
"""Selects the files that were added after the job read the table; names are relative to the table."""
_StagedT = TypeVar("_StagedT")


class TableChange(ABC, Generic[_StagedT]):
    """One job's change of one table: begin it, write files to ``path_of`` names, then commit or abort. Abort after commit does nothing.

    Each sink of the job that writes the table has its own ``part``. Equal file names in two parts fail at the commit.
    """

    def __init__(self, table: Path | str, key: Path | str) -> None:
        self.table = table
        """The path or the URL of the table."""
        self.key = key
        """It is equal for all changes of one table, however the path or the URL is spelled."""
        self._staged: dict[str, _StagedT] = {}

    @abstractmethod
    def begin(self) -> None:
        """Creates the staging folder, after cleaning up the changes of dead jobs.

        Raises:
            TableRuntimeException: the path is a file or cannot be written.
        """

    @abstractmethod
    def folder(self, part: int = 0) -> str:
        """Returns the path or the URL of the folder for the files of another writer, laid out as in the table; ``adopt`` adds them to the change."""

    @abstractmethod
    def path_of(self, name: str, part: int = 0) -> Path:
        """Returns the path at which to write a new file with this name, relative to the table; a ``RemoteFile`` on a remote file system."""

    @abstractmethod
    def adopt(self, part: int = 0) -> list[str]:
        """Adds all files below ``folder`` that are not hidden to the change; returns their names, sorted.

        Raises:
            TableRuntimeException: the folder cannot be read.
        """

    @abstractmethod
    def commit(self, replaces: Replaces | None = None, came_since: CameSince | None = None) -> None:
        """Atomically adds the written files and removes the files that ``replaces`` selects, even if the process dies meanwhile.

        Args:
            replaces: receives the current files of the table, except those of this change; None removes none.
            came_since: selects files that were added after the job read the table; if ``replaces`` selects one of them, the commit fails. Remote file systems
                ignore it: concurrent writers are not detected there.

        Raises:
            TableRuntimeException: the change is not committed.
        """

    @abstractmethod
    def abort(self) -> None:
        """Discards the written files; the table is unchanged."""

    def new_files(self) -> list[str]:
        """Returns the paths or URLs of this change's files after the commit."""
        return [f"{self.key}/{name}" for name in self._staged]

    def _stage(self, name: str, staged: _StagedT) -> None:
        if self._staged.setdefault(name, staged) != staged:
            raise TableRuntimeException(f"Two writers of one job wrote the same file '{name}' of the table at '{self.table}'.")


class TableFolder(ABC):
    """The folder of a table; all names are relative to it."""

    @abstractmethod
    def change(self, job_id: str) -> TableChange[Any]:
        """Returns a change of a job, which is not begun yet."""

    @abstractmethod
    def exists(self) -> bool:
        """Whether the folder is there. A remote file system may have no folders: then it is."""

    @abstractmethod
    def make(self) -> None:
        """Makes the folder where it does not exist.

        Raises:
            TableRuntimeException: the path is a file. A remote file system says so when the first file is made.
        """

    @abstractmethod
    def visible(self) -> Mapping[str, str]:
        """Returns the names of the files that readers see, each with the name of where it is now; none if there is no folder."""

    @abstractmethod
    def file(self, name: str) -> Path:
        """Returns a hidden file to write, in a folder that exists then; a ``RemoteFile`` on a remote file system."""

    @abstractmethod
    def sync(self, names: Collection[str]) -> None:
        """Makes files durable that are written."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """Returns the content of a hidden file; None if there is none."""

    @abstractmethod
    def write(self, name: str, content: bytes) -> None:
        """Writes a small hidden file, which readers see as a whole or as it was."""

    @abstractmethod
    def folders(self, name: str) -> Collection[str]:
        """Returns the names of the folders in a hidden folder."""

    @abstractmethod
    def changed(self, name: str) -> int:
        """Returns when a file in a hidden folder was written last, in nanoseconds since 1970; 0 if there is none, or no time."""

    @abstractmethod
    def remove(self, names: Iterable[str]) -> None:
        """Removes files and folders with their files, and the folders above them that are empty then. A failure is ignored: later calls try again."""

    @abstractmethod
    def publish(self, change_id: str, staged: Mapping[str, str], marks: Sequence[str], note: tuple[str, Mapping[str, Any]]) -> None:
        """Atomically adds files that another process may have written, then writes a note. A repetition after a failure adds nothing twice.

        Args:
            change_id: the name of the change, the same in each repetition.
            staged: the names of the new files, each with the name of where it waits. It may stay there.
            marks: the names of empty files to add.
            note: the name and the content of a hidden file that is written when the files are visible. Its ``epoch`` is higher than in the note before.

        Raises:
            TableRuntimeException: a file is missing, or the folder cannot be written.
        """


def missing_file(table: Path | str, name: str, where: str) -> TableRuntimeException:
    """Returns the error for a staged file that is gone."""
    return TableRuntimeException(
        f"The table at '{table}' lacks the file '{name}' of a job, and it is not staged as '{where}' either.",
        hint="Something else removed it. Keep the hidden folders of a table that a job writes.",
    )
