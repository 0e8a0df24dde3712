"""Hash aggregation, with DISTINCT, FILTER and grouping sets.

Worker threads aggregate runs of batches to partial states, which are merged as they arrive; many groups are divided into parts (``batch/parts.py``). So memory holds groups, not rows (except for
functions that keep all values); groups that exceed the memory are spilled by their keys (``KeyedAggregation``). Calls that aggregate the same rows form a bundle: all plain calls are one bundle, and the calls with the
same DISTINCT arguments are another, whose duplicates are removed first. Bundles are joined by key at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_scalar
from table_runtime.batch import parts
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn, Bundle, bundles_of
from table_runtime.batch.aggregation.keyed_aggregation import KeyedAggregation, States, aligned_states
from table_runtime.batch.parts import PARTS, Run, dividing_keys, runs_by_part
from table_runtime.columns.batches import BATCH_ROWS, coalesce_batches, make_batch, rechunk
from table_runtime.columns.keys import KeyCodec
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered

if TYPE_CHECKING:
    from table_runtime.batch.aggregation.divided_sets import Positions
    from table_runtime.run.threads import Task

FIRST_RUN_ROWS = BATCH_ROWS // 2
"""Rows of the first partial state, and of the further ones if it has few groups: most batches then need not be copied."""
RUN_ROWS = 4 * BATCH_ROWS
"""Rows of the further partial states otherwise. Larger runs give fewer partial states, which are cheaper to merge if there are many groups."""
FEW_GROUPS = 256
"""The largest number of groups in a partial state that are few."""
MOST_OF_ROWS = 2
"""If there are fewer rows than this many times the groups, rows are divided and not partial states."""
RUN_ROWS_OF_PART = BATCH_ROWS // 2
"""Rows of the partial states of one part."""
_RUNS = 8
"""A run has at most one of so many parts of the rows before it, unless these are few."""


class _Runs:
    """The runs of rows that give a partial state: of at most ``most`` rows, and of fewer at first, so that all threads have some."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._seen = 0

    def of(self, batches: Iterable[pa.RecordBatch], context: ExecutionContext) -> Iterator[list[pa.RecordBatch]]:
        """Yields the batches of each run. They do not depend on the number of threads, as sums of DOUBLE depend on them."""
        return coalesce_batches(self._counted(batches), self._rows, context.scaled)

    def _counted(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            self._seen += batch.num_rows
            yield batch

    def _rows(self) -> int:
        return min(self.most, max(FIRST_RUN_ROWS, self._seen // _RUNS))


class HashAggregate(Operator):
    """Yields the grouping columns, the aggregates and, with grouping sets, the grouping id.

    For an input without rows it yields one row if there are no grouping columns, otherwise none. ``grouping_sets`` are lists of positions
    in ``grouping``. Bit i from the left of the grouping id is 1 if grouping column i is not in the row's set.
    """

    def __init__(
        self,
        child: Operator,
        schema: pa.Schema,
        grouping: Sequence[int],
        aggregates: Sequence[AggregateColumn],
        grouping_sets: Sequence[Sequence[int]] | None = None,
        text: str = "",
    ) -> None:
        super().__init__(schema, (child,))
        self._grouping = tuple(grouping)
        self._aggregates = tuple(aggregates)
        self._sets = None if grouping_sets is None else [tuple(sorted(positions)) for positions in grouping_sets]
        self._text = text

    @override
    def details(self) -> str:
        return self._text

    @override
    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        (child,) = self.inputs
        codec = KeyCodec([child.schema.field(i).type for i in self._grouping])
        bundles = self._bundles(codec, context)
        is_one_state = not self._grouping and not any(member.distinct for member in self._aggregates)
        sizes = _Runs(BATCH_ROWS if is_one_state else FIRST_RUN_ROWS)

        def reduced(run: list[pa.RecordBatch]) -> list[States]:
            context.check()
            batch = rechunk(run, child.schema)
            return [bundle.partial(batch) for bundle in bundles]

        try:
            runs = sizes.of(child.batches(context), context)
            taken = list(islice(runs, 1))
            if taken:
                rows = sum(batch.num_rows for batch in taken[0])
                states = self._first_states(reduced, taken, runs, rows, context)
                if (
                    self._grouping
                    and states[0].groups >= parts.FEWEST_GROUPS
                    and (self._sets is None or all(bundle.has_merged_states for bundle in bundles))
                ):
                    is_reduced = states[0].groups * MOST_OF_ROWS <= rows
                    has_state = all(bundle.has_partial_states for bundle in bundles)
                    if has_state:
                        del taken[0]
                    batches = chain.from_iterable(_from_taken(taken, runs))
                    keys = dividing_keys(states[0].keys, self._sets or ())
                    yield from self._in_parts(batches, states if has_state else None, keys, codec, context, is_reduced=is_reduced)
                    return
                if not is_one_state and max(state.groups for state in states) > FEW_GROUPS:
                    sizes.most = max(sizes.most, RUN_ROWS)
                _add(states, bundles, context)
                del taken[0], states
                runs = _from_taken(taken, runs)
            found = map_ordered(reduced, runs, context)
            try:
                for states in found:
                    _add(states, bundles, context)
            finally:
                close_iterator(found)
            context.check()
            yield from self._results(codec, bundles, context)
        finally:
            for bundle in bundles:
                bundle.running.close()

    def _first_states(
        self,
        reduced: Callable[[list[pa.RecordBatch]], list[States]],
        taken: list[list[pa.RecordBatch]],
        runs: Iterator[list[pa.RecordBatch]],
        rows: int,
        context: ExecutionContext,
    ) -> list[States]:
        """Returns the states of the first run, which decide how the others are computed; meanwhile the next one is read and added to ``taken``."""
        if rows < FIRST_RUN_ROWS:
            return reduced(taken[0])
        if context.parallelism <= 1:
            taken += islice(runs, 1)
            return reduced(taken[0])
        task = context.submit(reduced, taken[0])
        try:
            taken += islice(runs, 1)
            return task.result()
        finally:
            task.cancel()

    def _positions(self) -> list[Positions]:
        """Returns the grouping sets; without any, all keys are one."""
        return [tuple(range(len(self._grouping)))] if self._sets is None else self._sets

    def _bundles(self, codec: KeyCodec, context: ExecutionContext, count: int = 1) -> list[Bundle]:
        is_one_set = self._sets is None and count == 1
        schema = self.inputs[0].schema
        return bundles_of(self._aggregates, self._grouping, codec, schema, context, self, is_one_set=is_one_set, parts=count)

    def _in_parts(
        self,
        batches: Iterator[pa.RecordBatch],
        first: list[States] | None,
        keys: Sequence[int],
        codec: KeyCodec,
        context: ExecutionContext,
        *,
        is_reduced: bool,
    ) -> Iterator[pa.RecordBatch]:
        """Yields the result of many groups, divided by their ``keys``: no state is merged with those of another part.

        ``first`` are the states of the rows before ``batches``. ``is_reduced`` says that there are many rows of each group, so that partial states are divided instead of rows.
        """
        bundles = [self._bundles(codec, context, PARTS) for _ in range(PARTS)]
        last: list[Task[None] | None] = [None] * PARTS
        if is_reduced:
            runs = self._divided_states(batches, keys, bundles[0], codec, context)
        else:
            runs = self._divided_rows(batches, keys, bundles, codec, context)

        def add(part: int, states: Callable[[], list[States]]) -> None:
            _add(states(), bundles[part], context)

        from table_runtime.batch.aggregation.divided_sets import DividedSets  # few aggregations have many groups

        wholes = self._bundles(codec, context)
        sets = DividedSets(self._positions(), keys, wholes)

        def result(part: int) -> Iterable[pa.RecordBatch]:
            of_part = bundles[part]
            found = chain.from_iterable(self._of_set(codec, of_part, positions, context) for positions in sets.whole)
            if any(bundle.running.is_spilled for bundle in of_part):
                return found  # the groups of a file are read one partition after the other
            if self._sets is None:
                return list(found)
            by_set = by_part[part] = sets.states(of_part)
            return [batch for positions in sets.whole for batch in self._emit(codec, of_part, by_set[positions], positions)]

        by_part: list[dict[Positions, list[States | None]] | None] = [None] * PARTS
        try:
            if first is not None:
                for part, states_of_part in enumerate(_by_part(first, keys, codec)):
                    _add(states_of_part, bundles[part], context)
                first.clear()
            try:
                for part, states in runs:
                    if (before := last[part]) is not None:
                        before.result()  # the states of a part are added in the order of its rows
                    last[part] = context.submit(partial(add, part), states)
            finally:
                close_iterator(runs)
            for task in last:
                if task is not None:
                    task.result()
            results = map_ordered(result, range(PARTS), context)
            try:
                for part, batches_of_part in enumerate(results):
                    yield from batches_of_part
                    by_set, by_part[part] = by_part[part], None
                    if by_set is None:
                        sets.add_merged(bundles[part])
                    else:
                        sets.add(by_set)
            finally:
                close_iterator(results)
            for positions, of_set in sets.results():
                context.check()
                yield from self._emit(codec, wholes, of_set, positions)
        finally:
            sets.close()
            for task in last:
                if task is not None:
                    task.cancel()
            for bundle in chain(wholes, *bundles):
                bundle.running.close()

    def _divided_rows(
        self,
        batches: Iterator[pa.RecordBatch],
        keys: Sequence[int],
        bundles: Sequence[list[Bundle]],
        codec: KeyCodec,
        context: ExecutionContext,
    ) -> Iterator[tuple[int, Callable[[], list[States]]]]:
        """Yields functions that compute the states of rows of one part each."""
        schema = self.inputs[0].schema

        def columns(batch: pa.RecordBatch) -> list[pa.Array]:
            return [codec.dividing(key, codec.encode_one(key, batch.column(self._grouping[key]))) for key in keys]

        def states(run: Run) -> list[States]:
            batch = rechunk(run.batches, schema)
            return [bundle.partial(batch) for bundle in bundles[run.part]]

        runs = runs_by_part(batches, schema, columns, [RUN_ROWS_OF_PART] * PARTS, context)
        try:
            for run in runs:
                yield run.part, partial(states, run)
        finally:
            close_iterator(runs)

    def _divided_states(
        self,
        batches: Iterator[pa.RecordBatch],
        keys: Sequence[int],
        bundles: Sequence[Bundle],
        codec: KeyCodec,
        context: ExecutionContext,
    ) -> Iterator[tuple[int, Callable[[], list[States]]]]:
        """Yields the partial states of runs, those of one part each."""
        schema = self.inputs[0].schema

        def reduced(run: list[pa.RecordBatch]) -> list[list[States]]:
            context.check()
            batch = rechunk(run, schema)
            return _by_part([bundle.partial(batch) for bundle in bundles], keys, codec)

        runs = map_ordered(reduced, _Runs(2 * BATCH_ROWS).of(batches, context), context)
        try:
            for by_part in runs:
                for part, states in enumerate(by_part):
                    yield part, partial(list, states)
        finally:
            close_iterator(runs)

    def _results(self, codec: KeyCodec, bundles: list[Bundle], context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        sets = self._positions()
        if len(sets) == 1 or any(bundle.running.is_spilled for bundle in bundles):
            for positions in sets:
                yield from self._of_set(codec, bundles, positions, context)
            return
        for bundle in bundles:
            bundle.running.result()  # all sets are computed from the merged states, at once
        results = map_ordered(lambda positions: list(self._of_set(codec, bundles, positions, context)), sets, context)
        try:
            for batches in results:
                yield from batches
        finally:
            close_iterator(results)

    def _of_set(
        self, codec: KeyCodec, bundles: list[Bundle], positions: tuple[int, ...], context: ExecutionContext
    ) -> Iterator[pa.RecordBatch]:
        aggregations: list[KeyedAggregation] = []
        try:
            for bundle in bundles:
                aggregations.append(bundle.aggregation(positions))
            for states in aligned_states(aggregations):
                context.check()
                yield from self._emit(codec, bundles, states, positions)
        finally:
            for bundle, aggregation in zip(bundles, aggregations, strict=False):
                if aggregation is not bundle.running:
                    aggregation.close()

    def _emit(
        self, codec: KeyCodec, bundles: list[Bundle], states: Sequence[States | None], positions: tuple[int, ...]
    ) -> Iterator[pa.RecordBatch]:
        keys, groups = ([], 0) if states[0] is None else (states[0].keys, states[0].groups)
        if groups == 0:
            if self._grouping:
                return
            groups = 1
        results: dict[int, pa.Array] = {}
        for bundle, state in zip(bundles, states, strict=True):
            results.update(bundle.finish(state, positions, keys, groups))
        arrays = []
        for index, field in enumerate(list(self.schema)[: len(self._grouping)]):
            encoded = keys[positions.index(index)] if index in positions and keys else None
            arrays.append(pa.nulls(groups, field.type) if encoded is None else codec.decode_one(index, encoded))
        arrays += [results[index] for index in range(len(self._aggregates))]
        if self._sets is not None:
            width = len(self._grouping)
            identifier = sum(1 << (width - 1 - index) for index in range(width) if index not in positions)
            arrays.append(pa.repeat(arrow_scalar(identifier, pa.int64()), groups))
        whole = make_batch(arrays, self.schema, groups)
        for start in range(0, groups, BATCH_ROWS):
            yield whole.slice(start, BATCH_ROWS)


def _from_taken(taken: list[list[pa.RecordBatch]], runs: Iterator[list[pa.RecordBatch]]) -> Iterator[list[pa.RecordBatch]]:
    """Yields the runs that were taken already, and forgets them, then the others."""
    while taken:
        yield taken.pop(0)
    yield from runs


def _by_part(states: Sequence[States], keys: Sequence[int], codec: KeyCodec) -> list[list[States]]:
    """Returns the states of each part, one for each bundle."""
    return [list(of_part) for of_part in zip(*(one.by_part(keys, codec) for one in states), strict=True)]


def _add(states: list[States], bundles: Sequence[Bundle], context: ExecutionContext) -> None:
    context.check()
    for bundle, state in zip(bundles, states, strict=True):
        bundle.running.add(state)
