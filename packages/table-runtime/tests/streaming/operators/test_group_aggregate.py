from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.functions.builtin import bitmap
from table_common.types import (
    ArrayType,
    BigIntType,
    BitmapType,
    DoubleType,
    IntType,
    LogicalType,
    MultisetType,
    TinyIntType,
    VarCharType,
)
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.aggregates import texts
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.operators.group_aggregate import GroupAggregate
from table_testing.rounds import rounds

if TYPE_CHECKING:
    from conftest import Change, Give

INPUT = pa.schema([("k", pa.string()), ("v", pa.int32()), ("x", pa.float64()), ("f", pa.bool_())])
TYPES: dict[str, LogicalType] = {"v": IntType(), "x": DoubleType(), "k": VarCharType()}


def column(function: FunctionDefinition, name: str | None, output: LogicalType, **options: Any) -> AggregateColumn:
    types = () if name is None else (TYPES[name],)
    spec = AggregateSpec(function.name, types, output, options.pop("constants", ()))
    return AggregateColumn(make_accumulator(function, spec), () if name is None else (INPUT.get_field_index(name),), **options)


COUNT = column(fn.COUNT, None, BigIntType(nullable=False))
SUM = column(fn.SUM, "v", IntType())


def operator(columns: Sequence[AggregateColumn], grouping: Sequence[int] = (0,), **options: Any) -> GroupAggregate:
    sets = options.pop("sets", None)
    fields = [INPUT.field(i) for i in grouping]
    fields += [pa.field(f"a{i}", c.accumulator.spec.arrow_type) for i, c in enumerate(columns)]
    fields += [pa.field("id", pa.int64())] if sets is not None else []
    settings = {"retracted": [True] * len(columns), "gives_before": True, **options}
    return GroupAggregate(pa.schema(fields), INPUT, grouping, columns, sets, **settings)


def row(k: str | None, v: int | None = None, x: float | None = None, f: bool | None = True) -> tuple[Any, ...]:
    return (k, v, x, f)


@pytest.mark.parametrize("nets_batches", [False, True])
def test_a_group_is_retracted_with_the_key_that_it_was_given_with(give: Give, nets_batches: bool) -> None:
    # -0.0 and 0.0 are one group.
    changes = [("+I", row("a", 1, -0.0)), ("+I", row("a", 2, 0.0)), ("-D", row("a", 1, -0.0)), ("-D", row("a", 2, 0.0))]
    given = [repr(values[0]) for _, values in give(operator([SUM], grouping=[2], nets_batches=nets_batches), INPUT, changes)]
    assert given == ["0.0"] * len(given)


def test_each_row_gives_the_changes_that_follow_in_the_order_of_the_input(give: Give) -> None:
    changes = [("+I", row("a", 1)), ("+I", row("b", 2)), ("+I", row("a", 3)), ("-D", row("b", 2)), ("+I", row("b", 5))]
    assert give(operator([SUM, COUNT]), INPUT, changes) == [
        ("+I", ("a", 1, 1)),
        ("+I", ("b", 2, 1)),
        ("-U", ("a", 1, 1)),
        ("+U", ("a", 4, 2)),
        ("-D", ("b", 2, 1)),
        ("+I", ("b", 5, 1)),
    ]


def test_a_row_that_leaves_the_result_as_it_is_gives_nothing(give: Give) -> None:
    assert give(operator([SUM]), INPUT, [("+I", row("a", 1)), ("+I", row("a", None)), ("+I", row("a", 0))]) == [("+I", ("a", 1))]


def test_without_rows_before_updates_only_the_rows_after_them_are_given(give: Give) -> None:
    changes = [("+I", row("a", 1)), ("+I", row("a", 3)), ("-D", row("a", 1)), ("-D", row("a", 3))]
    given = give(operator([SUM], gives_before=False), INPUT, changes)
    assert given == [("+I", ("a", 1)), ("+U", ("a", 4)), ("+U", ("a", 3)), ("-D", ("a", 3))]


