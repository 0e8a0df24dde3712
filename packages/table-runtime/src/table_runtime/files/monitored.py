"""A folder that is watched for new files: an unbounded source, whose offset is the set of files that were read."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, cast

from table_common.annotation import override
from table_common.connector import FileScanProvider, Offset, ReadLimit, SourceProvider, SourceReader, SourceSplit, SupportsArrowArray
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass, field
from table_common.gate import Gate, current_gate
from table_runtime.files.listed_files import FileState, Listing, file_of, state_of
from table_runtime.files.reading import TableFile, TableFiles
from table_runtime.files.seen_files import REPLACED_HINT, SeenFiles
from table_runtime.formats import Ignored

_SPLIT = "files"
_MOST_FILES = 500
"""Files of a range with a limit; less than an offset lists."""


class _Watch:
    """What the driver's provider knows beside the offset: the last listing, and when it was made."""

    def __init__(self, interval: float) -> None:
        self.interval = interval
        self.listing = Listing()
        self.listed_at: float | None = None
        self.covered: Listing | None = None
        """The files after the floor of the offset, as far as this process has seen them."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _Watch, (self.interval,)

    @property
    def seconds_left(self) -> float:
        """How long the last listing is still good."""
        return 0.0 if self.listed_at is None else max(0.0, self.listed_at + self.interval - time.monotonic())


@dataclass(frozen=True)
class MonitoredFiles(SourceProvider):
    """The files of a folder in the order of their modification times and names, and each file that comes later.

    ``provider`` describes the files; its ``paths`` may be a pattern, which is matched again at each listing. ``interval`` is in seconds. Files whose
    names begin with ``.`` or ``_`` are not read, so a file can be written under such a name and then renamed. A range of offsets has whole files.

    Raises:
        TableRuntimeException: a file that was read has changed, or came with an old modification time that the offset does not cover.
    """

    provider: FileScanProvider
    table: str
    interval: float
    gate: Gate = field(default_factory=current_gate, compare=False, repr=False)
    """What later listings may find: they run in other threads and processes."""
    watch: _Watch = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "watch", _Watch(self.interval))

    @property
    @override
    def is_bounded(self) -> bool:
        return False

    @override
    def initial_offset(self) -> Offset:
        return SeenFiles().to_json()

    @override
    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        seen = SeenFiles.from_json(cast("dict[str, Any]", start))
        watch = self.watch
        new = seen.new_files(watch.listing, self.table, watch.covered) if watch.listing else []
        if not new and watch.seconds_left <= 0:
            with self.gate.in_force():
                watch.listing, watch.listed_at = Listing.of(self.provider.paths, self.table), time.monotonic()
            new = seen.new_files(watch.listing, self.table, watch.covered)
        watch.covered = seen.covered_files(watch.listing)
        if limit is not None and limit.until is not None:
            last = SeenFiles.from_json(cast("dict[str, Any]", limit.until))
            new = [(name, state) for name, state in new if last.holds(name, state)]
        chosen = _limited(new, limit)
        if not chosen:
            return start
        after = seen.with_files(chosen, watch.listing)
        watch.covered = after.covered_files(watch.listing)
        return after.to_json()

    @override
    def wait(self, start: Offset, seconds: float) -> bool:
        left = self.watch.seconds_left
        time.sleep(min(left, seconds))
        return left <= seconds

    @override
    def plan(self, start: Offset, end: Offset) -> Sequence[SourceSplit]:
        first = SeenFiles.from_json(cast("dict[str, Any]", start)).files
        after = SeenFiles.from_json(cast("dict[str, Any]", end)).files
        added = [(name, state) for name, state in after.items() if first.get(name) != state]
        # Object stores have times in whole seconds: of files of one second, the names say which comes first.
        in_order = sorted(added, key=lambda entry: (entry[1][0], entry[0]))
        return [_Files(_SPLIT, tuple(in_order))] if added else []

    @override
    def split_ids(self, start: Offset) -> Sequence[str]:
        return (_SPLIT,)

    @override
    def create_reader(self) -> SourceReader:
        return _Reader(self.provider, self.table, self.gate)


@dataclass(frozen=True, slots=True)
class _Files:
    split_id: str
    files: tuple[tuple[str, FileState], ...]


class _Reader(SourceReader):
    def __init__(self, provider: FileScanProvider, table: str, gate: Gate) -> None:
        self._provider = provider
        self._gate = gate
        self._table = table
        self._files = TableFiles(provider, table)
        self._ignored = 0

    @property
    @override
    def ignored(self) -> int:
        return self._ignored

    @override
    def read(self, split: SourceSplit) -> Iterator[SupportsArrowArray]:
        assert isinstance(split, _Files)
        ignored = Ignored()
        states = dict(split.files)
        with self._gate.in_force():
            listed = [(name, file_of(name, self._provider.paths)) for name in states]
        for name, file in listed:
            for chosen in self._files.chosen([(name, file)]):
                yield from self._rows(chosen, states[name], ignored)
        self._ignored += ignored.total
        self._files.report(ignored)

    def _rows(self, file: TableFile, state: FileState, ignored: Ignored) -> Iterator[SupportsArrowArray]:
        self._check(file, state)
        for piece in self._files.pieces(file, ignored):
            yield piece()
        self._check(file, state)  # a file that is still written was read in part; the rows are not committed yet

    def _check(self, file: TableFile, state: FileState) -> None:
        try:
            now: FileState | None = state_of(file.path)
        except OSError:
            now = None
        if now is None:
            raise TableRuntimeException(
                f"Table {self._table}: the file '{file.path}' was removed before it was read.",
                hint="Keep files until the job has committed their rows, or start the job over.",
            )
        if now != state:
            raise TableRuntimeException(
                f"Table {self._table}: the file '{file.path}' changed while it was read: it had {state[1]:,} bytes, and has {now[1]:,}.",
                hint=REPLACED_HINT,
            )


def _limited(new: Sequence[tuple[str, FileState]], limit: ReadLimit | None) -> Sequence[tuple[str, FileState]]:
    """Returns the first files that keep to the limit, at least one.

    How many rows a file has is not known before it is read. A row is taken to have a byte at least, which is so in plain text; binary formats and compressed
    files with many equal values may have more rows.
    """
    if limit is None:
        return new
    new = new[:_MOST_FILES]
    most = min((bound for bound in (limit.rows, limit.bytes) if bound is not None), default=None)
    size = 0
    for count, (_, (_, file_size)) in enumerate(new):
        size += file_size
        if count and most is not None and size > most:
            return new[:count]
    return new
