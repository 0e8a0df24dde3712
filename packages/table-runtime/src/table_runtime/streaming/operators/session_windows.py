"""SESSION windows over rows in event time: rows are emitted with their session when it is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.columns.batches import concat_arrays, make_batch
from table_runtime.formats import ROW_KIND_FIELD
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.steps.window_table_function.operator import TimeColumn
from table_runtime.streaming.changes.batch import ChangeBatch, Times, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.row_lists import Rows
from table_runtime.streaming.state.state_table import StateTable
from table_runtime.streaming.state.timed_rows import TimedRows
from table_runtime.streaming.time.watermarks import END_OF_TIME
from table_runtime.streaming.time.window_clock import WindowClock


@dataclass
class _Session:
    """A session of one partition: start and end in local milliseconds, its last one in event time, and its rows.

    These are numbers of kept rows, or of rows of the batch, inverted (~).
    """

    start: int
    end: int
    last: int
    rows: list[int]


class SessionState(OperatorState):
    """The rows of sessions that are not over, by partition; ``ended`` are rows of sessions that are over, until the next watermark: columns, starts, ends and numbers."""

    def __init__(self, context: ExecutionContext, operator: SessionWindows) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([operator.input_schema.field(i).type for i in operator.partition_by])
        self.rows = TimedRows(operator.kept_schema)
        self.ended: list[tuple[Sequence[pa.Array], Times, Times, Times]] = []

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"rows": self.rows}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.rows.has_rows(slots)


class SessionWindows(ChangelogOperator[SessionState]):
    """Emits each row with start, end and time of its session when the watermark reaches the last millisecond of the session.

    A session begins with its first row and ends ``gap`` milliseconds after its last one; rows with equal partition keys form a partition. A session that is
    over takes no more rows. A row whose session would be over already when it comes is late: it is dropped and counted. Sessions are on the
    local clocks of ``clock``: ``time`` gives the local times of rows. With ``follows_clock`` times are processing time. With ``has_changes`` retractions belong to
    sessions, and extend them, as other rows do.
    """

    emits_at_watermarks = True

    def __init__(
        self,
        schema: pa.Schema,
        input_schema: pa.Schema,
        time: TimeColumn,
        partition_by: Sequence[int],
        gap: int,
        clock: WindowClock,
        text: str = "",
        *,
        follows_clock: bool = False,
        has_changes: bool = False,
    ) -> None:
        super().__init__(schema)
        self._follows_clock = follows_clock
        self.input_schema = input_schema
        self.kept_schema = input_schema.append(ROW_KIND_FIELD) if has_changes else input_schema
        self._has_changes = has_changes
        self.partition_by = tuple(partition_by)
        self._time = time
        self._gap = gap
        self._clock = clock
        self._text = text

    @property
    @override
    def name(self) -> str:
        return "WindowTableFunction"

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> SessionState:
        return SessionState(context, self)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self.partition_by)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: SessionState, out: Output) -> None:
        local = self._time.milliseconds(batch.rows.column(self._time.position))
        if local.null_count:
            batch = batch.take(np.flatnonzero(pc.is_valid(local).to_numpy(zero_copy_only=False)))
            local = pc.drop_null(local)
        times = np.asarray(local)
        rows = batch.num_rows
        before = batch.watermarks(state.processing_time - 1 if self._follows_clock else state.watermark)
        slots = state.keys.find_or_insert(batch.columns(self.partition_by), rows) if self.partition_by else np.zeros(rows, np.int64)
        kept_rows = batch.with_kind_column() if self._has_changes else batch.rows
        # A row may be late, or follow closely a session that was over when it came, but not at the last watermark of the operator: that session is gone.
        is_behind = (self._clock.first_instants(times) - 1 <= before) | self._clock.are_near_changes(times)
        if is_behind.any():
            is_behind &= (before > state.watermark) | (self._clock.last_instants(times + self._gap) <= before)
        numbers = state.rows.numbered(rows)
        if not is_behind.any():
            state.rows.append(kept_rows, slots, times, before, numbers)
            return
        behind = np.unique(slots[is_behind])
        is_apart = np.isin(slots, behind)
        plain = np.flatnonzero(~is_apart)
        state.rows.append(kept_rows.take(pa.array(plain)), slots[plain], times[plain], before[plain], numbers[plain])
        for slot in behind.tolist():
            state.context.check()
            self._one_by_one(kept_rows, np.flatnonzero(slots == slot), slot, times, before, numbers, state)

    def _one_by_one(
        self, batch: pa.RecordBatch, new: Rows, slot: int, times: Times, before: Times, numbers: Times, state: SessionState
    ) -> None:
        """Adds rows of one partition, each after the sessions that were over when it came."""
        kept = state.rows.of_slots(np.array([slot]))
        sessions = list(self._sessions(kept, state.rows.times_of(kept)))
        ended: list[_Session] = []
        lasts = self._clock.last_instants(times[new] + self._gap)
        for row, time, last, watermark in zip(new.tolist(), times[new].tolist(), lasts.tolist(), before[new].tolist(), strict=True):
            ended += [session for session in sessions if session.last <= watermark]
            sessions = [session for session in sessions if session.last > watermark]
            merged = _Session(time, time + self._gap, last, [~row])
            for session in [one for one in sessions if one.start <= merged.end and one.end >= time]:
                sessions.remove(session)
                end, last = max((merged.end, merged.last), (session.end, session.last))
                merged = _Session(min(merged.start, session.start), end, last, [*session.rows, *merged.rows])
            if merged.last <= watermark:
                state.metrics.late_rows += 1
            else:
                sessions.append(merged)
        self._end(ended, batch, numbers, state)
        still = np.array(sorted(~row for session in sessions for row in session.rows if row < 0), np.int64)
        state.rows.append(batch.take(pa.array(still)), np.full(len(still), slot), times[still], before[still], numbers[still])
        state.rows.remove(np.array([row for session in ended for row in session.rows if row >= 0], np.int64))

    def _sessions(self, rows: Rows, times: Times) -> Iterator[_Session]:
        """Yields the sessions of rows of one partition."""
        if not len(rows):
            return
        order = np.argsort(times, kind="stable")
        rows, times = rows[order], times[order]
        starts = np.flatnonzero(np.append(True, times[1:] - times[:-1] > self._gap))
        stops = np.append(starts[1:], len(rows))
        ends = times[stops - 1] + self._gap
        lasts = self._clock.last_instants(ends)
        for start, stop, end, last in zip(starts.tolist(), stops.tolist(), ends.tolist(), lasts.tolist(), strict=True):
            yield _Session(int(times[start]), end, last, np.sort(rows[start:stop]).tolist())

    def _end(self, sessions: Sequence[_Session], batch: pa.RecordBatch, numbers: Times, state: SessionState) -> None:
        """Notes sessions that are over, with rows of the state and of a batch."""
        for session in sessions:
            rows = np.array(session.rows, np.int64)
            kept, new = state.rows.take(rows[rows >= 0]), batch.take(pa.array(~rows[rows < 0])).columns
            columns = [concat_arrays(parts, field.type) for *parts, field in zip(kept, new, self.kept_schema, strict=True)]
            came = np.concatenate([state.rows.numbers_of(rows[rows >= 0]), numbers[~rows[rows < 0]]])
            state.ended.append((columns, np.full(len(rows), session.start), np.full(len(rows), session.end), came))

    @override
    def on_watermark(self, watermark: int, state: SessionState, out: Output) -> None:
        self._end_until(watermark, state)
        if not state.ended:
            return
        starts, ends, numbers = (np.concatenate(column) for column in zip(*(times for _, *times in state.ended), strict=True))
        order = np.lexsort((numbers, ends))
        taken = pa.array(order)
        rows = [
            concat_arrays([columns[i] for columns, *_ in state.ended], field.type).take(taken) for i, field in enumerate(self.kept_schema)
        ]
        state.ended = []
        kinds = rows.pop().to_numpy() if self._has_changes else None
        window = self._time.window_columns(pa.array(starts[order]), pa.array(ends[order]))
        out(ChangeBatch(make_batch([*rows, *window], self.schema, len(order)), kinds))

    @override
    def next_due(self, state: SessionState) -> int:
        first = state.rows.first_time
        if state.ended:
            return NO_WATERMARK
        if first == END_OF_TIME:
            return END_OF_TIME
        end = np.array([first + self._gap])  # the session of the first row is not over before, and may continue
        return NO_WATERMARK if self._clock.are_near_changes(end)[0] else int(self._clock.last_instants(end)[0])

    def _end_until(self, watermark: int, state: SessionState) -> None:
        """Ends the sessions that are over at a watermark."""
        candidates = state.rows.until(self._clock.local_bound(watermark) - self._gap + 1)
        rows = state.rows.of_slots(np.unique(state.rows.slots_of(candidates)))
        if not len(rows):
            return
        slots, times = state.rows.slots_of(rows), state.rows.times_of(rows)
        order = np.lexsort((times, slots))
        slots, times = slots[order], times[order]
        is_first = np.ones(len(rows), np.bool_)
        is_first[1:] = (slots[1:] != slots[:-1]) | (times[1:] - times[:-1] > self._gap)
        first = np.flatnonzero(is_first)
        sizes = np.diff(np.append(first, len(rows)))
        starts, ends = times[first], times[first + sizes - 1] + self._gap
        is_over = np.repeat(self._clock.last_instants(ends) <= watermark, sizes)
        over = np.flatnonzero(is_over)
        if not len(over):
            return
        ended = rows[order[over]]
        columns = state.rows.take(ended), np.repeat(starts, sizes)[over], np.repeat(ends, sizes)[over], state.rows.numbers_of(ended)
        state.ended.append(columns)
        state.keys.touch(np.unique(slots[over]))
        state.rows.remove(ended)