def test_net_changes_are_given_once_per_group_and_batch(give: Give) -> None:
    changes = [("+I", row("a", 1)), ("+I", row("b", 2)), ("+I", row("a", 3)), ("-D", row("b", 2))]
    assert give(operator([SUM], nets_batches=True), INPUT, changes) == [("+I", ("a", 4))]
    assert give(operator([SUM], nets_batches=True), INPUT, changes, 2) == [
        ("+I", ("a", 1)),
        ("+I", ("b", 2)),
        ("-U", ("a", 1)),
        ("+U", ("a", 4)),
        ("-D", ("b", 2)),
    ]


def test_a_retraction_in_a_group_that_does_not_exist_is_ignored(give: Give) -> None:
    changes = [("-D", row("a", 1)), ("+I", row("a", 2)), ("-D", row("a", 2)), ("-D", row("a", 2)), ("+I", row("a", 7))]
    assert give(operator([SUM, COUNT]), INPUT, changes) == [("+I", ("a", 2, 1)), ("-D", ("a", 2, 1)), ("+I", ("a", 7, 1))]


@pytest.mark.parametrize(
    "aggregate",
    [
        column(fn.MIN, "v", IntType()),
        column(fn.FIRST_VALUE, "v", IntType()),
        column(fn.LAST_VALUE, "v", IntType()),
        column(fn.LISTAGG, "k", VarCharType()),
        column(fn.COLLECT, "v", MultisetType(IntType())),
        column(fn.ARRAY_AGG, "v", ArrayType(IntType())),
        column(fn.PERCENTILE, "v", DoubleType(), constants=(0.5,)),
        column(fn.JSON_ARRAYAGG_NULL_ON_NULL, "v", VarCharType()),
        column(fn.COUNT, "v", BigIntType(nullable=False), distinct=True),
        column(fn.SUM, "v", IntType(), distinct=True),
        column(bitmap.BITMAP_BUILD_AGG, "v", BitmapType()),
    ],
    ids=lambda column: f"{column.accumulator.spec.name}{' DISTINCT' * column.distinct}",
)
def test_a_retraction_of_a_value_that_is_not_there_is_ignored_and_counted(
    aggregate: AggregateColumn, context: ExecutionContext, change_batch: Callable[[Sequence[Change], pa.Schema], ChangeBatch]
) -> None:
    group = operator([aggregate, aggregate], ())
    state = group.create_state(context)
    given: list[list[Any]] = []
    changes = [("+I", row("a", 1)), ("+I", row("b", 2)), ("-D", row("x", 9)), ("+I", row("c", 3)), ("-D", row("y", 8))]
    for size in (2, 3):
        batch, changes = changes[:size], changes[size:]
        group.process(change_batch(batch, INPUT), 0, state, lambda out: given.append(out.rows.column(0).to_pylist()))
    assert state.metrics.ignored_retractions == 2
    expected = operator([aggregate, aggregate], ())
    other = expected.create_state(context)
    last: list[Any] = []
    expected.process(
        change_batch([("+I", row("a", 1)), ("+I", row("b", 2)), ("+I", row("c", 3))], INPUT),
        0,
        other,
        lambda out: last.append(out.rows.column(0).to_pylist()),
    )
    assert repr(given[-1][-1]) == repr(last[-1][-1])


def test_two_retractions_of_one_row_are_one(give: Give) -> None:
    listed = column(fn.LISTAGG, "k", VarCharType())
    changes = [("+I", row("a", 1)), ("+I", row("b", 2)), ("+I", row("b", 2)), ("-D", row("a", 1)), ("-D", row("a", 1))]
    assert give(operator([listed], ()), INPUT, changes)[-1] == ("+U", ("b,b",))


