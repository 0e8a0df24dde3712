"""Any aggregate over frames, by the states of its accumulator.

Short frames are expanded to their rows, which are then grouped by frame. If that would be too many rows, the states of 1, 2, 4, …
neighboring rows are merged once (a segment tree), and the state of each frame is merged from a few of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_runtime.aggregates import Accumulator
from table_runtime.aggregates.collect import Collecting
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan, States
from table_runtime.batch.over.frames import Frames
from table_runtime.batch.over.sorted_rows import positions
from table_runtime.batch.over.window_function import Check
from table_runtime.columns.keys import KeyCodec

PAIRS_AT_ONCE = 1 << 21
"""Maximum rows of expanded frames at a time."""
MOST_PAIRS_PER_ROW = 24
"""Maximum rows of expanded frames per input row; with more, states are merged instead."""
FRAMES_AT_ONCE = 1 << 17
_ONE = arrow_scalar(1, pa.int64())


def frame_states(accumulator: Accumulator, args: Sequence[pa.Array], frames: Frames, check: Check, *, distinct: bool) -> pa.Array:
    """Returns the aggregate of each frame; with ``distinct``, equal arguments of a frame count once."""
    pairs = pc.sum(frames.lengths).as_py() or 0
    few = pairs <= max(MOST_PAIRS_PER_ROW * frames.rows, PAIRS_AT_ONCE)
    if distinct or few or isinstance(accumulator, Collecting):
        parts = _by_expansion(accumulator, args, frames, check, distinct=distinct)
    else:
        parts = _from_merged_states(accumulator, args, frames, check)
    results = list(parts)
    return pa.concat_arrays(results) if results else arrow_array([], accumulator.spec.arrow_type)


def _by_expansion(
    accumulator: Accumulator, args: Sequence[pa.Array], frames: Frames, check: Check, *, distinct: bool
) -> Iterator[pa.Array]:
    plan = AggregationPlan(KeyCodec([pa.int64()]), [accumulator])
    for start, stop in _slices(frames.lengths):
        check()
        lower = frames.lower.slice(start, stop - start)
        lengths = pc.subtract(frames.upper.slice(start, stop - start), lower)
        ends = pc.cumulative_sum(lengths)
        begins = pc.subtract(ends, lengths)
        total = ends[-1].as_py()
        offsets = pc.cast(pa.concat_arrays([arrow_array([0], pa.int64()), ends]), pa.int32())
        number = positions(total)
        owner = pc.cast(pc.list_parent_indices(pa.ListArray.from_arrays(offsets, number)), pa.int64())
        row = pc.add(number, pc.take(pc.subtract(lower, begins), owner))
        columns = [pc.take(arg, row) for arg in args]
        if distinct:
            owner, columns = _without_duplicates(owner, columns)
        yield _aligned(accumulator, plan, plan.partial([owner], [columns], len(owner)), stop - start)


def _slices(lengths: pa.Array) -> Iterator[tuple[int, int]]:
    """Yields ranges of frames with at most ``PAIRS_AT_ONCE`` rows in total; a longer frame forms its own range."""
    ends = pc.cumulative_sum(lengths)
    count, start, base = len(lengths), 0, 0
    while start < count:
        reached = pc.sum(pc.less_equal(ends, base + PAIRS_AT_ONCE)).as_py()
        stop = max(reached, start + 1)
        yield start, stop
        start, base = stop, ends[stop - 1].as_py()


def _without_duplicates(owner: pa.Array, columns: Sequence[pa.Array]) -> tuple[pa.Array, list[pa.Array]]:
    codec = KeyCodec([owner.type, *(column.type for column in columns)])
    plan = AggregationPlan(codec, [])
    states = plan.partial([owner, *columns], [], len(owner))
    decoded = codec.decode(states.keys)
    return decoded[0], decoded[1:]


def _aligned(accumulator: Accumulator, plan: AggregationPlan, states: States, count: int) -> pa.Array:
    """Returns one result for each of the frames 0 to ``count`` - 1; frames without rows have no state."""
    results = plan.finish(states)[0]
    if states.groups == count:
        return pc.take(results, pc.inverse_permutation(pc.cast(states.keys[0], pa.int64())))
    place = pc.index_in(positions(count), options=pc.SetLookupOptions(value_set=states.keys[0]))
    values = pc.take(results, place)
    empty_result = accumulator.over_nothing()
    if empty_result is None:
        return values
    return pc.if_else(pc.is_null(place), _scalar(empty_result, values.type), values)


def _scalar(value: Any, type_: pa.DataType) -> pa.Scalar:
    return pc.cast(arrow_scalar(value), type_) if value == 0 else arrow_scalar(value, type_)


def _from_merged_states(accumulator: Accumulator, args: Sequence[pa.Array], frames: Frames, check: Check) -> Iterator[pa.Array]:
    plan = AggregationPlan(KeyCodec([pa.int64()]), [accumulator])
    levels = _levels(plan, args, frames.rows, pc.max(frames.lengths).as_py() or 0, check)
    for start in range(0, frames.count, FRAMES_AT_ONCE):
        check()
        lower, upper = frames.lower.slice(start, FRAMES_AT_ONCE), frames.upper.slice(start, FRAMES_AT_ONCE)
        count = len(lower)
        parts = _cover(levels, lower, upper)
        if parts:
            yield _aligned(accumulator, plan, plan.merge(parts), count)
        else:
            empty = States([arrow_array([], pa.int64())], [[c.slice(0, 0) for c in levels[0].columns[0]]], 0)
            yield _aligned(accumulator, plan, empty, count)


def _levels(plan: AggregationPlan, args: Sequence[pa.Array], rows: int, longest: int, check: Check) -> list[States]:
    """Returns the states of single rows, of pairs, of four rows and so on; state i of level k covers the rows from i * 2**k."""
    levels = [plan.partial([positions(rows)], [list(args)], rows)]
    while levels[-1].groups > 1 and 1 << len(levels) <= longest:
        check()
        below = levels[-1]
        halved = pc.shift_right(positions(below.groups), _ONE)
        # The plan merges two states or more, so an empty one is added.
        no_states = States([halved.slice(0, 0)], [[column.slice(0, 0) for column in below.columns[0]]], 0)
        levels.append(plan.merge([States([halved], below.columns, below.groups), no_states]))
    return levels


def _cover(levels: Sequence[States], lower: pa.Array, upper: pa.Array) -> list[States]:
    """Returns states that together cover the frames, keyed by frame number, from left to right for each frame."""
    number = positions(len(lower))
    left: list[States] = []
    right: list[States] = []
    for level, states in enumerate(levels):
        is_top = level == len(levels) - 1
        if is_top:
            # There is no higher level: at most a few states of this level remain.
            while pc.any(pc.less(lower, upper)).as_py():
                left.append(_select_states(states, number, lower, pc.less(lower, upper)))
                lower = pc.if_else(pc.less(lower, upper), pc.add(lower, _ONE), lower)
            break
        open_ = pc.less(lower, upper)
        odd = pc.and_(open_, pc.equal(pc.bit_wise_and(lower, _ONE), _ONE))
        left.append(_select_states(states, number, lower, odd))
        lower = pc.add(lower, pc.cast(odd, pa.int64()))
        odd = pc.and_(pc.less(lower, upper), pc.equal(pc.bit_wise_and(upper, _ONE), _ONE))
        upper = pc.subtract(upper, pc.cast(odd, pa.int64()))
        right.append(_select_states(states, number, upper, odd))
        lower, upper = pc.shift_right(lower, _ONE), pc.shift_right(upper, _ONE)
    parts = [part for part in (*left, *reversed(right)) if part.groups]
    return parts if len(parts) != 1 else [*parts, _empty_states(parts[0])]


def _select_states(states: States, number: pa.Array, place: pa.Array, mask: pa.Array) -> States:
    selected = pc.array_filter(place, mask)
    columns = [[pc.take(column, selected) for column in state] for state in states.columns]
    return States([pc.array_filter(number, mask)], columns, len(selected))


def _empty_states(states: States) -> States:
    return States([key.slice(0, 0) for key in states.keys], [[c.slice(0, 0) for c in state] for state in states.columns], 0)
