"""Hash aggregation, with DISTINCT, FILTER and grouping sets.

Worker threads aggregate runs of batches to partial states, which are merged as they arrive. So memory holds groups, not rows (except for
functions that keep all values); groups that exceed the memory are spilled by their keys (``KeyedAggregation``). Calls that aggregate the same rows form a bundle: all plain calls are one bundle, and the calls with the
same DISTINCT arguments are another, whose duplicates are removed first. Bundles are joined by key at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_runtime.aggregates import Accumulator, Reduction
from table_runtime.batches import BATCH_ROWS, cast_array, coalesce_batches, make_batch, rechunk
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.filter import filter_batch
from table_runtime.operators.grouping import reduce_groups
from table_runtime.operators.keyed_aggregation import AggregationPlan, KeyedAggregation, States, aligned_states
from table_runtime.operators.keys import KeyCodec
from table_runtime.operators.operator import Operator
from table_runtime.operators.parallel import close_iterator, map_ordered

__all__ = ["AggregateColumn", "HashAggregate"]

RUN_ROWS = 4 * BATCH_ROWS
"""Rows per partial state. Larger runs give fewer partial states, which are cheaper to merge if there are many groups. With one group, the copy costs more."""


@dataclass(frozen=True, eq=False)
class AggregateColumn:
    """One aggregate: its accumulator and the positions of its argument columns (order keys follow) and of its filter."""

    accumulator: Accumulator
    args: tuple[int, ...] = ()
    distinct: bool = False
    filter: int | None = None


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
        bundles = _bundles(self._aggregates, self._grouping, codec, child.schema, context, self)

        def partial(run: list[pa.RecordBatch]) -> list[States]:
            context.check()
            batch = rechunk(run, child.schema)
            return [bundle.partial(batch) for bundle in bundles]

        try:
            is_one_state = not self._grouping and not any(member.distinct for member in self._aggregates)
            runs = coalesce_batches(child.batches(context), BATCH_ROWS if is_one_state else RUN_ROWS, context.scaled)
            parts = map_ordered(partial, runs, context)
            try:
                for states in parts:
                    context.check()
                    for bundle, state in zip(bundles, states, strict=True):
                        bundle.running.add(state)
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
        self, codec: KeyCodec, bundles: list[_Bundle], positions: tuple[int, ...], context: ExecutionContext
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
        self, codec: KeyCodec, bundles: list[_Bundle], states: Sequence[States | None], positions: tuple[int, ...]
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
            arrays.append(pa.repeat(pa.scalar(identifier, pa.int64()), groups))
        whole = make_batch(arrays, self.schema, groups)
        for start in range(0, groups, BATCH_ROWS):
            yield whole.slice(start, BATCH_ROWS)


class _Bundle:
    """Aggregates that see the same rows, and their running states."""

    def __init__(
        self,
        members: Sequence[tuple[int, AggregateColumn]],
        grouping: Sequence[int],
        codec: KeyCodec,
        schema: pa.Schema,
        context: ExecutionContext,
        operator: Operator,
    ) -> None:
        self._members = members
        self._grouping = grouping
        self._schema = schema
        self.plan = AggregationPlan(codec, [member.accumulator for _, member in members])
        self._context = context
        self._operator = operator
        self.running = KeyedAggregation(self.plan, context, operator)

    def partial(self, batch: pa.RecordBatch) -> States:
        columns = batch.columns  # the same arrays for all calls: what these have in common is computed once
        keys = [columns[i] for i in self._grouping]
        return self.plan.partial(keys, [self._arguments(columns, member) for _, member in self._members], batch.num_rows)

    def _arguments(self, columns: Sequence[pa.Array], member: AggregateColumn) -> list[pa.Array]:
        args = [columns[i] for i in member.args]
        if member.filter is None:
            return args
        mask = pc.fill_null(columns[member.filter], False)
        if not args:  # COUNT(*) counts the rows that pass
            return [pc.if_else(mask, mask, pa.scalar(None, pa.bool_()))]
        return [pc.if_else(mask, arg, pa.scalar(None, arg.type)) for arg in args]

    def aggregation(self, positions: tuple[int, ...]) -> KeyedAggregation:
        """Returns the states by the keys at ``positions``; if that are all keys, it may be ``running`` itself."""
        if len(positions) == len(self._grouping):
            return self.running
        result = KeyedAggregation(self.plan.selected(positions), self._context, self._operator)
        for (states,) in aligned_states([self.running]):
            if states is not None:
                result.add(self.plan.merge([states], positions))
        return result

    def finish(self, states: States | None, positions: tuple[int, ...], keys: Sequence[pa.Array], groups: int) -> dict[int, pa.Array]:
        """Returns the results by position in the operator's list, one row for each of ``keys``."""
        if states is None:
            return {index: self._empty_results(index, member, groups) for index, member in self._members}
        try:
            results = self.plan.finish(states)
        except TableRuntimeException as error:
            raise self._failure(error, states, positions) from error
        if self._is_reference:
            return {index: result for (index, _), result in zip(self._members, results, strict=True)}
        indices = _align(keys, states.keys, groups, states.groups)
        aligned = {}
        for (index, member), result in zip(self._members, results, strict=True):
            values = pc.take(result, indices)
            empty = self._empty_results(index, member, 1)
            if indices.null_count and empty.null_count == 0:
                values = pc.if_else(pc.is_null(indices), empty[0], values)
            aligned[index] = values
        return aligned

    def _failure(self, error: TableRuntimeException, states: States, positions: tuple[int, ...]) -> TableRuntimeException:
        """Returns the error with the call and the group that failed, if one of them alone fails."""
        from table_runtime.aggregates.group_failures import failure_in_group, first_failing

        for (_, member), columns in zip(self._members, states.columns, strict=True):

            def finish(start: int, end: int, member: AggregateColumn = member, columns: list[pa.Array] = columns) -> pa.Array:
                return member.accumulator.finish([column.slice(start, end - start) for column in columns])

            row = first_failing(finish, states.groups)
            try:
                finish(row, row + 1)
            except TableRuntimeException:
                names = [self._schema.field(self._grouping[i]).name for i in positions]
                keys = [self.plan.codec.decode_one(i, key.slice(row, 1)) for i, key in zip(positions, states.keys, strict=True)]
                args = [self._schema.field(i).name for i in member.args]
                return failure_in_group(error, member.accumulator, args, names, keys)
        return error

    _is_reference = True

    def _empty_results(self, index: int, member: AggregateColumn, rows: int) -> pa.Array:
        """Returns the result over no rows, ``rows`` times."""
        value = member.accumulator.over_nothing()
        type_ = member.accumulator.spec.arrow_type
        return (
            pa.nulls(rows, type_)
            if value is None
            else pc.cast(pa.array([value] * rows), type_)
            if value == 0
            else pa.array([value] * rows, type=type_)
        )


