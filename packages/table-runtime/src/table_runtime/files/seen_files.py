"""The set of files that a job has read, bounded: the newest by name, and a floor that covers the older ones.

An older file is recognized by its modification time, which is not after the floor. The floor also has the number and a digest of the files that it covers.
So a file that comes with an old time is not taken for one that was read.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass, field
from table_runtime.files.listed_files import FileState, Listing

_LOG = logging.getLogger("table_runtime.files")
MOST_NAMES = 1_000
"""Files that an offset lists by name."""
REPLACED_HINT = (
    "A file must be complete when it appears, and stay as it is: write it under a name that begins with '.' or '_', then rename it. "
    "To read a new version, give it another name."
)


@dataclass(frozen=True)
class _Floor:
    """Covers the files up to a modification time and, of those with that time, up to a name."""

    time: int
    name: str
    count: int
    digest: int


@dataclass(frozen=True)
class SeenFiles:
    """The files that were read, at an offset."""

    files: dict[str, FileState] = field(default_factory=dict)
    floor: _Floor | None = None

    def to_json(self) -> dict[str, Any]:
        """Returns the set as an offset."""
        floor = self.floor
        covered = None if floor is None else [floor.time, floor.name, floor.count, f"{floor.digest:032x}"]
        return {"files": {name: list(state) for name, state in self.files.items()}, "floor": covered}

    @classmethod
    def from_json(cls, offset: dict[str, Any]) -> SeenFiles:
        """Returns the set that an offset describes."""
        floor = offset["floor"]
        return cls(
            {name: (time, size) for name, (time, size) in offset["files"].items()},
            None if floor is None else _Floor(floor[0], floor[1], floor[2], int(floor[3], 16)),
        )

    def holds(self, name: str, state: FileState) -> bool:
        """Whether a file is in the set, as it was then."""
        floor = self.floor
        return self.files.get(name) == state or (
            name not in self.files and floor is not None and (state[0], name) <= (floor.time, floor.name)
        )

    def covered_files(self, listing: Listing) -> Listing:
        """Returns the listed files that the floor covers."""
        floor = self.floor
        if floor is None:
            return Listing()
        last = (floor.time, floor.name)
        return Listing((name, state) for name, state in listing.items() if name not in self.files and (state[0], name) <= last)

    def new_files(self, listing: Listing, table: str, known: Listing | None) -> list[tuple[str, FileState]]:
        """Returns the files that were not read, by modification time and name.

        Args:
            listing: the files that are there now.
            table: the table, for messages.
            known: the files after the floor at the listing before; None if this process has not listed the folder.

        Raises:
            TableRuntimeException: a file changed after it was read, or came with a modification time that the floor covers.
        """
        for name, state in self.files.items():
            if listing.get(name, state) != state:
                raise _replaced(name, state, listing[name], table)
        covered = self.covered_files(listing)
        if known is not None:
            for name, state in known.items():
                if listing.get(name, state) != state:
                    raise _replaced(name, state, listing[name], table)
            if covered.keys() - known.keys():
                raise self._came_late(covered, covered.keys() - known.keys(), table)
        elif self.floor is not None:
            self._check_floor(self.floor, covered, table)
        new = [(name, state) for name, state in listing.items() if name not in self.files and name not in covered]
        return sorted(new, key=lambda entry: (entry[1][0], entry[0]))

    def with_files(self, added: Sequence[tuple[str, FileState]], listing: Listing) -> SeenFiles:
        """Returns the set with more files. It lists all that were added, and forgets those that are not there any more."""
        now = {name for name, _ in added}
        before = sorted((state[0], name) for name, state in self.files.items() if name in listing and name not in now)
        dropped = before[: max(0, len(before) + len(now) - MOST_NAMES)]
        covered = self.covered_files(listing)
        covered.update((name, self.files[name]) for _, name in dropped)
        names = {name for _, name in before[len(dropped) :]}
        files = {**{name: self.files[name] for name in self.files if name in names}, **dict(added)}
        last = max([*dropped, *([(self.floor.time, self.floor.name)] if self.floor else [])], default=None)
        return SeenFiles(files, None if last is None else _Floor(*last, len(covered), _digest(covered.items())))

    def _check_floor(self, floor: _Floor, covered: Listing, table: str) -> None:
        """Compares the older files with those that were there when the offset was made."""
        if (len(covered), _digest(covered.items())) == (floor.count, floor.digest):
            return
        if len(covered) >= floor.count:
            raise self._came_late(covered, covered, table)
        _LOG.warning(
            "Table %s: %d of the %d oldest files that were read are not there any more", table, floor.count - len(covered), floor.count
        )

    def _came_late(self, covered: Listing, names: Collection[str], table: str) -> TableRuntimeException:
        assert self.floor is not None
        one = next((name for name in covered if name in names), "")
        which = f"the file '{one}'" if len(names) == 1 else f"one of {len(names):,} files, such as '{one}',"
        return TableRuntimeException(
            f"Table {table}: {which} came with a modification time before {_time(self.floor.time)}. Of files as old as that, the job "
            f"keeps a digest alone, so it cannot tell whether this one was read.",
            hint=f"`touch` the file that was not read, so that it is new. The {MOST_NAMES:,} newest files are known by name.",
        )


def _digest(files: Iterable[tuple[str, FileState]]) -> int:
    """Returns a number that depends on the files, but not on their order."""
    result = 0
    for name, (time, size) in files:
        text = f"{name}\0{time}\0{size}".encode("utf-8", "surrogateescape")
        result ^= int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")
    return result


def _replaced(name: str, before: FileState, now: FileState, table: str) -> TableRuntimeException:
    if now[1] == before[1]:
        what = f"was replaced after it was read: it is of {_time(before[0])}, and now of {_time(now[0])}"
    else:
        what = f"{'shrank' if now[1] < before[1] else 'grew'} after it was read: it had {before[1]:,} bytes, and has {now[1]:,}"
    return TableRuntimeException(f"Table {table}: the file '{name}' {what}.", hint=REPLACED_HINT)


def _time(nanoseconds: int) -> str:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
