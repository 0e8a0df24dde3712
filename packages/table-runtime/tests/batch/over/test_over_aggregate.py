"""Window functions against their definitions: every frame is computed row by row in Python too."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_common.expressions import ValueLiteralExpression
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import aggregates as fn
from table_common.types import (
    ArrayType,
    BigIntType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    IntType,
    LogicalType,
    VarCharType,
    YearMonthIntervalType,
)
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.over import Bound, Frame, WindowFunction, frame_states
from table_runtime.batch.over.framed_aggregate import FramedAggregate
from table_runtime.batch.over.neighbors import EdgeValue, Neighbor
from table_runtime.batch.over.over_aggregate import OverAggregate, OverColumn, WindowGroup
from table_runtime.batch.over.ranking import NTile, Ranking, cume_dist, dense_rank, percent_rank, rank, row_number
from table_runtime.columns.ordering import SortKey

Row = tuple[Any, ...]
FIELDS = [
    ("id", pa.int32()),
    ("p", pa.int32()),
    ("k", pa.int32()),
    ("b", pa.int64()),
    ("d", pa.float64()),
    ("m", pa.decimal128(20, 2)),
    ("s", pa.string()),
]
TYPES: dict[str, LogicalType] = {"k": IntType(), "b": BigIntType(), "d": DoubleType(), "m": DecimalType(20, 2), "s": VarCharType()}
COLUMNS = [name for name, _ in FIELDS]
WHOLE = Frame(False, Bound(-1), Bound(1))
RUNNING = Frame(True, Bound(-1), Bound(0))


def number(value: int, type_: LogicalType | None = None) -> ValueLiteralExpression:
    return ValueLiteralExpression(value, type_ or IntType(nullable=False))


def rows_of(seed: int, count: int = 60) -> list[Row]:
    rng = random.Random(seed)
    return [
        (
            i,
            rng.choice([None, 1, 2, 3]),
            rng.choice([None, *range(12)]),
            rng.choice([None, -5, 2**62, 7, -(2**62)]) if i % 7 else 3,
            rng.choice([None, 0.5, 2.25, 1e-3, 7.0]),
            rng.choice([None, Decimal("1.25"), Decimal("-999999999999999999.99"), Decimal("0.01")]),
            rng.choice([None, "a", "b", "zz", "é"]),
        )
        for i in range(count)
    ]


def run(
    harness: Any,
    rows: Sequence[Row],
    columns: Sequence[tuple[OverColumn, pa.DataType]],
    order: Sequence[SortKey],
    partition: Sequence[int] = (1,),
) -> dict[int, Row]:
    """Returns the new columns by the row's id."""
    source = harness.source(FIELDS, rows, batch_rows=17)
    schema = pa.schema([*FIELDS, *((f"w{i}", type_) for i, (_, type_) in enumerate(columns))])
    found = harness.rows(
        OverAggregate(source, schema, [WindowGroup(tuple(partition), tuple(order), tuple(column for column, _ in columns))])
    )
    return {row[0]: row[len(FIELDS) :] for row in found}


def aggregate(
    function: FunctionDefinition,
    column: str | None,
    output: LogicalType,
    frame: Frame,
    *,
    distinct: bool = False,
    condition: int | None = None,
) -> tuple[OverColumn, pa.DataType]:
    types = () if column is None else (TYPES[column],)
    spec = AggregateSpec(function.name, types, output)
    args = () if column is None else (COLUMNS.index(column),)
    call = FramedAggregate(make_accumulator(function, spec), distinct=distinct)
    return OverColumn(call, args, frame, condition), spec.arrow_type


def place(function: WindowFunction, type_: pa.DataType, *args: int | pa.Scalar) -> tuple[OverColumn, pa.DataType]:
    return OverColumn(function, args), type_


# --- definitions ------------------------------------------------------------------------------------------------------------------


def valid(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def average(values: Sequence[Any]) -> Any:
    kept = valid(values)
    if not kept:
        return None
    if isinstance(kept[0], Decimal):
        return (sum(kept) / len(kept)).quantize(Decimal("0.000001"), ROUND_HALF_UP)
    if isinstance(kept[0], float):
        return math.fsum(kept) / len(kept)
    return int(abs(sum(kept)) // len(kept)) * (1 if sum(kept) >= 0 else -1)


def deviation(values: Sequence[Any]) -> Any:
    kept = valid(values)
    if not kept:
        return None
    mean = math.fsum(kept) / len(kept)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in kept) / len(kept))