@pytest.mark.parametrize(
    ("aggregate", "changes", "message"),
    [
        (SUM, [row("a", 2**31 - 1), row("b", 5), row("a", 1)], "SUM overflows INT: SUM(v) of the group k = 'a'."),
        (
            column(fn.VAR_SAMP, "v", TinyIntType()),
            [row(None, 0), row("b", 5), row(None, 100)],
            "VAR_SAMP overflows TINYINT: VAR_SAMP(v) of the group k = NULL.",
        ),
    ],
    ids=["sum", "variance"],
)
@pytest.mark.parametrize("nets", [False, True])
def test_an_overflow_names_the_column_and_the_group(
    give: Give, aggregate: AggregateColumn, changes: list[Any], message: str, nets: bool
) -> None:
    for retracted in (True, False):
        totals = operator([COUNT, aggregate], nets_batches=nets, retracted=[retracted, retracted])
        for size in (1, 10):
            with pytest.raises(TableRuntimeException) as error:
                give(totals, INPUT, [("+I", change) for change in changes], size)
            assert error.value.message == message


def test_nothing_of_a_group_that_ended_is_left_in_its_next_life(give: Give) -> None:
    total = column(fn.SUM, "x", DoubleType())
    changes = [
        ("+I", row("a", 1, 1e16)),
        ("+I", row("a", 1, 1.0)),
        ("-D", row("a", 1, 1e16)),
        ("-D", row("a", 1, 1.0)),
        ("+I", row("a", 1, 0.5)),
    ]
    for size in (1, 2, 3, 10):
        assert give(operator([total]), INPUT, changes, size)[-1] == ("+I", ("a", 0.5))


def test_null_and_negative_zero_are_keys(give: Give) -> None:
    changes = [("+I", row(None, 1, -0.0)), ("+I", row(None, 1, 0.0)), ("+I", row(None, 1, math.nan)), ("+I", row(None, 1, None))]
    given = give(operator([COUNT], (0, 2)), INPUT, changes)
    assert [(kind, values[2]) for kind, values in given] == [("+I", 1), ("-U", 1), ("+U", 2), ("+I", 1), ("+I", 1)]


def test_one_group_over_all_rows_has_no_keys(give: Give) -> None:
    assert give(operator([COUNT], ()), INPUT, [("+I", row("a")), ("-D", row("a")), ("+I", row("b"))]) == [
        ("+I", (1,)),
        ("-D", (1,)),
        ("+I", (1,)),
    ]


def test_a_total_with_a_row_over_no_rows_is_updated_back_to_it(context: ExecutionContext) -> None:
    total = operator([SUM, COUNT], (), has_empty_row=True)
    state = total.create_state(context)
    given: list[object] = []

    def receive(batch: ChangeBatch) -> None:
        given.append(([] if batch.kinds is None else batch.kinds.tolist(), batch.rows.to_pylist()))

    total.start(state, receive)
    row_of_one = pa.RecordBatch.from_arrays([pa.array(["a"]), pa.array([5], pa.int32()), pa.array([1.0]), pa.array([True])], schema=INPUT)
    total.process(ChangeBatch(row_of_one), 0, state, receive)
    total.process(ChangeBatch(row_of_one, np.array([3], np.int8)), 0, state, receive)
    empty, one = {"a0": None, "a1": 0}, {"a0": 5, "a1": 1}
    assert given == [([], [empty]), ([1, 2], [empty, one]), ([1, 2], [one, empty])]


def test_grouping_sets_take_each_row_once_per_set_in_their_order(give: Give) -> None:
    given = give(operator([SUM], (0, 1), sets=[(0, 1), (0,), ()]), INPUT, [("+I", row("a", 1)), ("+I", row("a", 2))])
    assert given == [
        ("+I", ("a", 1, 1, 0)),
        ("+I", ("a", None, 1, 1)),
        ("+I", (None, None, 1, 3)),
        ("+I", ("a", 2, 2, 0)),
        ("-U", ("a", None, 1, 1)),
        ("+U", ("a", None, 3, 1)),
        ("-U", (None, None, 1, 3)),
        ("+U", (None, None, 3, 3)),
    ]


