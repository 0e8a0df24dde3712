"""The output rows of matches: partition keys and measures, computed for all matches of a batch together."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.batches import cast_array, make_batch, take_arrays
from table_runtime.expressions import EvaluationContext, Evaluator
from table_runtime.patterns.matcher import Match
from table_runtime.patterns.partial_match import rows_in_match
from table_runtime.patterns.pattern import Aggregate, MatchExpression, MatchValue, PatternSpec, Time, to_match_expression
from table_runtime.patterns.range_aggregate import RangeAggregate


class Measures:
    """Computes the output of one MATCH_RECOGNIZE."""

    def __init__(self, spec: PatternSpec, context: EvaluationContext) -> None:
        self._spec = spec
        self._measures = [_Measure(to_match_expression(measure, spec.names), context) for measure in spec.measures]

    def rows(self, batch: pa.RecordBatch, matches: Sequence[Match], check: Callable[[], None]) -> pa.RecordBatch:
        """Returns one row per match, in the order of the matches.

        Raises:
            TableRuntimeException: a measure failed.
        """
        starts = pa.array([match.start for match in matches], type=pa.int64())
        columns = take_arrays([batch.column(position) for position in self._spec.partition_by], starts)
        columns += [measure.column(batch, matches, check) for measure in self._measures]
        return make_batch(columns, self._spec.output_schema, len(matches))


class _Measure:
    def __init__(self, measure: MatchExpression, context: EvaluationContext) -> None:
        self._values = measure.values
        self._evaluator = Evaluator((measure.expression,), context)
        self._aggregates = {value: RangeAggregate(value, context) for value in measure.values if isinstance(value, Aggregate)}

    def column(self, batch: pa.RecordBatch, matches: Sequence[Match], check: Callable[[], None]) -> pa.Array:
        arrays = [self._value(value, batch, matches, check) for value in self._values]
        schema = pa.schema([pa.field(str(index), array.type) for index, array in enumerate(arrays)])
        (column,) = self._evaluator.evaluate(make_batch(arrays, schema, len(matches)))
        return column

    def _value(self, value: MatchValue, batch: pa.RecordBatch, matches: Sequence[Match], check: Callable[[], None]) -> pa.Array:
        if isinstance(value, Time):
            return _time(value, batch, matches)
        ranges = [rows_in_match(value.variable, match.start, match.end, match.firsts) for match in matches]
        if isinstance(value, Aggregate):
            return self._aggregates[value].over(batch, [first for first, _ in ranges], [end for _, end in ranges], check)
        if value.from_first:
            places = [first + value.offset if first + value.offset < end else None for first, end in ranges]
        else:
            places = [end - 1 - value.offset if end - 1 - value.offset >= first else None for first, end in ranges]
        return take_arrays([batch.column(value.column)], pa.array(places, type=pa.int64()))[0]


def _time(value: Time, batch: pa.RecordBatch, matches: Sequence[Match]) -> pa.Array:
    type_ = value.type
    if value.column is None:
        now = pc.cast(pa.scalar(clock.time_ns(), pa.int64()), pa.timestamp("ns", "UTC"))
        return pa.repeat(pc.cast(now, type_, safe=False), len(matches))
    ends = pa.array([match.end for match in matches], type=pa.int64())
    (column,) = take_arrays([batch.column(value.column)], ends)
    return column if column.type == type_ else cast_array(pc.cast(column, type_, safe=False), type_)