class _FilteredBundle(_Bundle):
    """Aggregates for which NULL is a value, over the rows that pass their filter."""

    _is_reference = False

    def partial(self, batch: pa.RecordBatch) -> States:
        member = self._members[0][1]
        if member.filter is not None:
            batch = filter_batch(batch, pc.fill_null(batch.column(member.filter), False))
        columns = batch.columns
        keys = [columns[i] for i in self._grouping]
        return self.plan.partial(keys, [[columns[i] for i in m.args] for _, m in self._members], batch.num_rows)


class _DistinctBundle(_FilteredBundle):
    """Aggregates over the distinct values of the same arguments: removes duplicates, then aggregates the distinct rows."""

    def __init__(
        self,
        members: Sequence[tuple[int, AggregateColumn]],
        grouping: Sequence[int],
        codec: KeyCodec,
        schema: pa.Schema,
        context: ExecutionContext,
        operator: Operator,
    ) -> None:
        super().__init__(members, grouping, codec, schema, context, operator)
        self._args = members[0][1].args
        self._distinct_codec = codec.extended([schema.field(i).type for i in self._args])
        self._distinct = AggregationPlan(self._distinct_codec, [])
        self.running = KeyedAggregation(self._distinct, context, operator)

    @override
    def partial(self, batch: pa.RecordBatch) -> States:
        member = self._members[0][1]
        if member.filter is not None:
            batch = filter_batch(batch, pc.fill_null(batch.column(member.filter), False))
        return self._distinct.partial([batch.column(i) for i in (*self._grouping, *self._args)], [], batch.num_rows)

    @override
    def aggregation(self, positions: tuple[int, ...]) -> KeyedAggregation:
        width = len(positions)
        is_whole = width == len(self._grouping)
        rows = self.running
        if not is_whole:  # a value may occur in several groups that become one
            args = range(len(self._grouping), len(self._grouping) + len(self._args))
            rows = KeyedAggregation(self._distinct.selected([*positions, *args]), self._context, self._operator)
        result = KeyedAggregation(self.plan.selected(positions), self._context, self._operator)
        try:
            if not is_whole:
                for (states,) in aligned_states([self.running]):
                    if states is not None:
                        rows.add(self._distinct.merge([states], [*positions, *args]))
            for (states,) in aligned_states([rows]):
                if states is not None:
                    columns = self._distinct_codec.decode(states.keys[width:], len(self._grouping))
                    result.add(self.plan.partial_encoded(states.keys[:width], [columns] * len(self._members), states.groups))
        finally:
            if not is_whole:
                rows.close()
        return result