Definition = Callable[[Sequence[Any]], Any]
CASES: dict[str, tuple[FunctionDefinition, str | None, LogicalType, bool, Definition]] = {
    "rows": (fn.COUNT, None, BigIntType(), False, len),
    "count": (fn.COUNT, "b", BigIntType(), False, lambda v: len(valid(v))),
    "distinct count": (fn.COUNT, "b", BigIntType(), True, lambda v: len(set(valid(v)))),
    "int sum": (fn.SUM, "k", IntType(), False, lambda v: sum(valid(v)) if valid(v) else None),
    "distinct sum": (fn.SUM, "k", IntType(), True, lambda v: sum(set(valid(v))) if valid(v) else None),
    "decimal sum": (fn.SUM, "m", DecimalType(38, 2), False, lambda v: sum(valid(v)) if valid(v) else None),
    "float sum": (fn.SUM, "d", DoubleType(), False, lambda v: math.fsum(valid(v)) if valid(v) else None),
    "big average": (fn.AVG, "b", BigIntType(), False, average),
    "decimal average": (fn.AVG, "m", DecimalType(38, 6), False, average),
    "float average": (fn.AVG, "d", DoubleType(), False, average),
    "text minimum": (fn.MIN, "s", VarCharType(), False, lambda v: min(valid(v), default=None)),
    "float maximum": (fn.MAX, "d", DoubleType(), False, lambda v: max(valid(v), default=None)),
    "decimal minimum": (fn.MIN, "m", DecimalType(20, 2), False, lambda v: min(valid(v), default=None)),
    "deviation": (fn.STDDEV_POP, "d", DoubleType(), False, deviation),
    "joined": (fn.LISTAGG, "s", VarCharType(), False, lambda v: ",".join(valid(v)) if valid(v) else None),
    "array": (fn.ARRAY_AGG, "k", ArrayType(IntType()), False, lambda v: list(v) if v else None),
}
FRAMES = {
    "whole": WHOLE,
    "running rows": Frame(False, Bound(-1), Bound(0)),
    "rows before": Frame(False, Bound(-1, number(3)), Bound(-1, number(1))),
    "rows around": Frame(False, Bound(-1, number(2)), Bound(1, number(2))),
    "rows behind": Frame(False, Bound(1, number(2)), Bound(1, number(20))),
    "rows to the end": Frame(False, Bound(0), Bound(1)),
    "running range": RUNNING,
    "peers": Frame(True, Bound(0), Bound(0)),
    "range around": Frame(True, Bound(-1, number(2)), Bound(1, number(1))),
    "range before": Frame(True, Bound(-1, number(5)), Bound(-1, number(2))),
    "range to the end": Frame(True, Bound(1, number(1)), Bound(1)),
}


def ordered_partitions(rows: Sequence[Row], order: SortKey) -> list[list[Row]]:
    partitions: dict[Any, list[Row]] = {}
    for row in rows:
        partitions.setdefault(row[1], []).append(row)
    sign = 1 if order.ascending else -1

    def key(row: Row) -> tuple[int, int]:
        return (int((row[2] is None) != order.nulls_first), 0 if row[2] is None else sign * row[2])

    return [sorted(partition, key=key) for partition in partitions.values()]


def frame_rows(partition: Sequence[Row], index: int, frame: Frame, order: SortKey) -> list[Row]:
    if not frame.is_range:
        low = 0 if frame.lower.side < 0 and frame.lower.distance is None else index + offset(frame.lower)
        high = len(partition) if frame.upper.side > 0 and frame.upper.distance is None else index + offset(frame.upper) + 1
        return list(partition[max(low, 0) : max(high, 0)])
    return [
        row
        for row in partition
        if (unbounded(frame.lower) or compare(row[2], partition[index][2], offset(frame.lower), order) >= 0)
        and (unbounded(frame.upper) or compare(row[2], partition[index][2], offset(frame.upper), order) <= 0)
    ]