def test_results_that_are_large_together_are_made_in_parts(give: Give, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = operator([column(fn.LISTAGG, "k", VarCharType())], ())
    changes = [("+I", row(text)) for text in "abcdefgh"]
    whole = give(listed, INPUT, changes)
    monkeypatch.setattr(texts, "MOST_CHARACTERS", 4)
    assert give(listed, INPUT, changes) == whole
    assert whole[-1] == ("+U", ("a,b,c,d,e,f,g,h",))


def test_filters_and_distinct_arguments_select_the_rows_that_count(give: Give) -> None:
    columns = [
        column(fn.COUNT, "v", BigIntType(nullable=False), distinct=True),
        column(fn.SUM, "v", IntType(), filter=3),
        column(fn.SUM, "v", IntType(), distinct=True, filter=3),
    ]
    changes = [
        ("+I", row("a", 1)),
        ("+I", row("a", 1)),
        ("+I", row("a", 2, f=False)),
        ("-D", row("a", 1)),
        ("-D", row("a", 1)),
        ("-D", row("a", 2, f=False)),
    ]
    assert [values[1:] for kind, values in give(operator(columns), INPUT, changes) if kind != "-U"] == [
        (1, 1, 1),
        (1, 2, 1),
        (2, 2, 1),
        (2, 1, 1),
        (1, None, None),
        (1, None, None),
    ]


class Model:
    """The same row by row: keeps all rows of a group and recomputes its result."""

    def __init__(self) -> None:
        self.rows: dict[Any, list[tuple[Any, ...]]] = {}
        self.floats: dict[Any, float] = {}
        self.given: list[Change] = []

    def result(self, key: Any) -> tuple[Any, ...]:
        rows = self.rows[key]
        values = [r[1] for r in rows if r[1] is not None]
        numbers = [r[2] for r in rows if r[2] is not None]
        average = None if not values else int(sum(values) / len(values))
        return (
            key,
            len(rows),
            sum(values) if values else None,
            average,
            min(values, default=None),
            max(values, default=None),
            len(set(values)),
            self.floats.get(key, 0.0) if numbers else None,
            ",".join(str(r[0]) for r in rows if r[0] is not None) or None,
        )

    def push(self, kind: str, values: tuple[Any, ...]) -> None:
        key = values[0]
        old = self.result(key) if key in self.rows else None
        if kind[0] == "+":
            self.rows.setdefault(key, []).append(values)
            if values[2] is not None:
                self.floats[key] = self.floats.get(key, 0.0) + values[2]
        else:
            self.rows[key].remove(values)
            if values[2] is not None:
                self.floats[key] -= values[2]
            if not self.rows[key]:
                del self.rows[key]
                self.floats.pop(key, None)
        new = self.result(key) if key in self.rows else None
        if old is None:
            self.given.append(("+I", new or ()))
        elif new is None:
            self.given.append(("-D", old))
        elif old != new:
            self.given += [("-U", old), ("+U", new)]


@pytest.mark.parametrize("seed", rounds(6))
def test_changes_are_those_of_a_row_by_row_model_wherever_batches_are_cut(
    seed: int, give: Give, random_changelog: Callable[..., list[Change]]
) -> None:
    def random_row(chance: random.Random) -> tuple[Any, ...]:
        value = chance.choice([None, chance.randrange(-3, 4)])
        return row(chance.choice(["a", "b", "c", None]), value, chance.choice([None, 0.1, 1e16, -0.3, 2.5]))

    changes = random_changelog(seed, random_row)
    columns = [
        COUNT,
        SUM,
        column(fn.AVG, "v", IntType()),
        column(fn.MIN, "v", IntType()),
        column(fn.MAX, "v", IntType()),
        column(fn.COUNT, "v", BigIntType(nullable=False), distinct=True),
        column(fn.SUM, "x", DoubleType()),
        column(fn.LISTAGG, "k", VarCharType()),
    ]
    model = Model()
    for change in changes:
        model.push(*change)
    for size in (1, 2, 7, 1000):
        assert give(operator(columns), INPUT, changes, size) == model.given, f"seed {seed}, batches of {size}"
