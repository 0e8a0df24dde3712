"""GROUP BY over changelogs: aggregates per group, with retraction, DISTINCT, FILTER and grouping sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.columns.batches import make_batch
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.aggregates.groups import AggregateCalls, AggregateGroups
from table_runtime.streaming.changes.batch import ChangeBatch, Truths
from table_runtime.streaming.changes.row_changes import RowChanges
from table_runtime.streaming.changes.running_counts import RunningCounts
from table_runtime.streaming.changes.segments import Integers
from table_runtime.streaming.changes.slot_groups import SlotGroups, Slots
from table_runtime.streaming.operators.exchange_keys import GLOBAL, ExchangeKeys, OutputDivision, division_by
from table_runtime.streaming.operators.operator import ChangelogOperator, OperatorState, Output
from table_runtime.streaming.state.key_slots import KeySlots
from table_runtime.streaming.state.state_table import StateTable


class GroupState(OperatorState):
    """The aggregates of each group."""

    def __init__(self, context: ExecutionContext, operator: GroupAggregate, keys: KeySlots | None = None) -> None:
        super().__init__(context)
        self.keys: KeySlots = KeySlots(operator.key_types) if keys is None else keys
        self.bucket_columns = operator.bucket_columns
        self.groups = AggregateGroups(operator.calls, self.keys)

    @override
    def tables(self) -> Mapping[str, StateTable]:
        return self.groups.tables()

    @override
    def is_live(self, slots: Slots) -> Truths:
        if not self.keys.types:  # the one group has a result also when it has no rows
            return np.ones(len(slots), np.bool_)
        return self.groups.counts[slots] > 0

    def count_ignored(self) -> None:
        """Moves the number of ignored retractions from the groups to the metrics."""
        self.metrics.ignored_retractions += self.groups.ignored_retractions
        self.groups.ignored_retractions = 0


# Differs from Flink: with mini-batches a group changes once for all rows of a bundle. Flink's two phases make a bundle each, so that a group may change twice.
# Differs from Flink: GROUP BY of the key of its input is kept, and its changes are insertions and deletions; Flink removes it, and gives updates.
# Differs from Flink: the order of several changes that one input row causes is not part of the result. An aggregate that stays as it is gives no change.
class GroupAggregate(ChangelogOperator[GroupState]):
    """Emits the changes of each group: its first row inserts the result, its last retraction deletes it.

    The schema is the grouping columns, the aggregates and, with grouping sets, the grouping id. For each row of the input the changes
    that follow are given at once, in the order of the input; with ``nets_batches`` once per group and batch. Rows that leave the result
    of their group as it is give nothing, unless ``repeats_unchanged``: state after this operator then stays as long as that of the group.
    A retraction in a group that does not exist is ignored and counted. ``retracted`` says for each aggregate
    whether retractions matter to it. With ``has_empty_row``, one group over all rows has a row over no rows.
    """

    def __init__(
        self,
        schema: pa.Schema,
        input_schema: pa.Schema,
        grouping: Sequence[int],
        aggregates: Sequence[AggregateColumn],
        grouping_sets: Sequence[Sequence[int]] | None = None,
        *,
        retracted: Sequence[bool],
        gives_before: bool,
        nets_batches: bool = False,
        has_empty_row: bool = False,
        repeats_unchanged: bool = False,
        text: str = "",
    ) -> None:
        super().__init__(schema)
        self.calls = AggregateCalls(input_schema, tuple(grouping), tuple(aggregates), tuple(retracted))
        self._grouping = tuple(grouping)
        self._sets = None if grouping_sets is None else [frozenset(positions) for positions in grouping_sets]
        self._gives_before = gives_before
        self._nets_batches = nets_batches
        self._has_empty_row = has_empty_row
        self._repeats_unchanged = repeats_unchanged
        self._text = text

    @property
    def key_types(self) -> list[pa.DataType]:
        """The types of the columns that identify a group."""
        types = [self.calls.input_schema.field(position).type for position in self._grouping]
        return types if self._sets is None else [*types, pa.int64()]

    @property
    def divided_places(self) -> list[int]:
        """Which of the grouping columns all groups of a row have in common."""
        places = range(len(self._grouping))
        return [place for place in places if self._sets is None or all(place in members for members in self._sets)]

    @property
    def bucket_columns(self) -> Sequence[int]:
        """The columns of the keys of the state by which rows are divided."""
        return self.divided_places

    @override
    def exchange_keys(self, input_index: int) -> ExchangeKeys:
        return division_by([self._grouping[place] for place in self.divided_places])

    @override
    def output_division(self, inputs: Sequence[OutputDivision]) -> OutputDivision:
        places, before = self.divided_places, self.calls.input_schema
        is_kept = all(self.schema.field(place).type == before.field(self._grouping[place]).type for place in places)
        return None if not is_kept else tuple(places) or GLOBAL

    @property
    def key_places(self) -> list[int | None]:
        """For each column that identifies a group in the state, its position among the grouping columns; None: it is none of them."""
        return [*range(len(self._grouping)), *[None] * (self._sets is not None)]

    @override
    def layout(self) -> Mapping[str, Any]:
        """Returns what the tables of the state depend on besides keys and calls.

        ``kept`` is the kind of operator, ``functions`` the kind of state of each call, and ``distinct`` the number of its table of DISTINCT values.
        """
        calls, tables = self.calls, dict[tuple[tuple[int, ...], int | None], int]()
        states = [calls.state_of(column, has_retractions=flag) for column, flag in zip(calls.aggregates, calls.retracted, strict=True)]
        numbers = [
            tables.setdefault((tuple(column.args), column.filter), len(tables)) if column.distinct else None for column in calls.aggregates
        ]
        return {"kept": type(self).__name__, "functions": [type(state).__name__ for state in states], "distinct": numbers}

    @override
    def details(self) -> str:
        return self._text

    @override
    def create_state(self, context: ExecutionContext) -> GroupState:
        return GroupState(context, self)

    @override
    def start(self, state: GroupState, out: Output) -> None:
        if not self._has_empty_row:
            return
        for function in state.groups.functions:
            function.reserve(1)
        results = [function.current(np.zeros(1, np.int64)) for function in state.groups.functions]
        out(ChangeBatch(make_batch(results, self.schema, 1)))

    @override
    def process(self, batch: ChangeBatch, input_index: int, state: GroupState, out: Output) -> None:
        start = 0
        while start < batch.num_rows:
            state.context.check()
            rows = batch.num_rows
            if not self._nets_batches:  # a net change is of the whole batch
                for column, function in zip(self.calls.aggregates, state.groups.functions, strict=True):
                    rows = min(rows, function.rows_at_once(batch.columns(column.args)))
            self._process(batch if not start and rows >= batch.num_rows else batch.slice(start, rows), state, out)
            start += rows

    def _process(self, batch: ChangeBatch, state: GroupState, out: Output) -> None:
        signs = batch.signs
        keys = batch.columns(self._grouping)
        rows = batch.rows
        if self._sets is not None:
            rows, keys, signs = self._expanded(rows, signs)
        slots = state.keys.find_or_insert(keys, len(signs)) if self.key_types else np.zeros(len(signs), np.int64)
        if self._nets_batches:
            net = state.groups.net(rows, slots, signs)
            places = np.arange(len(net.first_rows))
            results, changes = net.results, self._changes(net.first_rows, places, places + len(places), net.before, net.after)
        else:
            groups, counts, results = state.groups.apply(rows, slots, signs)
            changes = self._each(groups, counts)
        state.count_ignored()
        self._emit(state.keys.as_kept(keys, slots), results, changes, out)

    def _expanded(self, rows: pa.RecordBatch, signs: Integers) -> tuple[pa.RecordBatch, list[pa.Array], Integers]:
        """Returns each row once for every grouping set, with the keys that the set leaves out as NULL, and the grouping id."""
        assert self._sets is not None
        count, width = len(self._sets), len(self._grouping)
        expanded = rows.take(pa.array(np.repeat(np.arange(rows.num_rows), count)))
        keys = []
        for position, column in enumerate(self._grouping):
            is_in = pa.array(np.tile([position in members for members in self._sets], rows.num_rows))
            values = expanded.column(column)
            keys.append(pc.if_else(is_in, values, pa.nulls(len(values), values.type)))
        ids = [sum(1 << (width - 1 - position) for position in range(width) if position not in members) for members in self._sets]
        keys.append(pa.array(np.tile(np.array(ids, np.int64), rows.num_rows)))
        return expanded, keys, np.repeat(signs, count)

    def _each(self, groups: SlotGroups, counts: RunningCounts) -> RowChanges:
        rows, slots = len(groups.order), len(groups.slots)
        before = np.arange(rows) - 1 + slots
        before[groups.starts] = np.arange(slots)
        return self._changes(groups.order, before, np.arange(rows) + slots, counts.before, counts.after)

    def _changes(self, rows: Integers, before: Integers, after: Integers, count_before: Integers, count_after: Integers) -> RowChanges:
        if self._has_empty_row:
            return RowChanges(rows, before, after)
        return RowChanges(rows, np.where(count_before > 0, before, -1), np.where(count_after > 0, after, -1))

    def _emit(self, keys: Sequence[pa.Array], results: Sequence[pa.Array], changes: RowChanges, out: Output) -> None:
        given = changes.given(results, gives_before=self._gives_before, repeats_unchanged=self._repeats_unchanged)
        if not len(given.rows):
            return
        columns = [key.take(pa.array(given.rows)) for key in keys]
        values = [result.take(pa.array(given.positions)) for result in results]
        width = len(self._grouping)
        arrays = [*columns[:width], *values, *columns[width:]]
        out(ChangeBatch(make_batch(arrays, self.schema, len(given.rows)), given.kinds))