def _bundles(
    aggregates: Sequence[AggregateColumn],
    grouping: Sequence[int],
    codec: KeyCodec,
    schema: pa.Schema,
    context: ExecutionContext,
    operator: Operator,
) -> list[_Bundle]:
    plain: list[tuple[int, AggregateColumn]] = []
    by_kind: dict[tuple[object, ...], list[tuple[int, AggregateColumn]]] = {}
    for index, member in enumerate(aggregates):
        if member.distinct:
            by_kind.setdefault(("distinct", member.args, member.filter), []).append((index, member))
        elif member.filter is not None and not member.accumulator.ignores_nulls:
            by_kind.setdefault(("filter", member.filter), []).append((index, member))
        else:
            plain.append((index, member))
    result = [_Bundle(plain, grouping, codec, schema, context, operator)]
    for key, members in by_kind.items():
        kind = _DistinctBundle if key[0] == "distinct" else _FilteredBundle
        result.append(kind(members, grouping, codec, schema, context, operator))
    return result


def _align(keys: Sequence[pa.Array], state_keys: Sequence[pa.Array], groups: int, state_groups: int) -> pa.Array:
    """Returns for each row of ``keys`` the position of the equal row in ``state_keys``, NULL if there is none. NULLs are equal."""
    if not keys:
        return pa.array([0 if state_groups else None], type=pa.int64())
    columns = [pa.concat_arrays([left, cast_array(right, left.type)]) for left, right in zip(keys, state_keys, strict=True)]
    position = pa.arange(0, groups + state_groups)
    _, (first, last), _ = reduce_groups(columns, [Reduction(position, "min"), Reduction(position, "max")], groups + state_groups)
    # The order of the groups is undefined. The rows of ``keys`` are distinct, and each is the first row of its group.
    group_of = pc.inverse_permutation(first, max_index=groups + state_groups - 1, output_type=pa.int64())
    last = pc.take(last, group_of.slice(0, groups))
    matched = pc.greater_equal(last, pa.scalar(groups, pa.int64()))
    return pc.if_else(matched, pc.subtract(last, pa.scalar(groups, pa.int64())), pa.scalar(None, pa.int64()))