def unbounded(bound: Bound) -> bool:
    return bound.side != 0 and bound.distance is None


def offset(bound: Bound) -> int:
    return bound.side * (bound.distance.value if bound.distance is not None else 0)


def compare(key: int | None, current: int | None, change: int, order: SortKey) -> int:
    """Returns whether a key comes before, at or after the current key moved in the direction of the order."""
    if key is None or current is None:
        return 0 if key is current else -1 if (key is None) == order.nulls_first else 1
    distance = (key - current) * (1 if order.ascending else -1) - change
    return (distance > 0) - (distance < 0)


def agree(found: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-7)
    return bool(found == expected)


def check_frames(harness: Any, case: str, frame: Frame, order: SortKey, rows: Sequence[Row]) -> None:
    function, column, output, distinct, define = CASES[case]
    found = run(harness, rows, [aggregate(function, column, output, frame, distinct=distinct)], [order])
    position = 0 if column is None else COLUMNS.index(column)
    for partition in ordered_partitions(rows, order):
        for index, row in enumerate(partition):
            expected = define([other[position] for other in frame_rows(partition, index, frame, order)])
            assert agree(found[row[0]][0], expected), (case, row, found[row[0]][0], expected)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", FRAMES)
def test_aggregates_over_frames_are_what_their_definition_says(harness: Any, case: str, name: str) -> None:
    check_frames(harness, case, FRAMES[name], SortKey(2), rows_of(1))


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize(("ascending", "nulls_first"), [(True, False), (False, False), (False, True)])
def test_frames_follow_the_order_and_its_nulls(harness: Any, name: str, ascending: bool, nulls_first: bool) -> None:
    check_frames(harness, "array", FRAMES[name], SortKey(2, ascending, nulls_first), rows_of(2))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", FRAMES)
def test_long_frames_are_put_together_from_merged_states(harness: Any, case: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_states, "MOST_PAIRS_PER_ROW", 0)
    monkeypatch.setattr(frame_states, "PAIRS_AT_ONCE", 13)
    monkeypatch.setattr(frame_states, "FRAMES_AT_ONCE", 16)
    check_frames(harness, case, FRAMES[name], SortKey(2), rows_of(3))


def simple_rows(keys: Sequence[Any], values: Sequence[Any] | None = None) -> list[Row]:
    return [(i, None, key, None, None, None, None if values is None else values[i]) for i, key in enumerate(keys)]


@pytest.mark.parametrize(
    ("function", "type_", "expected"),
    [
        (row_number, pa.int64(), [2, 1, 3, 4, 5]),
        (rank, pa.int64(), [2, 1, 2, 4, 5]),
        (dense_rank, pa.int64(), [2, 1, 2, 3, 4]),
        (percent_rank, pa.float64(), [0.25, 0.0, 0.25, 0.75, 1.0]),
        (cume_dist, pa.float64(), [0.6, 0.2, 0.6, 0.8, 1.0]),
    ],
)
def test_ranks(harness: Any, function: Any, type_: pa.DataType, expected: list[Any]) -> None:
    found = run(harness, simple_rows([5, None, 5, 8, 9]), [place(Ranking(function), type_)], [SortKey(2)])
    assert [found[i][0] for i in range(5)] == expected


def test_one_row_has_the_percent_rank_0(harness: Any) -> None:
    assert run(harness, simple_rows([5]), [place(Ranking(percent_rank), pa.float64())], [SortKey(2)]) == {0: (0.0,)}


@pytest.mark.parametrize(("buckets", "expected"), [(2, [1, 1, 1, 2, 2]), (3, [1, 1, 2, 2, 3]), (7, [1, 2, 3, 4, 5]), (1, [1, 1, 1, 1, 1])])
def test_buckets(harness: Any, buckets: int, expected: list[int]) -> None:
    found = run(harness, simple_rows(range(5)), [place(NTile(), pa.int64(), pa.scalar(buckets))], [SortKey(2)])
    assert [found[i][0] for i in range(5)] == expected


def test_no_buckets_are_an_error(harness: Any) -> None:
    with pytest.raises(TableRuntimeException, match="number of buckets above 0"):
        run(harness, simple_rows([0]), [place(NTile(), pa.int64(), 2)], [SortKey(0)])


