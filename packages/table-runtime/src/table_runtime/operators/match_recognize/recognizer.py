"""Finds matches in rows that come batch by batch: one object for streams, where watermarks say what is complete, and for sorted input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.batches import empty_batch, rechunk, take_batch
from table_runtime.expressions import EvaluationContext
from table_runtime.operators.match_recognize.conditions import Condition, make_condition
from table_runtime.operators.match_recognize.matcher import Match, Matcher, Partition
from table_runtime.operators.match_recognize.measures import Measures
from table_runtime.operators.match_recognize.pattern import PatternSpec, to_match_expression
from table_runtime.operators.over.sorted_rows import changes
from table_runtime.ordering import sort_indices

__all__ = ["END_OF_TIME", "MatchRecognizer", "MatchState"]

END_OF_TIME = 2**63 - 1
"""The watermark behind which nothing comes."""
_Known = dict[int, tuple[int, Partition]]
"""By the position of the first retained row of a partition: how many there are, and what is going on."""


@dataclass
class MatchState:
    """What is remembered between batches; picklable.

    ``retained`` are the rows that partial and waiting matches still use, partition after partition in the order of ``partitions``,
    each with the number of its rows; positions in a partition count from its first retained row.
    """

    watermark: int | None = None
    buffered: list[pa.RecordBatch] = field(default_factory=list)
    retained: pa.RecordBatch | None = None
    partitions: list[tuple[int, Partition]] = field(default_factory=list)


class MatchRecognizer:
    """One MATCH_RECOGNIZE. Picklable as long as its arguments are; all that changes is in the state."""

    def __init__(self, spec: PatternSpec, context: EvaluationContext) -> None:
        self._spec = spec
        self._context = context
        self._matcher = Matcher(spec)
        self._measures = Measures(spec, context)
        self._conditions: list[Condition | None] = [None] * len(spec.variables)
        for definition in spec.definitions:
            variable = spec.names.index(definition.variable)
            condition = to_match_expression(definition.condition, spec.names)
            self._conditions[variable] = make_condition(variable, condition, context)

    def __reduce__(self) -> tuple[object, ...]:
        return MatchRecognizer, (self._spec, self._context)

    # --- rows in any order, watermarks --------------------------------------------------------------------------------------------

    def process(self, batch: pa.RecordBatch, state: MatchState) -> list[pa.RecordBatch]:
        """Keeps the rows until a watermark reaches them; those that one has passed already are late and dropped. Returns nothing.

        Raises:
            TableRuntimeException: a row has no time.
        """
        if batch.num_rows:
            times = self._times(batch)
            if state.watermark is not None:
                batch = batch.filter(pc.greater(times, pa.scalar(state.watermark, pa.int64())))
            state.buffered.append(batch)
        return []

    def on_watermark(self, watermark: int, state: MatchState, check: Callable[[], None] = lambda: None) -> list[pa.RecordBatch]:
        """Returns the matches that are certain when no row with a time (in milliseconds) up to the watermark comes any more."""
        state.watermark = watermark
        buffered = rechunk(state.buffered, self._spec.input_schema) if state.buffered else empty_batch(self._spec.input_schema)
        is_ready = pc.less_equal(self._times(buffered), pa.scalar(watermark, pa.int64()))
        waiting = buffered.filter(pc.invert(is_ready))
        state.buffered = [waiting] if waiting.num_rows else []
        ready = buffered.filter(is_ready)
        rows, known = self._with_retained(ready, state)
        rows, known = self._sorted(rows, known)
        return self._run(rows, known, state, lambda _last: watermark, check)

    # --- sorted rows --------------------------------------------------------------------------------------------------------------

    def process_sorted(self, batch: pa.RecordBatch, state: MatchState, check: Callable[[], None] = lambda: None) -> list[pa.RecordBatch]:
        """Takes the next rows of input that is sorted by partition and order keys. A partition is over when another one begins."""
        self._times(batch)
        rows, known = self._with_retained(batch, state)
        return self._run(rows, known, state, lambda is_last: None if is_last else END_OF_TIME, check)

    def finish(self, state: MatchState, check: Callable[[], None] = lambda: None) -> list[pa.RecordBatch]:
        """Returns the matches that waited for the end of the sorted input."""
        rows, known = self._with_retained(empty_batch(self._spec.input_schema), state)
        return self._run(rows, known, state, lambda _last: END_OF_TIME, check)

    # --- both ---------------------------------------------------------------------------------------------------------------------

    def _with_retained(self, batch: pa.RecordBatch, state: MatchState) -> tuple[pa.RecordBatch, _Known]:
        """Returns the retained rows before the new ones, and what is going on in the partitions of the former."""
        if state.retained is None:
            return batch, {}
        known: _Known = {}
        begin = 0
        for count, partition in state.partitions:
            known[begin] = count, partition
            begin += count
        return rechunk([state.retained, batch], self._spec.input_schema), known

    def _sorted(self, rows: pa.RecordBatch, known: _Known) -> tuple[pa.RecordBatch, _Known]:
        """Returns the rows in order; retained ones, which are earlier, stay first in their partitions."""
        order = pc.cast(sort_indices(rows.columns, self._spec.sort_keys), pa.int64())
        if known:
            places = pc.take(pc.inverse_permutation(order), pa.array(list(known), type=pa.int64())).to_pylist()
            known = dict(zip(places, known.values(), strict=True))
        return take_batch(rows, order), known

    def _run(
        self,
        rows: pa.RecordBatch,
        known: _Known,
        state: MatchState,
        watermark_of: Callable[[bool], int | None],
        check: Callable[[], None],
    ) -> list[pa.RecordBatch]:
        """Runs every partition over its new rows and up to its watermark (None: its last row), and keeps what goes on.

        ``known`` says of partitions with retained rows, which come first in them, where they begin in ``rows``.
        """
        state.retained, state.partitions = None, []
        if not rows.num_rows:
            return []
        automaton = self._matcher.bind([None if condition is None else condition.bind(rows) for condition in self._conditions])
        times = self._times(rows).to_pylist() if self._spec.within is not None else []
        begins = pc.indices_nonzero(changes([rows.column(i) for i in self._spec.partition_by], rows.num_rows)).to_pylist()
        found: list[Match] = []
        kept: list[tuple[int, int]] = []
        for number, (begin, end) in enumerate(zip(begins, [*begins[1:], rows.num_rows], strict=True)):
            if not number % 1024:
                check()
            count, before = known.get(begin, (0, None))
            partition = Partition() if before is None else before.moved(begin)
            self._matcher.advance(partition, begin + count, end, automaton, times, found)
            watermark = watermark_of(end == rows.num_rows)
            if watermark is not None:
                self._matcher.expire(partition, watermark, times, found)
            first = partition.first_row
            if first is not None and watermark != END_OF_TIME:
                kept.append((first, end))
                state.partitions.append((end - first, partition.moved(-first)))
        if kept:
            state.retained = take_batch(rows, pa.array([row for first, end in kept for row in range(first, end)], type=pa.int64()))
        return [self._measures.rows(rows, found, check)] if found else []

    def _times(self, batch: pa.RecordBatch) -> pa.Array:
        """Returns the times in milliseconds."""
        column = batch.column(self._spec.time)
        if column.null_count:
            name = self._spec.input_schema.field(self._spec.time).name
            raise TableRuntimeException(f"The time '{name}' of a row is NULL, so MATCH_RECOGNIZE cannot say where the row belongs.")
        if column.type.unit != "ms":
            column = pc.cast(
                pc.floor_temporal(column, options=pc.RoundTemporalOptions(unit="millisecond")), pa.timestamp("ms", column.type.tz)
            )
        return pc.cast(column, pa.int64())
