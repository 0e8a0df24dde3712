"""A source of a streaming job as the client sees it: what an epoch reads of it, and where the next one begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from table_common.connector import ReadLimit, SourceSplit
from table_common.exceptions import TableException
from table_planner_spark.streaming.kept_readers import ReadAll, ReadSplits, SplitRows
from table_runtime.operators import ScanOffsets
from table_runtime.streaming import Source

__all__ = ["Reads", "SourceOffsets", "require_offsets"]

_T = TypeVar("_T")

Reads = Callable[[], SplitRows]
"""Reads a split in a worker; can be pickled."""


def require_offsets(source: Source) -> None:
    """Checks that workers can read a source.

    Raises:
        TableException: it does not end and has no offsets, or its rows are in this process.
    """
    scan = source.scan
    if isinstance(scan, ScanOffsets):
        if scan.offsets.is_in_process:
            raise TableException(
                f"The rows of {source.table} are in this process, and Spark's workers read sources.",
                hint="Run the statement on the embedded engine: the planner 'arrow'; or write the rows to a topic or a folder that is read.",
            )
    elif source.is_unbounded:
        raise TableException(
            f"The source of {source.table} does not end and has no offsets, so Spark cannot read it again after a failure.",
            hint="Run the statement on the embedded engine: the planner 'arrow'; or implement SourceProvider (latest_offset, plan, create_reader).",
        )


class SourceOffsets:
    """The offsets of one source. ``position`` is where it goes on, as in manifests; ``plan`` says what the next epoch reads, and ``taken`` that it has.

    Raises:
        TableException: the position is within a range.
    """

    def __init__(
        self, source: Source, position: Mapping[str, Any], most_rows: int, splits: Iterable[str] = (), key: tuple[str, int] = ("", 0)
    ) -> None:
        """``splits`` are those that are known from the state of the job; ``key`` is the run of the job and the number of the source."""
        scan = source.scan
        self.source = source
        self._key = key
        self.has_ended = bool(position.get("ended"))
        self.splits = set(splits)
        self._limit = ReadLimit(rows=most_rows)
        self._seen: dict[str, float] = {}
        self._scan = scan if isinstance(scan, ScanOffsets) else None
        self._offset: Any = None
        self._end: Any = None
        if position.get("rows") and not self.has_ended and (self._scan is None or "end" in position):
            raise TableException(
                f"The savepoint is within a range of {source.table} that was read in part, and Spark begins at whole ranges.",
                hint="Stop the job on the embedded engine with STOP JOB … WITH SAVEPOINT while the source has no new rows.",
            )
        if self._scan is not None:
            self._offset = position["offset"] if "offset" in position else self._call(self._scan.offsets.initial_offset)

    @property
    def position(self) -> Mapping[str, Any]:
        """Where the source goes on behind the epoch that ``plan`` was called for."""
        ended = {"ended": True} if self.has_ended else {}
        return ended if self._scan is None else {"offset": self._end if self._end is not None else self._offset, **ended}

    def plan(self) -> Mapping[str, Reads]:
        """Returns what the next epoch reads, by splits: nothing if there are no new rows. May find that the source has ended.

        Raises:
            TableRuntimeException: the source failed.
        """
        self._end = None
        if self.has_ended:
            return {}
        if self._scan is None:
            self.has_ended = True
            self.splits = {""}
            return {"": ReadAll(self.source.scan)}
        offsets, start = self._scan.offsets, self._offset
        end = self._call(offsets.latest_offset, start, self._limit)
        if end == start:
            self.has_ended = self._call(offsets.has_ended, start)
            self.splits.update(self._call(offsets.split_ids, start))
            return {}
        found: dict[str, list[SourceSplit]] = {}
        for split in self._call(offsets.plan, start, end):
            found.setdefault(split.split_id, []).append(split)
        self._end = end
        self.splits.update(found, self._call(offsets.split_ids, end))
        now = time.monotonic()
        self._seen.update(dict.fromkeys(found, now))
        return {name: ReadSplits(self._scan, splits, self._key) for name, splits in found.items()}

    def idle_splits(self) -> Mapping[str, bool]:
        """Returns the splits, and whether each has given no rows for the idle timeout."""
        if self.has_ended:
            return {}
        now, timeout = time.monotonic(), self.source.idle_timeout / 1000
        return {name: bool(timeout) and now - self._seen.setdefault(name, now) >= timeout for name in self.splits}

    def taken(self) -> None:
        """Follows the commit of the epoch: the source goes on behind it, and need not keep the rows before."""
        if self._scan is not None and self._end is not None:
            self._offset, self._end = self._end, None
            self._call(self._scan.offsets.commit, self._offset)

    def wait(self, seconds: float) -> bool:
        """Waits for new rows, at most so many seconds; returns whether there may be some."""
        if self._scan is None or self.has_ended:
            return False
        return self._call(self._scan.offsets.wait, self._offset, seconds)

    def close(self) -> None:
        """Ends the use of the source in this process."""
        if self._scan is not None:
            with suppress(Exception):  # the job has ended
                self._scan.offsets.close()

    def _call(self, call: Callable[..., _T], *arguments: Any) -> _T:
        assert self._scan is not None
        return self._scan.with_table_in_errors(partial(call, *arguments))
