"""The runtime provider of a scan: the tables are copied part by part, then the log is read transaction by transaction."""

from __future__ import annotations

from collections.abc import Sequence

from connector_postgres_cdc.capture import Capture
from connector_postgres_cdc.copying import Snapshot, next_range, parts_between
from connector_postgres_cdc.driver_state import DriverState
from connector_postgres_cdc.offsets import Position
from connector_postgres_cdc.reader import CdcReader, CdcSplit
from table_common.annotation import override
from table_common.connector import Offset, ReadLimit, SourceProvider, SourceReader
from table_common.frozen_dataclass import dataclass, field, replace


@dataclass(frozen=True)
class PostgresCdcSourceProvider(SourceProvider):
    """Reads tables and their changes. An offset is ``{"lsn": 26735680}``, the end of the last transaction that was read.

    While tables are copied it also says which parts were, and in which snapshots. What a snapshot shows is left out of the log by the numbers of transactions.
    """

    capture: Capture
    state: DriverState = field(default_factory=DriverState, compare=False, repr=False)

    @property
    @override
    def is_bounded(self) -> bool:
        return self.capture.is_snapshot

    @override
    def initial_offset(self) -> Offset:
        capture, state = self.capture, self.state
        if capture.is_snapshot:
            return Position(0, is_copying=True).offset()
        slot, tables = state.begin(capture)
        if capture.startup == "latest-offset" and not slot.is_new:
            return Position(max(slot.confirmed, state.flushed(capture)), tables=tables).offset()
        return Position(slot.confirmed, is_copying=capture.startup == "initial", tables=tables).offset()

    @override
    def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
        position, capture, state = Position.of(start), self.capture, self.state
        until = limit.until if limit is not None else None
        if until is not None and (
            position.is_copying or (position.lsn >= Position.of(until).lsn and not capture.is_snapshot) or start == until
        ):
            return until
        rows = limit.rows if limit is not None else None
        if position.is_copying:
            return self._copied(position, rows).offset()
        if capture.is_snapshot:
            return start
        if state.has_reader:  # it has read the parts
            state.end_snapshot()
        state.require_slot(capture, position)
        tables = state.watched(capture, position.tables)
        most = rows if rows is None or capture.shape.is_upsert else max(1, rows // 2)  # an update has two rows
        end = state.next_end(capture, position.lsn, Position.of(until).lsn if until is not None else None, most)
        return start if end == position.lsn else replace(position, lsn=end, exported=None, tables=tables).offset()

    def _copied(self, position: Position, rows: int | None) -> Position:
        capture, state = self.capture, self.state
        if not capture.is_snapshot:
            state.require_slot(capture, position)
            position = replace(position, tables=state.watched(capture, position.tables))
        if state.snapshot is None:
            state.snapshot = Snapshot(capture)
        snapshot = state.snapshot
        most = None if rows is None else max(1, min(rows, capture.chunk_rows * capture.parallelism))
        end = next_range(capture, position, snapshot, most)
        is_copying = not all(end.is_whole(table.shown) for table in capture.tables)
        return replace(end, is_copying=is_copying, until=max(position.until, snapshot.until), exported=snapshot.exported)

    @override
    def wait(self, start: Offset, seconds: float) -> bool:
        position = Position.of(start)
        return position.is_copying or self.capture.is_snapshot or self.state.wait(self.capture, position.lsn, seconds)

    @override
    def plan(self, start: Offset, end: Offset) -> Sequence[CdcSplit]:
        first, last = Position.of(start), Position.of(end)
        if first.is_copying:
            parts = tuple(parts_between(self.capture, first, last))
            return [CdcSplit(self.capture.split_id, start, end, parts, last.exported)] if parts else []
        return [CdcSplit(self.capture.split_id, start, end)] if first.lsn < last.lsn else []

    @override
    def is_repeatable(self, start: Offset, end: Offset) -> bool:
        """A snapshot lives as long as the session of the driver."""
        return not Position.of(start).is_copying

    @override
    def split_ids(self, start: Offset) -> Sequence[str]:
        return (self.capture.split_id,)

    @override
    def create_reader(self) -> SourceReader:
        self.state.has_reader = True
        return CdcReader(self.capture, self.state)

    @override
    def commit(self, end: Offset) -> None:
        """Moves the slot on to the end of the last transaction that the job has read."""
        position = Position.of(end)
        if not position.is_copying:
            self.state.end_snapshot()
            if not self.capture.is_snapshot:
                self.state.commit(self.capture, position.lsn)

    @override
    def close(self) -> None:
        self.state.close(self.capture)
