"""MATCH_RECOGNIZE over rows in the order of event time or processing time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_runtime.columns.batches import empty_batch, make_batch, rechunk
from table_runtime.expressions import EvaluationContext
from table_runtime.patterns.match_encoding import matches_as_numbers, matches_of_numbers
from table_runtime.patterns.pattern import PatternSpec
from table_runtime.patterns.recognizer import MatchRecognizer, MatchState
from table_runtime.run.execution import ExecutionContext
from table_runtime.sources.watermark_progress import milliseconds_of
from table_runtime.streaming.changes.batch import ChangeBatch, Truths
from table_runtime.streaming.changes.slot_groups import Slots
from table_runtime.streaming.operators.exchange_keys import ExchangeKeys, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable, content_of
from table_runtime.streaming.state.timed_rows import TimedRows


class PatternState(OperatorState):
    """The rows that wait for the watermark, and the partial matches of each partition with their rows."""

    def __init__(self, context: ExecutionContext, spec: PatternSpec) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots([spec.input_schema.field(i).type for i in spec.partition_by])
        self.waiting = TimedRows(spec.input_schema)
        self.matches = MatchState()
        self._spec = spec

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return {"waiting": self.waiting, "matches": _PartialMatches(self)}

    @override
    def is_live(self, slots: Slots) -> Truths:
        return self.waiting.has_rows(slots) | np.isin(slots, self.slots_of_partitions())

    def slots_of_partitions(self) -> Slots:
        """Returns the slot of each partition with partial matches."""
        retained = self.matches.retained
        if retained is None:
            return np.zeros(0, np.int64)
        counts = np.array([count for count, _ in self.matches.partitions], np.int64)
        if not self._spec.partition_by:
            return np.zeros(len(counts), np.int64)
        firsts = pa.array(np.cumsum(counts) - counts)
        return self.keys.find([retained.column(i).take(firsts) for i in self._spec.partition_by], len(counts))

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows."""
        return self._spec.input_schema


class _PartialMatches(StateTable):
    """For each partition its rows; the first of them has the matches, whose positions count from this row."""

    def __init__(self, state: PatternState) -> None:
        self._state = state

    @override
    def snapshot(self, slots: Slots) -> pa.RecordBatch:
        matches = self._state.matches
        rows = matches.retained if matches.retained is not None else empty_batch(self._state.schema)
        counts = np.array([count for count, _ in matches.partitions], np.int64)
        owners = self._state.slots_of_partitions()
        place_of = {slot: place for place, slot in enumerate(slots.tolist())}
        places = np.array([place_of.get(slot, -1) for slot in owners.tolist()], np.int64)
        starts = np.cumsum(counts) - counts
        chosen = [number for number in np.argsort(places, kind="stable").tolist() if places[number] >= 0]
        positions = [np.arange(starts[number], starts[number] + counts[number]) for number in chosen]
        partitions = [cell for number in chosen for cell in (matches.partitions[number][1], *([None] * (int(counts[number]) - 1)))]
        taken = rows.take(pa.array(np.concatenate([np.zeros(0, np.int64), *positions])))
        at = np.repeat(places[chosen], counts[chosen]) if chosen else np.zeros(0, np.int64)
        return content_of(pa.array(at), [*matches_as_numbers(partitions), *taken.columns])

    @override
    def restore(self, slots: Slots, content: pa.RecordBatch) -> None:
        if not content.num_rows:
            return
        matches, schema = self._state.matches, self._state.schema
        partitions = [partition for partition in matches_of_numbers(*content.columns[1:3]) if partition is not None]
        rows = make_batch(content.columns[3:], schema, content.num_rows)
        matches.retained = rows if matches.retained is None else rechunk([matches.retained, rows], schema)
        _, counts = np.unique(np.asarray(content.column(0)), return_counts=True)
        matches.partitions += zip(counts.tolist(), partitions, strict=True)


class MatchRecognize(ChangelogOperator[PatternState]):
    """Emits the matches of a pattern: in event time when the watermark reaches their rows, else as rows come.

    Rows that come when the watermark has reached their time are late: they are dropped and counted.
    """

    emits_at_watermarks = True
    emits_late_rows = True

    def __init__(self, spec: PatternSpec, evaluation: EvaluationContext, *, is_processing_time: bool, text: str = "") -> None:
        super().__init__(spec.output_schema)
        self._spec = spec
        self._recognizer = MatchRecognizer(spec, evaluation)
        self._is_processing_time = is_processing_time
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> PatternState:
        return PatternState(context, self._spec)

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by(self._spec.partition_by)

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: PatternState, out: Output) -> None:
        times = milliseconds_of(batch.rows.column(self._spec.time))
        if self._is_processing_time:
            self._slots(batch, state)
            self._match(batch.rows, int(times.max(initial=0)), state, out)
            return
        batch, times = state.drop_late(batch, times)
        state.waiting.append(batch.rows, self._slots(batch, state), times, 0)

    def _slots(self, batch: ChangeBatch, state: PatternState) -> Slots:
        if not self._spec.partition_by:
            return np.zeros(batch.num_rows, np.int64)
        return state.keys.find_or_insert(batch.columns(self._spec.partition_by), batch.num_rows)

    @override
    def on_watermark(self, watermark: int, state: PatternState, out: Output) -> None:
        ready = state.waiting.until(watermark)
        if not len(ready) and state.matches.retained is None:
            return
        rows = make_batch(state.waiting.take(ready), self._spec.input_schema, len(ready))
        touched: list[Any] = [state.waiting.slots_of(ready), state.slots_of_partitions()]
        if self._spec.partition_by:
            state.keys.touch(np.concatenate(touched))
        state.waiting.remove(ready)
        self._match(rows, watermark, state, out)

    def _match(self, rows: pa.RecordBatch, watermark: int, state: PatternState, out: Output) -> None:
        # Differs from Flink: matches are emitted in the order of the times at which they are final. Of the matches that one watermark completes, Flink
        # emits those of one partition after those of another.
        state.matches.buffered = [rows]
        for result in self._recognizer.on_watermark(watermark, state.matches, state.context.check):
            if result.num_rows:
                out(ChangeBatch(result))