@pytest.mark.parametrize(
    ("is_behind", "ignores_nulls", "args", "expected"),
    [
        (False, False, (), [None, "a", None, "b", None]),
        (True, False, (), [None, "b", None, "c", None]),
        (False, False, (pa.scalar(2),), [None, None, "a", None, "b"]),
        (False, False, (pa.scalar(1), pa.scalar("-")), ["-", "a", None, "b", None]),
        (False, True, (), [None, "a", "a", "b", "b"]),
        (True, True, (), ["b", "b", "c", "c", None]),
        (False, False, (pa.scalar(0),), ["a", None, "b", None, "c"]),
        (False, False, (0,), ["a", "a", "a", "a", "a"]),
        (False, False, (pa.scalar(None, pa.int32()), pa.scalar("-")), [None, None, None, None, None]),
    ],
)
def test_neighbors(harness: Any, is_behind: bool, ignores_nulls: bool, args: tuple[Any, ...], expected: list[Any]) -> None:
    function = Neighbor(pa.string(), is_behind=is_behind, ignores_nulls=ignores_nulls)
    found = run(harness, simple_rows(range(5), ["a", None, "b", None, "c"]), [place(function, pa.string(), 6, *args)], [SortKey(2)])
    assert [found[i][0] for i in range(5)] == expected


@pytest.mark.parametrize(
    ("is_last", "ignores_nulls", "expected"),
    [(False, True, ["a", "a", "b"]), (True, True, ["a", "b", "b"]), (False, False, ["a", "a", None]), (True, False, [None, "b", "b"])],
)
def test_first_and_last_values(harness: Any, is_last: bool, ignores_nulls: bool, expected: list[Any]) -> None:
    function = EdgeValue(pa.string(), is_last=is_last, ignores_nulls=ignores_nulls)
    column = OverColumn(function, (6,), Frame(False, Bound(-1, number(1)), Bound(1, number(1))))
    found = run(harness, simple_rows(range(3), ["a", None, "b"]), [(column, pa.string())], [SortKey(2)])
    assert [found[i][0] for i in range(3)] == expected


def test_a_filter_takes_rows_out_of_frames_only(harness: Any) -> None:
    source = harness.source([("x", pa.int32()), ("f", pa.bool_())], [(1, True), (2, None), (3, False), (4, True)])
    schema = pa.schema([("x", pa.int32()), ("f", pa.bool_()), ("n", pa.int64()), ("l", pa.list_(pa.int32()))])
    count = OverColumn(FramedAggregate(make_accumulator(fn.COUNT, AggregateSpec("COUNT", (), BigIntType()))), (), RUNNING, 1)
    items = AggregateSpec("ARRAY_AGG", (IntType(),), ArrayType(IntType()))
    array = OverColumn(FramedAggregate(make_accumulator(fn.ARRAY_AGG, items)), (0,), RUNNING, 1)
    found = harness.rows(OverAggregate(source, schema, [WindowGroup((), (SortKey(0),), (count, array))]))
    assert [row[2:] for row in found] == [(1, [1]), (1, [1]), (1, [1]), (2, [1, 4])]


def test_a_sum_that_does_not_fit_is_an_error(harness: Any) -> None:
    rows = [(i, 1, i, 2**62, None, None, None) for i in range(3)]
    with pytest.raises(TableRuntimeException, match="SUM overflows BIGINT"):
        run(harness, rows, [aggregate(fn.SUM, "b", BigIntType(), RUNNING)], [SortKey(2)])


def test_a_sum_fits_though_the_running_sum_does_not(harness: Any) -> None:
    rows = [(i, 1, i, 2**62, None, None, None) for i in range(6)]
    frame = Frame(False, Bound(0), Bound(0))
    assert set(run(harness, rows, [aggregate(fn.SUM, "b", BigIntType(), frame)], [SortKey(2)]).values()) == {(2**62,)}


def test_small_floats_survive_beside_large_ones(harness: Any) -> None:
    rows = [(i, 1, i, None, value, None, None) for i, value in enumerate([1e300, 1.0, 2.0, -1e300, 4.0])]
    found = run(harness, rows, [aggregate(fn.SUM, "d", DoubleType(), Frame(False, Bound(-1, number(1)), Bound(0)))], [SortKey(2)])
    assert [found[i][0] for i in (2, 4)] == [3.0, -1e300]
    assert found[1][0] == 1e300


