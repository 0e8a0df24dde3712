"""Finds matches in batches of rows: in a stream, up to each watermark, or in sorted input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.garbage_collection import collection_paused
from table_runtime.batch.over.sorted_rows import changes
from table_runtime.columns.batches import empty_batch, rechunk, take_batch
from table_runtime.columns.ordering import sort_indices
from table_runtime.expressions import EvaluationContext
from table_runtime.patterns.conditions import Ask, Condition, make_condition
from table_runtime.patterns.matcher import Matcher, Matches, Partition
from table_runtime.patterns.measures import Measures
from table_runtime.patterns.pattern import PatternSpec, to_match_expression

if TYPE_CHECKING:
    from table_runtime.patterns.row_conditions import AskRows
    from table_runtime.patterns.row_runs import RowRuns

END_OF_TIME = 2**63 - 1
"""The watermark after all rows."""
_WORTH_NUMPY = 1_000
"""The number of rows that are worth the import of numpy."""
_Known = dict[int, tuple[int, Partition]]
"""Maps the position of a partition's first retained row to the number of its retained rows and its state."""


@dataclass
class MatchState:
    """The state between batches; picklable.

    ``retained`` has the rows that partial and pending matches still need, partition by partition. ``partitions`` has the number of retained
    rows and the state of each partition, in the same order; positions in a partition count from its first retained row.
    """

    watermark: int | None = None
    buffered: list[pa.RecordBatch] = field(default_factory=list)
    retained: pa.RecordBatch | None = None
    partitions: list[tuple[int, Partition]] = field(default_factory=list)


