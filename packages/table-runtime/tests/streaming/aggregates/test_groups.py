from __future__ import annotations

import random
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType, DecimalType, DoubleType, IntType, LogicalType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.streaming.aggregates.groups import AggregateCalls, AggregateGroups
from table_runtime.streaming.state.key_slots import KeySlots
from table_testing.rounds import rounds

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int32())])


def column(function: FunctionDefinition, output: LogicalType, *args: int, distinct: bool = False) -> AggregateColumn:
    spec = AggregateSpec(function.name, (IntType(),) * len(args), output, ())
    return AggregateColumn(make_accumulator(function, spec), args, distinct)


SUM = column(fn.SUM, IntType(), 1)
COUNT = column(fn.COUNT, BigIntType(nullable=False))
DISTINCT = column(fn.COUNT, BigIntType(nullable=False), 1, distinct=True)


def groups(*columns: AggregateColumn) -> tuple[AggregateGroups, KeySlots]:
    keys = KeySlots([pa.int64()])
    return AggregateGroups(AggregateCalls(SCHEMA, (0,), columns, (True,) * len(columns)), keys), keys


def batch(rows: list[tuple[int, int | None]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([k for k, _ in rows]), pa.array([v for _, v in rows], pa.int32())], schema=SCHEMA)


def applied(state: AggregateGroups, keys: KeySlots, rows: list[tuple[int, int | None]], signs: list[int]) -> list[tuple[object, ...]]:
    """Returns the results after each row, in the order of the rows."""
    given = batch(rows)
    done = state.apply(given, keys.find_or_insert([given.column(0)], len(rows)), np.array(signs))
    after = [result.slice(len(done.groups.slots)).to_pylist() for result in done.results]
    in_order: list[tuple[object, ...]] = [()] * len(rows)
    for place, row in enumerate(done.groups.order.tolist()):
        in_order[row] = tuple(values[place] for values in after)
    return in_order


def test_each_row_has_the_results_of_its_group_after_it() -> None:
    state, keys = groups(SUM, COUNT, DISTINCT)
    assert applied(state, keys, [(1, 5), (2, 7), (1, 5), (1, None)], [1, 1, 1, 1]) == [(5, 1, 1), (7, 1, 1), (10, 2, 1), (10, 3, 1)]
    assert applied(state, keys, [(1, 5), (1, 5)], [-1, -1]) == [(5, 2, 1), (None, 1, 0)]


def test_results_of_the_groups_before_the_rows_come_first() -> None:
    state, keys = groups(SUM)
    applied(state, keys, [(1, 5), (2, 7)], [1, 1])
    given = batch([(2, 1), (1, 1)])
    done = state.apply(given, keys.find_or_insert([given.column(0)], 2), np.array([1, 1]))
    assert done.results[0].to_pylist() == [5, 7, 6, 8]
    assert done.counts.after.tolist() == [2, 2]


def test_retractions_of_rows_that_are_not_there_are_counted() -> None:
    state, keys = groups(COUNT)
    applied(state, keys, [(1, 5), (1, 5), (1, 5)], [1, -1, -1])
    assert state.ignored_retractions == 1
    assert state.counts[0] == 0


def test_an_overflow_names_the_group() -> None:
    state, keys = groups(SUM)
    with pytest.raises(TableRuntimeException, match="k = 4"):
        applied(state, keys, [(3, 1), (4, 2**31 - 1), (4, 1)], [1, 1, 1])


def test_the_net_change_has_the_first_row_of_each_group() -> None:
    state, keys = groups(COUNT)
    given = batch([(7, 1), (8, 1), (7, 1), (9, 1), (8, 1)])
    net = state.net(given, keys.find_or_insert([given.column(0)], 5), np.ones(5, np.int64))
    assert (net.first_rows.tolist(), net.before.tolist(), net.after.tolist()) == ([0, 1, 3], [0, 0, 0], [2, 2, 1])
    assert net.results[0].to_pylist() == [0, 0, 0, 2, 2, 1]


def test_an_overflow_of_a_net_change_names_the_group() -> None:
    state, keys = groups(SUM)
    given = batch([(3, 1), (4, 2**31 - 1), (4, 1)])
    with pytest.raises(TableRuntimeException, match="k = 4"):
        state.net(given, keys.find_or_insert([given.column(0)], 3), np.ones(3, np.int64))


MIXED = pa.schema([("k", pa.int64()), ("v", pa.int64()), ("f", pa.float64()), ("d", pa.decimal128(20, 2)), ("c", pa.bool_())])
_TYPES = {1: BigIntType(), 2: DoubleType(), 3: DecimalType(20, 2)}
_OUTPUTS = {1: BigIntType(), 2: DoubleType(), 3: DecimalType(38, 2)}