@pytest.mark.parametrize(
    ("type_", "keys", "distance", "expected"),
    [
        (pa.date32(), [date(2020, 1, 31), date(2020, 2, 29), date(2020, 3, 31), None], number(1, YearMonthIntervalType()), [1, 2, 2, 1]),
        (pa.date32(), [date(2020, 1, 31), date(2020, 2, 1), date(2020, 3, 31), None], number(86_400 * 10**9, DayTimeIntervalType()), [1, 2, 1, 1]),
        (pa.timestamp("ms"), [datetime(2020, 1, 1), datetime(2020, 1, 1, 1), datetime(2020, 1, 1, 3), None], number(3600 * 10**9, DayTimeIntervalType()), [1, 2, 1, 1]),
        (pa.timestamp("s"), [datetime(2020, 1, 1), datetime(2020, 1, 1, 0, 0, 1), datetime(2021, 1, 1), None], number(5 * 10**8, DayTimeIntervalType()), [1, 1, 1, 1]),
        (pa.decimal128(5, 2), [Decimal("1.00"), Decimal("1.50"), Decimal("9.00"), None], ValueLiteralExpression(Decimal("0.5"), DecimalType(6, 3)), [1, 2, 1, 1]),
        (pa.float64(), [1.0, math.nan, math.inf, None], ValueLiteralExpression(1.0, DoubleType()), [1, 1, 1, 1]),
        (pa.int64(), [2**63 - 1, 2**63 - 2, -(2**63), None], number(1, BigIntType()), [2, 1, 1, 1]),
    ],
)  # fmt: skip
def test_ranges_of_other_types(
    harness: Any, type_: pa.DataType, keys: list[Any], distance: ValueLiteralExpression, expected: list[int]
) -> None:
    schema = pa.schema([("k", type_), ("n", pa.int64())])
    source = harness.source([("k", type_)], [(key,) for key in keys])
    frame = Frame(True, Bound(-1, distance), Bound(0))
    count = FramedAggregate(make_accumulator(fn.COUNT, AggregateSpec("COUNT", (), BigIntType())))
    found = harness.rows(OverAggregate(source, schema, [WindowGroup((), (SortKey(0),), (OverColumn(count, (), frame),))]))
    assert [row[1] for row in found] == expected


def test_partitions_of_nan_and_of_zeros_of_both_signs(harness: Any) -> None:
    schema = pa.schema([("f", pa.float64()), ("n", pa.int64())])
    source = harness.source([("f", pa.float64())], [(0.0,), (math.nan,), (-0.0,), (None,), (math.nan,)])
    count = FramedAggregate(make_accumulator(fn.COUNT, AggregateSpec("COUNT", (), BigIntType())))
    found = harness.rows(OverAggregate(source, schema, [WindowGroup((0,), (), (OverColumn(count, (), WHOLE),))]))
    assert [row[1] for row in found] == [2, 2, 2, 1, 2]


def test_rows_come_out_as_they_came_in(harness: Any) -> None:
    rows = rows_of(4)
    source = harness.source(FIELDS, rows)
    schema = pa.schema([*FIELDS, ("n", pa.int64())])
    found = harness.rows(OverAggregate(source, schema, [WindowGroup((1,), (SortKey(2),), (OverColumn(Ranking(row_number)),))]))
    assert [row[: len(FIELDS)] for row in found] == rows


def test_no_rows_give_no_rows(harness: Any) -> None:
    assert run(harness, [], [aggregate(fn.SUM, "k", IntType(), RUNNING)], [SortKey(2)]) == {}


def test_cancelling_stops_the_window(harness: Any, endless: Any) -> None:
    from table_common.exceptions import JobCancelledException

    harness.context.token.cancel()
    with pytest.raises(JobCancelledException):
        harness.rows(
            OverAggregate(
                endless, pa.schema([("a", pa.int64()), ("n", pa.int64())]), [WindowGroup((), (), (OverColumn(Ranking(row_number)),))]
            )
        )
    assert endless.is_closed