class MatchRecognizer:
    """One MATCH_RECOGNIZE. Picklable if its arguments are; all mutable state is in ``MatchState``."""

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
        """Buffers the rows until a watermark reaches them; late rows are dropped. Returns no batches.

        Raises:
            TableRuntimeException: the time of a row is NULL.
        """
        if batch.num_rows:
            times = self._times(batch)
            if state.watermark is not None:
                batch = batch.filter(pc.greater(times, pa.scalar(state.watermark, pa.int64())))
            state.buffered.append(batch)
        return []

    def on_watermark(self, watermark: int, state: MatchState, check: Callable[[], None] = lambda: None) -> list[pa.RecordBatch]:
        """Returns the matches that are final at the watermark, in milliseconds, in the order of the times at which they became final.

        So the order does not depend on which watermarks the operator gets. Matches of one time have the order in which their rows came.
        """
        state.watermark = watermark
        buffered = rechunk(state.buffered, self._spec.input_schema) if state.buffered else empty_batch(self._spec.input_schema)
        is_ready = pc.less_equal(self._times(buffered), pa.scalar(watermark, pa.int64()))
        waiting = buffered.filter(pc.invert(is_ready))
        state.buffered = [waiting] if waiting.num_rows else []
        ready = buffered.filter(is_ready)
        rows, known = self._with_retained(ready, state)
        rows, known, arrivals = self._sorted(rows, known)
        matches = self._find(rows, known, state, lambda _last: watermark, check, in_order=False)
        return self._measured(rows, matches, self._in_time_order(rows, arrivals, matches), check)

    def _in_time_order(self, rows: pa.RecordBatch, arrivals: pa.Array, matches: Matches) -> Sequence[int]:
        """Returns the numbers of the matches in the order in which they became final; ``arrivals`` numbers the rows as they came."""
        last_rows = pa.array(matches.rows, type=pa.int64())
        times = pc.take(self._times(rows), last_rows).to_pylist()
        # Rows of a partition with one time have the order of the other keys, which need not be that of their arrival.
        places = pc.take(arrivals, last_rows).to_pylist() if len(self._spec.order_by) == 1 else matches.rows
        keys = [
            (times[number], 1, places[number]) if time is None else (time, 0, matches.rows[number])
            for number, time in enumerate(matches.times)
        ]
        return sorted(range(len(keys)), key=keys.__getitem__)

    # --- sorted rows --------------------------------------------------------------------------------------------------------------

    def process_sorted(self, batch: pa.RecordBatch, state: MatchState, check: Callable[[], None] = lambda: None) -> list[pa.RecordBatch]:
        """Returns the matches in the next rows of an input that is sorted by partition and order keys.

        A partition ends where the next one begins.
        """
        self._times(batch)
        rows, known = self._with_retained(batch, state)
        with collection_paused():  # matches hold no cycles
            matches = self._find(rows, known, state, lambda is_last: None if is_last else END_OF_TIME, check, in_order=True)
            return self._measured(rows, matches, None, check)

    def finish(self, state: MatchState, check: Callable[[], None] = lambda: None) -> list[pa.RecordBatch]:
        """Returns the remaining matches at the end of the sorted input."""
        rows, known = self._with_retained(empty_batch(self._spec.input_schema), state)
        matches = self._find(rows, known, state, lambda _last: END_OF_TIME, check, in_order=True)
        return self._measured(rows, matches, None, check)

    # --- both ---------------------------------------------------------------------------------------------------------------------

    def _with_retained(self, batch: pa.RecordBatch, state: MatchState) -> tuple[pa.RecordBatch, _Known]:
        """Returns the retained rows followed by the new ones, and the state of the partitions with retained rows."""
        if state.retained is None:
            return batch, {}
        known: _Known = {}
        begin = 0
        for count, partition in state.partitions:
            known[begin] = count, partition
            begin += count
        return rechunk([state.retained, batch], self._spec.input_schema), known

    def _sorted(self, rows: pa.RecordBatch, known: _Known) -> tuple[pa.RecordBatch, _Known, pa.Array]:
        """Returns the sorted rows, and the position of each before. Retained rows are earlier, so they stay first in their partitions."""
        order = pc.cast(sort_indices(rows.columns, self._spec.sort_keys), pa.int64())
        if known:
            places = pc.take(pc.inverse_permutation(order), pa.array(list(known), type=pa.int64())).to_pylist()
            known = dict(zip(places, known.values(), strict=True))
        return take_batch(rows, order), known, order

    def _find(
        self,
        rows: pa.RecordBatch,
        known: _Known,
        state: MatchState,
        watermark_of: Callable[[bool], int | None],
        check: Callable[[], None],
        *,
        in_order: bool,
    ) -> Matches:
        """Returns the matches of all partitions and updates the state.

        ``known`` has the state of partitions with retained rows, by the position of their first row. ``watermark_of`` returns the watermark
        up to which a partition is complete (None: up to its last row); its argument is whether the partition is the last one. ``in_order``: the
        matches are emitted in the order in which they are found, so it does not matter at which row each was.
        """
        state.retained, state.partitions = None, []
        matches = Matches()
        if not rows.num_rows:
            return matches
        bound = [None if condition is None else condition.bind(rows) for condition in self._conditions]
        automaton = self._matcher.bind(bound)
        times = self._times(rows).to_pylist() if self._spec.within is not None else []
        begins = pc.indices_nonzero(changes([rows.column(i) for i in self._spec.partition_by], rows.num_rows)).to_pylist()
        runs = self._row_runs(rows, bound, begins, times, check) if in_order else None
        retained_ranges: list[tuple[int, int]] = []
        for number, (begin, end) in enumerate(zip(begins, [*begins[1:], rows.num_rows], strict=True)):
            if not number % 1024:
                check()
            count, previous = known.get(begin, (0, None))
            partition = Partition() if previous is None else previous.moved(begin)
            watermark = watermark_of(end == rows.num_rows)
            row = begin + count
            if runs is not None:
                row = self._matcher.advance(partition, row, end, automaton, times, matches, until_idle=True)
                row = runs.select(self._matcher, row, end, matches, is_complete=watermark == END_OF_TIME)
            self._matcher.advance(partition, row, end, automaton, times, matches)
            if watermark is not None:
                self._matcher.expire(partition, watermark, times, matches)
            first = partition.first_row
            if first is not None and watermark != END_OF_TIME:
                retained_ranges.append((first, end))
                state.partitions.append((end - first, partition.moved(-first)))
        if retained_ranges:
            state.retained = take_batch(
                rows, pa.array([row for first, end in retained_ranges for row in range(first, end)], type=pa.int64())
            )
        return matches

    def _row_runs(
        self,
        rows: pa.RecordBatch,
        bound: Sequence[bytes | Ask | None],
        begins: Sequence[int],
        times: Sequence[int],
        check: Callable[[], None],
    ) -> RowRuns | None:
        if rows.num_rows < _WORTH_NUMPY:
            return None
        from table_runtime.patterns.row_runs import RowRuns

        conditions: list[bytes | AskRows | None] = []
        for condition, known in zip(self._conditions, bound, strict=True):
            conditions.append(known if isinstance(known, bytes) else condition.bind_rows(rows) if condition is not None else None)
            if condition is not None and conditions[-1] is None:
                return None
        return RowRuns.of(self._matcher, self._matcher.bind(conditions), begins, rows.num_rows, times, check)

    def _measured(
        self, rows: pa.RecordBatch, matches: Matches, order: Sequence[int] | None, check: Callable[[], None]
    ) -> list[pa.RecordBatch]:
        """Returns the output rows of the matches in some order; None: in that of the partitions."""
        if not matches.found:
            return []
        return [self._measures.rows(rows, matches.found if order is None else [matches.found[number] for number in order], check)]

    def _times(self, batch: pa.RecordBatch) -> pa.Array:
        """Returns the times in milliseconds."""
        column = batch.column(self._spec.time)
        if column.null_count:
            name = self._spec.input_schema.field(self._spec.time).name
            raise TableRuntimeException(f"The time '{name}' of a row is NULL, so MATCH_RECOGNIZE cannot order the row.")
        if column.type.unit != "ms":
            column = pc.cast(
                pc.floor_temporal(column, options=pc.RoundTemporalOptions(unit="millisecond")), pa.timestamp("ms", column.type.tz)
            )
        return pc.cast(column, pa.int64())