def mixed_column(function: FunctionDefinition, arg: int, *, is_filtered: bool) -> AggregateColumn:
    output = BigIntType(nullable=False) if function is fn.COUNT else _OUTPUTS[arg] if function is fn.SUM else _TYPES[arg]
    accumulator = make_accumulator(function, AggregateSpec(function.name, (_TYPES[arg],), output, ()))
    return AggregateColumn(accumulator, (arg,), filter=4 if is_filtered else None)


@pytest.mark.parametrize("seed", rounds(60))
def test_net_changes_are_those_between_the_first_and_the_last_row(seed: int) -> None:
    chance = random.Random(seed)
    functions = [fn.SUM, fn.COUNT, *([fn.MAX] if chance.random() < 0.2 else [])]
    columns = tuple(mixed_column(function, arg, is_filtered=chance.random() < 0.3) for function in functions for arg in _TYPES)
    states, keys = [], []
    for _ in range(2):
        keys.append(KeySlots([pa.int64()]))
        states.append(AggregateGroups(AggregateCalls(MIXED, (0,), columns, (fn.MAX not in functions,) * len(columns)), keys[-1]))
    there: list[tuple[object, ...]] = []
    numbers = [None, -3, 4, 9, (1 << 62) + 5, -(1 << 62)] if chance.random() < 0.2 else [None, -3, 4, 9]
    floats = [None, 0.5, -2.25, float("nan"), float("inf")] if chance.random() < 0.3 else [None, 0.5, -2.25]
    ignores = chance.random() < 0.2
    for _ in range(6):
        rows, signs = [], []
        for _ in range(chance.choice([1, 5, 40])):
            if there and fn.MAX not in functions and chance.random() < 0.55:
                rows.append(there[chance.randrange(len(there))] if ignores else there.pop(chance.randrange(len(there))))
                signs.append(-1)
            else:
                decimal = chance.choice([None, Decimal("0.01"), Decimal("-7.5")])
                rows.append(
                    (chance.randrange(4), chance.choice(numbers), chance.choice(floats), decimal, chance.choice([True, False, None]))
                )
                there.append(rows[-1])
                signs.append(1)
        given = pa.RecordBatch.from_arrays(
            [pa.array(values, field.type) for values, field in zip(zip(*rows, strict=True), MIXED, strict=True)], schema=MIXED
        )
        slots = [key.find_or_insert([given.column(0)], len(rows)) for key in keys]
        try:
            whole = states[0].apply(given, slots[0], np.array(signs))
        except TableRuntimeException:
            return  # the sum after a row between leaves its range; that after the last one may not
        net = states[1].net(given, slots[1], np.array(signs))
        ends = whole.groups.ends - 1
        assert net.first_rows.tolist() == whole.groups.order[whole.groups.starts].tolist()
        assert net.after.tolist() == whole.counts.after[ends].tolist()
        assert states[0].ignored_retractions == states[1].ignored_retractions
        for expected, found in zip(whole.results, net.results, strict=True):
            is_there = pa.array(np.concatenate([net.before > 0, net.after > 0]))
            wanted = expected.take(pa.array(np.concatenate([np.arange(len(ends)), ends + len(ends)])))
            assert str(found.filter(is_there).to_pylist()) == str(wanted.filter(is_there).to_pylist()), (seed, rows, signs)


@pytest.mark.parametrize("seed", rounds(20))
def test_results_equal_those_of_a_model_for_any_batch_size(seed: int) -> None:
    chance = random.Random(seed)
    rows: list[tuple[int, int | None]] = []
    signs: list[int] = []
    there: list[tuple[int, int | None]] = []
    for _ in range(60):
        if there and chance.random() < 0.4:
            rows.append(there.pop(chance.randrange(len(there))))
            signs.append(-1)
        else:
            there.append((chance.randrange(3), chance.choice([None, 1, 2, 3])))
            rows.append(there[-1])
            signs.append(1)
    expected = []
    table: list[tuple[int, int | None]] = []
    for row, sign in zip(rows, signs, strict=True):
        table.append(row) if sign > 0 else table.remove(row)
        values = [v for k, v in table if k == row[0]]
        known = [v for v in values if v is not None]
        expected.append((sum(known) if known else None, len(values), len(set(known))))
    for size in (1, 7, 60):
        state, keys = groups(SUM, COUNT, DISTINCT)
        found = []
        for start in range(0, 60, size):
            found += applied(state, keys, rows[start : start + size], signs[start : start + size])
        assert found == expected
