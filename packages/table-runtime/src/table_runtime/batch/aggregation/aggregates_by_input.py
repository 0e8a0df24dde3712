"""The aggregates of a GROUP BY that see the same rows, and their states: plain calls, calls over distinct rows, and calls that take NULL with a filter."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import arrow_array, arrow_scalar
from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass
from table_runtime.aggregates import Accumulator, Reduction
from table_runtime.batch.aggregation.grouping import reduce_groups
from table_runtime.batch.aggregation.keyed_aggregation import AggregationPlan, KeyedAggregation, States, aligned_states
from table_runtime.columns.batches import cast_array
from table_runtime.columns.keys import KeyCodec
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.steps.filter import filter_batch


@dataclass(frozen=True, eq=False)
class AggregateColumn:
    """One aggregate: its accumulator and the positions of its argument columns (order keys follow) and of its filter.

    ``shown`` are the columns of the input as messages name them; empty: as the input does.
    """

    accumulator: Accumulator
    args: tuple[int, ...] = ()
    distinct: bool = False
    filter: int | None = None
    shown: tuple[str, ...] = ()
    depends_on_order: bool = False

    def shown_columns(self, schema: pa.Schema, positions: Sequence[int]) -> list[str]:
        """Returns columns of the input with a schema as messages name them."""
        return [self.shown[i] if self.shown else schema.field(i).name for i in positions]

    def shown_arguments(self, schema: pa.Schema) -> str:
        """Returns the text of the arguments in messages."""
        text = self.accumulator.argument_text(self.shown_columns(schema, self.args))
        return f"DISTINCT {text}" if self.distinct else text


class Bundle:
    """Aggregates that see the same rows, and their running states."""

    has_partial_states = True
    """Whether ``partial`` returns states that can be divided and merged, without what this bundle knows."""

    def __init__(
        self,
        members: Sequence[tuple[int, AggregateColumn]],
        grouping: Sequence[int],
        codec: KeyCodec,
        schema: pa.Schema,
        context: ExecutionContext,
        operator: Operator,
        parts: int = 1,
    ) -> None:
        self._members = members
        self._grouping = grouping
        self._schema = schema
        self.plan = AggregationPlan(codec, [member.accumulator for _, member in members])
        self._context = context
        self._operator = operator
        self._parts = parts
        self.running = self._new_states()

    def _new_states(self) -> KeyedAggregation:
        """Returns the states to which ``partial`` ones are added, without any."""
        return self._states(self.plan)

    def _states(self, plan: AggregationPlan) -> KeyedAggregation:
        return KeyedAggregation(plan, self._context, self._operator, parts=self._parts)

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
            return [pc.if_else(mask, mask, arrow_scalar(None, pa.bool_()))]
        return [pc.if_else(mask, arg, arrow_scalar(None, arg.type)) for arg in args]

    @property
    def has_merged_states(self) -> bool:
        """Whether the states by fewer keys are those by all keys, merged: there is no DISTINCT, and the order of rows does not matter."""
        return not any(member.depends_on_order for _, member in self._members)

    def states_by(self, positions: tuple[int, ...]) -> KeyedAggregation:
        """Returns an aggregation by the keys at ``positions``, without states."""
        return self._states(self.plan.selected(positions))

    def merged(self, states: States, source: tuple[int, ...], positions: tuple[int, ...]) -> States:
        """Returns states by the keys at ``source`` merged by those at ``positions``, which are some of them."""
        return self.plan.selected(source).merge([states], [source.index(position) for position in positions])

    def aggregation(self, positions: tuple[int, ...]) -> KeyedAggregation:
        """Returns the states by the keys at ``positions``; if that are all keys, it may be ``running`` itself."""
        if len(positions) == len(self._grouping):
            return self.running
        result = self.states_by(positions)
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
                names = member.shown_columns(self._schema, [self._grouping[i] for i in positions])
                keys = [self.plan.codec.decode_one(i, key.slice(row, 1)) for i, key in zip(positions, states.keys, strict=True)]
                return failure_in_group(error, member.accumulator, member.shown_arguments(self._schema), names, keys)
        return error

    _is_reference = True

    def _empty_results(self, index: int, member: AggregateColumn, rows: int) -> pa.Array:
        """Returns the result over no rows, ``rows`` times."""
        value = member.accumulator.over_nothing()
        type_ = member.accumulator.spec.arrow_type
        return (
            pa.nulls(rows, type_)
            if value is None
            else pc.cast(arrow_array([value] * rows), type_)
            if value == 0
            else arrow_array([value] * rows, type_)
        )


class _FilteredBundle(Bundle):
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

    @property
    @override
    def has_merged_states(self) -> bool:
        return False

    @override
    def _new_states(self) -> KeyedAggregation:
        self._args = self._members[0][1].args
        self._distinct_codec = self.plan.codec.extended([self._schema.field(i).type for i in self._args])
        self._distinct = AggregationPlan(self._distinct_codec, [])
        return self._states(self._distinct)

    @override
    def partial(self, batch: pa.RecordBatch) -> States:
        member = self._members[0][1]
        if member.filter is not None:
            batch = filter_batch(batch, pc.fill_null(batch.column(member.filter), False))
        return self._distinct_rows([batch.column(i) for i in (*self._grouping, *self._args)], batch.num_rows)

    def _distinct_rows(self, columns: Sequence[pa.Array], rows: int) -> States:
        return self._distinct.partial(columns, [], rows)

    @override
    def aggregation(self, positions: tuple[int, ...]) -> KeyedAggregation:
        width = len(positions)
        is_whole = width == len(self._grouping)
        rows = self.running
        if not is_whole:  # a value may occur in several groups that become one
            args = range(len(self._grouping), len(self._grouping) + len(self._args))
            rows = self._states(self._distinct.selected([*positions, *args]))
        result = self.states_by(positions)
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


class _CountedBundle(_DistinctBundle):
    """COUNT(DISTINCT …) of one column by one key."""

    has_partial_states = False

    @override
    def _new_states(self) -> KeyedAggregation:
        from table_runtime.batch.aggregation.distinct_counts import DistinctCounts

        super()._new_states()
        self._counts = DistinctCounts(self._distinct, self._context, self._operator)
        return self._counts

    @override
    def _distinct_rows(self, columns: Sequence[pa.Array], rows: int) -> States:
        from table_runtime.batch.aggregation.distinct_counts import FEWEST_ROWS

        if rows < FEWEST_ROWS or not self._counts.takes_dictionaries:
            return super()._distinct_rows(columns, rows)
        encoded = (column if pa.types.is_dictionary(column.type) else column.dictionary_encode() for column in columns)
        return States(list(encoded), [], rows)

    @override
    def aggregation(self, positions: tuple[int, ...]) -> KeyedAggregation:
        counts = self._counts.counts()
        if counts is None:
            return super().aggregation(positions)
        result = self._states(self.plan)
        result.add(States(counts.keys, counts.columns * len(self._members), counts.groups))
        return result


def bundles_of(
    aggregates: Sequence[AggregateColumn],
    grouping: Sequence[int],
    codec: KeyCodec,
    schema: pa.Schema,
    context: ExecutionContext,
    operator: Operator,
    *,
    is_one_set: bool,
    parts: int = 1,
) -> list[Bundle]:
    """Returns the bundles of some aggregates; the first one has all groups.

    ``is_one_set`` says that there are no grouping sets, ``parts`` how many parts of the groups there are, of which the bundles have one.
    """
    plain: list[tuple[int, AggregateColumn]] = []
    by_kind: dict[tuple[object, ...], list[tuple[int, AggregateColumn]]] = {}
    for index, member in enumerate(aggregates):
        if member.distinct:
            by_kind.setdefault(("distinct", member.args, member.filter), []).append((index, member))
        elif member.filter is not None and not member.accumulator.ignores_nulls:
            by_kind.setdefault(("filter", member.filter), []).append((index, member))
        else:
            plain.append((index, member))
    result = [Bundle(plain, grouping, codec, schema, context, operator, parts)]
    for key, members in by_kind.items():
        kind = _FilteredBundle
        if key[0] == "distinct":
            kind = _CountedBundle if is_one_set and _is_counted(members, grouping, schema) else _DistinctBundle
        result.append(kind(members, grouping, codec, schema, context, operator, parts))
    return result


def _is_counted(members: Sequence[tuple[int, AggregateColumn]], grouping: Sequence[int], schema: pa.Schema) -> bool:
    """Returns whether calls with the same DISTINCT arguments are counts of one column by one key that have codes."""
    from table_runtime.aggregates.counting import Count
    from table_runtime.batch.aggregation.distinct_counts import can_count

    columns = [*grouping, *members[0][1].args]
    is_pair = len(grouping) == 1 and len(columns) == 2 and all(isinstance(member.accumulator, Count) for _, member in members)
    return is_pair and all(can_count(schema.field(column).type) for column in columns)


def _align(keys: Sequence[pa.Array], state_keys: Sequence[pa.Array], groups: int, state_groups: int) -> pa.Array:
    """Returns for each row of ``keys`` the position of the equal row in ``state_keys``, NULL if there is none. NULLs are equal."""
    if not keys:
        return arrow_array([0 if state_groups else None], pa.int64())
    columns = [pa.concat_arrays([left, cast_array(right, left.type)]) for left, right in zip(keys, state_keys, strict=True)]
    position = pa.arange(0, groups + state_groups)
    _, (first, last), _ = reduce_groups(columns, [Reduction(position, "min"), Reduction(position, "max")], groups + state_groups)
    # The order of the groups is undefined. The rows of ``keys`` are distinct, and each is the first row of its group.
    group_of = pc.inverse_permutation(first, max_index=groups + state_groups - 1, output_type=pa.int64())
    last = pc.take(last, group_of.slice(0, groups))
    matched = pc.greater_equal(last, arrow_scalar(groups, pa.int64()))
    return pc.if_else(matched, pc.subtract(last, arrow_scalar(groups, pa.int64())), arrow_scalar(None, pa.int64()))
