"""A source with offsets in a streaming job: what an epoch reads of it, and where the next one begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa

from table_common.annotation import override
from table_common.connector import ReadLimit, SourceSplit
from table_common.frozen_dataclass import replace
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.streaming.graph.graph import Source
from table_runtime.streaming.share_epochs.epoch_source import EpochSource, Reads, RowSender
from table_runtime.streaming.share_epochs.reader_cache import ReadSplits

_T = TypeVar("_T")


class SourceOffsets(EpochSource):
    """The offsets of a source. A range that was read in part is finished in the first epoch, by this process."""

    def __init__(
        self,
        source: Source,
        scan: ScanOffsets,
        sent: RowSender,
        position: Mapping[str, Any],
        most_rows: int,
        splits: Iterable[str] = (),
        key: tuple[str, int] = ("", 0),
        *,
        is_once: bool = False,
    ) -> None:
        """``key`` is the run of the job and the number of the source. ``is_once``: only the rows are read that are there at the start."""
        super().__init__(source, position, splits)
        self._key = key
        self._limit = ReadLimit(rows=most_rows)
        self._scan = scan
        self._sent = sent
        self._is_once = is_once
        self._end: Any = None
        self._has_news = False
        """Whether rows were taken that the source still keeps."""
        self._range_end: Any = position.get("end") if position.get("rows") and not self.has_ended else None
        self._rows: int = position.get("rows", 0)
        """How many rows of the range that ends at ``_range_end`` were read before."""
        self._offset: Any = position["offset"] if "offset" in position else self._call(scan.offsets.initial_offset)

    @property
    @override
    def position(self) -> Mapping[str, Any]:
        ended = {"ended": True} if self.has_ended else {}
        return {"offset": self._end if self._end is not None else self._offset, **ended}

    @override
    def plan(self) -> Mapping[str, Reads]:
        self._end = None
        if self.has_ended or self.is_read:
            return {}
        offsets, start = self._scan.offsets, self._offset
        if self._is_once and self._limit.until is None:
            self._limit = replace(self._limit, until=self._call(offsets.latest_offset, start))
        is_rest = self._range_end is not None
        end = self._range_end if is_rest else self._call(offsets.latest_offset, start, self._limit)
        self.is_read = self._is_once and (end == self._limit.until or end == self._call(offsets.latest_offset, end, self._limit))
        if end == start:
            self.has_ended = self._call(offsets.has_ended, start)
            self.splits.update(self._call(offsets.split_ids, start))
            return {}
        planned = self._call(offsets.plan, start, end)
        self._end = end
        self.has_ended = self._scan.is_bounded and self._call(offsets.has_ended, end)
        reads = self._sent_rows(planned) if is_rest or offsets.is_in_process else self._read_in_workers(planned)
        self.splits.update(reads, self._call(offsets.split_ids, end))
        self.note_rows(reads)
        return reads

    def _read_in_workers(self, planned: Sequence[SourceSplit]) -> Mapping[str, Reads]:
        found: dict[str, list[SourceSplit]] = {}
        for split in planned:
            found.setdefault(split.split_id, []).append(split)
        return {name: ReadSplits(self._scan, splits, self._key) for name, splits in found.items()}

    def _sent_rows(self, planned: Sequence[SourceSplit]) -> Mapping[str, Reads]:
        """Reads a range in this process, without the rows that were read before."""
        found: dict[str, list[pa.RecordBatch]] = {}
        skipped = self._rows
        reader = self._call(self._scan.offsets.create_reader)
        try:
            for split in planned:
                for batch in self._scan.read_split(reader, split):
                    if batch.num_rows > skipped:
                        found.setdefault(split.split_id, []).append(batch.slice(skipped))
                    skipped = max(0, skipped - batch.num_rows)
        finally:
            reader.close()
        return {name: self._sent.send(batches) for name, batches in found.items()}

    @override
    def taken(self) -> None:
        if self._end is not None:
            self._offset, self._end = self._end, None
            self._range_end, self._rows = None, 0
            self._has_news = True
        self._sent.clear()

    @override
    def committed(self) -> None:
        if self._has_news:
            self._call(self._scan.offsets.commit, self._offset)
            self._has_news = False

    @override
    def wait(self, seconds: float) -> bool:
        return not self.has_ended and self._call(self._scan.offsets.wait, self._offset, seconds)

    @override
    def close(self) -> None:
        with suppress(Exception):  # the job has ended
            self._scan.offsets.close()
            self._sent.clear()

    def _call(self, call: Callable[..., _T], *arguments: Any) -> _T:
        return self._scan.with_table_in_errors(partial(call, *arguments))
