"""Hash aggregation, with DISTINCT, FILTER and grouping sets.

Worker threads aggregate runs of batches to partial states, which are merged as they arrive. So memory holds groups, not rows (except for
functions that keep all values); groups that exceed the memory are spilled by their keys (``KeyedAggregation``). Calls that aggregate the same rows form a bundle: all plain calls are one bundle, and the calls with the
same DISTINCT arguments are another, whose duplicates are removed first. Bundles are joined by key at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_scalar
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn, Bundle, bundles_of
from table_runtime.batch.aggregation.keyed_aggregation import KeyedAggregation, States, aligned_states
from table_runtime.columns.batches import BATCH_ROWS, coalesce_batches, make_batch, rechunk
from table_runtime.columns.keys import KeyCodec
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.run.parallel import close_iterator, map_ordered

FIRST_RUN_ROWS = BATCH_ROWS // 2
"""Rows of the first partial state, and of the further ones if it has few groups: most batches then need not be copied."""
RUN_ROWS = 4 * BATCH_ROWS
"""Rows of the further partial states otherwise. Larger runs give fewer partial states, which are cheaper to merge if there are many groups."""
LONG_RUN_ROWS = 16 * BATCH_ROWS
"""Rows of the further partial states if there are many groups."""
FEW_GROUPS = 256
"""The largest number of groups in a partial state that are few."""
MANY_GROUPS = 1 / 16
"""Groups per row of a partial state that are many."""


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
        bundles = bundles_of(self._aggregates, self._grouping, codec, child.schema, context, self, is_one_set=self._sets is None)

        is_one_state = not self._grouping and not any(member.distinct for member in self._aggregates)
        run_rows = [BATCH_ROWS if is_one_state else FIRST_RUN_ROWS]

        def partial(run: list[pa.RecordBatch]) -> list[States]:
            context.check()
            batch = rechunk(run, child.schema)
            states = [bundle.partial(batch) for bundle in bundles]
            if max(state.groups for state in states) > MANY_GROUPS * max(batch.num_rows, RUN_ROWS):
                run_rows[0] = LONG_RUN_ROWS
            return states

        def add(states: list[States]) -> None:
            context.check()
            for bundle, state in zip(bundles, states, strict=True):
                bundle.running.add(state)

        try:
            runs = coalesce_batches(child.batches(context), lambda: run_rows[0], context.scaled)
            # The size of the first state decides about the further runs, so it is not computed beside them.
            first = next(runs, None)
            if first is not None:
                states = partial(first)
                if not is_one_state and max(state.groups for state in states) > FEW_GROUPS:
                    run_rows[0] = max(run_rows[0], RUN_ROWS)
                add(states)
            parts = map_ordered(partial, runs, context)
            try:
                for states in parts:
                    add(states)
            finally:
                close_iterator(parts)
            context.check()
            every = tuple(range(len(self._grouping)))
            for positions in self._sets if self._sets is not None else [every]:
                yield from self._of_set(codec, bundles, positions, context)
        finally:
            for bundle in bundles:
                bundle.running.close()

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
