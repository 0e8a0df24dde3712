"""Reads splits: parts of tables that are copied, or a range of the log."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.copying import Part, copy_parts
from connector_postgres_cdc.cursor import LogCursor
from connector_postgres_cdc.driver_state import DriverState
from connector_postgres_cdc.log_decoder import LogDecoder
from connector_postgres_cdc.offsets import Position
from connector_postgres_cdc.relation_check import RelationCheck
from table_common.annotation import override
from table_common.connector import Offset, SourceReader, SourceSplit
from table_common.exceptions import TableInternalError
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CdcSplit:
    """What a task reads: all parts of a range that copies tables, or the log between two offsets."""

    split_id: str
    start: Offset
    end: Offset
    parts: tuple[Part, ...] = ()
    snapshot: str | None = None
    """The exported name of the snapshot of the parts."""


class CdcReader(SourceReader):
    """Reads splits one after the other; the log is read on where the last range ended."""

    def __init__(self, capture: Capture, state: DriverState) -> None:
        """``state`` may have the messages of a range already."""
        self._capture = capture
        self._state = state
        self._cursor = LogCursor(capture)
        self._check = RelationCheck(capture)

    @override
    def read(self, split: SourceSplit) -> Iterator[pa.RecordBatch]:
        if not isinstance(split, CdcSplit):
            raise TableInternalError(f"A reader of PostgreSQL's log was given the split {split!r}.")
        if split.snapshot is not None:
            yield from copy_parts(self._capture, split.parts, split.snapshot)
            return
        start, end = Position.of(split.start), Position.of(split.end)
        capture = self._capture
        decoder = LogDecoder(capture.tables, capture.shape, start.copied, self._check, ignores_truncate=capture.ignores_truncate)
        fetched = self._state.take(start.lsn, end.lsn)
        for messages in fetched if fetched is not None else self._cursor.read(start.lsn, end.lsn):
            yield from decoder.rows(messages, start.lsn, end.lsn)

    @override
    def close(self) -> None:
        self._cursor.close()
