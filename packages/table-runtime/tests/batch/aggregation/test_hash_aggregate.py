from __future__ import annotations

import math
import random
from collections import defaultdict
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableRuntimeException
from table_common.functions.builtin import aggregates as fn
from table_common.functions.builtin import bitmap as bitmaps
from table_common.types import ArrayType, BigIntType, DecimalType, DoubleType, IntType, LogicalType, MultisetType, TinyIntType, VarCharType
from table_runtime.batch.aggregation import hash_aggregate, keyed_aggregation
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.batch.aggregation.hash_aggregate import HashAggregate
from table_runtime.columns import batches

N, B, D, S, F = IntType(), BigIntType(), DecimalType(5, 2), VarCharType(), DoubleType()
FIELDS = [("k", pa.string()), ("i", pa.int32()), ("d", pa.decimal128(5, 2)), ("f", pa.float64()), ("p", pa.bool_())]
ROWS = [
    ("a", 1, Decimal("1.10"), 1.5, True),
    ("b", 2, Decimal("2.20"), math.nan, False),
    (None, None, None, 0.0, None),
    ("a", 2, Decimal("1.15"), 2.5, True),
    ("b", 2, None, 1.0, True),
    ("a", 1, Decimal("0.01"), -0.0, False),
]


def run(harness: Any, call: AggregateColumn, output: LogicalType, grouping: tuple[int, ...] = (0,), rows: Any = ROWS) -> dict[Any, Any]:
    source = harness.source(FIELDS, rows)
    schema = pa.schema([*(source.schema.field(i) for i in grouping), pa.field("r", to_arrow_type(output))])
    return {row[:-1]: row[-1] for row in harness.rows(HashAggregate(source, schema, grouping, [call]))}


@pytest.mark.parametrize(
    ("function", "args", "types", "output", "expected"),
    [
        (fn.COUNT, [], [], B, {"a": 3, "b": 2, None: 1}),
        (fn.COUNT, [2], [D], B, {"a": 3, "b": 1, None: 0}),
        (fn.SUM, [1], [N], N, {"a": 4, "b": 4, None: None}),
        (fn.SUM0, [1], [N], N, {"a": 4, "b": 4, None: 0}),
        (fn.AVG, [1], [N], N, {"a": 1, "b": 2, None: None}),
        (fn.SUM, [2], [D], DecimalType(38, 2), {"a": Decimal("2.26"), "b": Decimal("2.20"), None: None}),
        (fn.AVG, [2], [D], DecimalType(38, 6), {"a": Decimal("0.753333"), "b": Decimal("2.200000"), None: None}),
        (fn.MIN, [2], [D], D, {"a": Decimal("0.01"), "b": Decimal("2.20"), None: None}),
        (fn.MAX, [0], [S], S, {"a": "a", "b": "b", None: None}),
        (fn.FIRST_VALUE, [2], [D], D, {"a": Decimal("1.10"), "b": Decimal("2.20"), None: None}),
        (fn.LAST_VALUE, [1], [N], N, {"a": 1, "b": 2, None: None}),
        (fn.VAR_SAMP, [1], [N], N, {"a": 0, "b": 0, None: None}),
        (fn.ARRAY_AGG, [1], [N], ArrayType(N), {"a": [1, 2, 1], "b": [2, 2], None: [None]}),
        (fn.LISTAGG, [0], [S], S, {"a": "a,a,a", "b": "b,b", None: None}),
        (fn.JSON_ARRAYAGG_NULL_ON_NULL, [1], [N], S, {"a": "[1,2,1]", "b": "[2,2]", None: "[null]"}),
        (fn.JSON_ARRAYAGG_ABSENT_ON_NULL, [1], [N], S, {"a": "[1,2,1]", "b": "[2,2]", None: "[]"}),
        (bitmaps.BITMAP_BUILD_CARDINALITY_AGG, [1], [N], B, {"a": 2, "b": 1, None: None}),
        (fn.COLLECT, [1], [N], MultisetType(N), {"a": [(1, 2), (2, 1)], "b": [(2, 2)], None: []}),
    ],
)
def test_each_function_gives_its_result_per_group(harness: Any, function: Any, args: Any, types: Any, output: Any, expected: Any) -> None:
    assert run(harness, harness.aggregate(function, args, types, output), output) == {(key,): value for key, value in expected.items()}


def test_a_global_aggregate_over_no_rows_gives_one_row(harness: Any) -> None:
    assert run(harness, harness.aggregate(fn.COUNT, [], [], B), B, (), []) == {(): 0}
    assert run(harness, harness.aggregate(fn.SUM, [1], [N], N), N, (), []) == {(): None}


def test_a_grouped_aggregate_over_no_rows_gives_no_row(harness: Any) -> None:
    assert run(harness, harness.aggregate(fn.COUNT, [], [], B), B, (0,), []) == {}


def test_count_star_counts_rows_without_columns(harness: Any) -> None:
    source = harness.source([("a", pa.int32())], [(1,), (2,)])
    from table_runtime.steps.pipeline import Pipeline
    from table_runtime.steps.project import Project

    nothing = Pipeline.over(source, Project(pa.schema([]), lambda batch: []))
    call = harness.aggregate(fn.COUNT, [], [], B)
    assert harness.rows(HashAggregate(nothing, pa.schema([("c", pa.int64())]), (), [call])) == [(2,)]


def test_minus_zero_and_zero_are_one_group_and_nan_is_one(harness: Any) -> None:
    source = harness.source([("f", pa.float64())], [(0.0,), (-0.0,), (math.nan,), (-math.nan,), (None,), (None,)])
    call = harness.aggregate(fn.COUNT, [], [], B)
    rows = harness.rows(HashAggregate(source, pa.schema([("f", pa.float64()), ("c", pa.int64())]), (0,), [call]))
    assert sorted((str(key), count) for key, count in rows) == [("0.0", 2), ("None", 2), ("nan", 2)]


def test_lists_and_rows_can_be_keys(harness: Any) -> None:
    type_ = pa.list_(pa.struct([("x", pa.int32())]))
    source = harness.source([("l", type_)], [([{"x": 1}],), ([{"x": 1}],), ([],), (None,)])
    call = harness.aggregate(fn.COUNT, [], [], B)
    rows = harness.rows(HashAggregate(source, pa.schema([("l", type_), ("c", pa.int64())]), (0,), [call]))
    assert rows == [([{"x": 1}], 2), ([], 1), (None, 1)]


def test_max_is_nan_if_a_value_is_and_min_is_not(harness: Any) -> None:
    assert math.isnan(run(harness, harness.aggregate(fn.MAX, [3], [F], F), F)[("b",)])
    assert run(harness, harness.aggregate(fn.MIN, [3], [F], F), F)[("b",)] == 1.0


@pytest.mark.parametrize(
    ("type_", "arrow", "value"), [(TinyIntType(), pa.int8(), 100), (N, pa.int32(), 2**30 * 2 - 1), (B, pa.int64(), 2**62)]
)
def test_an_integer_sum_that_does_not_fit_is_an_error(harness: Any, type_: Any, arrow: Any, value: int) -> None:
    source = harness.source([("a", arrow)], [(value,), (value,)], batch_rows=1)
    with pytest.raises(TableRuntimeException, match="SUM overflows"):
        harness.rows(HashAggregate(source, pa.schema([("s", arrow)]), (), [harness.aggregate(fn.SUM, [0], [type_], type_)]))


def test_the_message_of_an_overflow_has_the_column_and_the_group(harness: Any) -> None:
    source = harness.source([("k", pa.string()), ("a", pa.int64())], [("x", 1), ("y", 2**62), (None, 2**62), ("y", 2**62)], batch_rows=1)
    total = harness.aggregate(fn.SUM, [1], [B], B)
    schema = pa.schema([("k", pa.string()), ("s", pa.int64())])
    with pytest.raises(TableRuntimeException, match=r"SUM overflows BIGINT: SUM\(a\) of the group k = 'y'\."):
        harness.rows(HashAggregate(source, schema, (0,), [harness.aggregate(fn.MAX, [1], [B], B), total][1:]))
    with pytest.raises(TableRuntimeException, match=r"SUM overflows BIGINT: SUM\(a\)\."):
        harness.rows(HashAggregate(source, pa.schema([("s", pa.int64())]), (), [total]))


def test_bigint_sums_may_overflow_on_the_way(harness: Any) -> None:
    source = harness.source([("a", pa.int64())], [(2**62,), (2**62,), (-(2**62),), (5,)], batch_rows=4)
    assert harness.rows(HashAggregate(source, pa.schema([("s", pa.int64())]), (), [harness.aggregate(fn.SUM, [0], [B], B)])) == [
        (2**62 + 5,)
    ]


def test_the_average_of_bigint_is_exact_where_the_sum_does_not_fit(harness: Any) -> None:
    source = harness.source([("a", pa.int64())], [(2**63 - 1,), (2**63 - 1,), (2**63 - 3,)])
    assert harness.rows(HashAggregate(source, pa.schema([("s", pa.int64())]), (), [harness.aggregate(fn.AVG, [0], [B], B)])) == [
        (2**63 - 2,)
    ]


def test_a_decimal_sum_that_does_not_fit_is_null(harness: Any) -> None:
    wide = DecimalType(38, 0)
    source = harness.source([("d", pa.decimal128(38, 0))], [(Decimal("9" * 38),)] * 3)
    schema = pa.schema([("s", pa.decimal128(38, 0))])
    assert harness.rows(HashAggregate(source, schema, (), [harness.aggregate(fn.SUM, [0], [wide], wide)])) == [(None,)]


def test_a_decimal_sum_that_is_0_over_no_rows_does_not_hide_an_overflow(harness: Any) -> None:
    wide = DecimalType(38, 0)
    source = harness.source([("d", pa.decimal128(38, 0))], [(Decimal("9" * 38),)] * 3)
    with pytest.raises(TableRuntimeException, match="SUM0 overflows DECIMAL"):
        harness.rows(HashAggregate(source, pa.schema([("s", pa.decimal128(38, 0))]), (), [harness.aggregate(fn.SUM0, [0], [wide], wide)]))


@pytest.mark.parametrize(
    ("values", "expected"), [(["0.01", "0.02"], "0.015"), (["0.01"] * 2 + ["0.03"], "0.017"), (["-0.01", "-0.02"], "-0.015")]
)
def test_the_average_of_decimals_is_rounded_half_up(harness: Any, values: list[str], expected: str) -> None:
    output = DecimalType(38, 3)
    source = harness.source([("d", pa.decimal128(5, 2))], [(Decimal(value),) for value in values])
    call = harness.aggregate(fn.AVG, [0], [D], output)
    assert harness.rows(HashAggregate(source, pa.schema([("s", pa.decimal128(38, 3))]), (), [call])) == [(Decimal(expected),)]


def test_distinct_filter_and_order_apply_to_their_call_only(harness: Any) -> None:
    calls = [
        (harness.aggregate(fn.COUNT, [1], [N], B, distinct=True), B),
        (harness.aggregate(fn.SUM, [1], [N], N, distinct=True), N),
        (harness.aggregate(fn.COUNT, [], [], B, filter_column=4), B),
        (harness.aggregate(fn.ARRAY_AGG, [1], [N], ArrayType(N), filter_column=4), ArrayType(N)),
        (harness.aggregate(fn.ARRAY_AGG, [1, 1], [N], ArrayType(N), orders=((False, False),)), ArrayType(N)),
        (harness.aggregate(fn.SUM, [1], [N], N), N),
    ]
    source = harness.source(FIELDS, ROWS)
    schema = pa.schema([source.schema.field(0), *(pa.field(f"r{i}", to_arrow_type(type_)) for i, (_, type_) in enumerate(calls))])
    rows = harness.rows(HashAggregate(source, schema, (0,), [call for call, _ in calls]))
    assert rows == [
        ("a", 2, 3, 2, [1, 2], [2, 1, 1], 4),
        ("b", 1, 2, 1, [2], [2, 2], 4),
        (None, 0, None, 0, None, [None], None),
    ]


def test_grouping_sets_keep_real_nulls_apart_by_the_grouping_id(harness: Any) -> None:
    source = harness.source([("a", pa.string()), ("b", pa.int32())], [("x", 1), ("x", 2), (None, 1)])
    schema = pa.schema([("a", pa.string()), ("b", pa.int32()), ("c", pa.int64()), ("d", pa.int64()), ("g", pa.int64())])
    calls = [harness.aggregate(fn.COUNT, [], [], B), harness.aggregate(fn.COUNT, [1], [N], B, distinct=True)]
    rows = harness.rows(HashAggregate(source, schema, (0, 1), calls, [(0, 1), (0,), ()]))
    assert rows == [
        ("x", 1, 1, 1, 0),
        ("x", 2, 1, 1, 0),
        (None, 1, 1, 1, 0),
        ("x", None, 2, 2, 1),
        (None, None, 1, 1, 1),
        (None, None, 3, 2, 3),
    ]


def test_states_of_many_runs_merge_to_what_one_run_gives(harness: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyed_aggregation, "MERGE_ROWS", 5)
    for name in ("FIRST_RUN_ROWS", "RUN_ROWS"):
        monkeypatch.setattr(f"table_runtime.batch.aggregation.hash_aggregate.{name}", 7)
    rng = random.Random(7)
    rows = [(rng.choice(["x", "y", None]), rng.randint(-50, 50), rng.random() * 1e6) for _ in range(400)]
    source = harness.source([("k", pa.string()), ("i", pa.int32()), ("f", pa.float64())], rows)
    calls = [
        (harness.aggregate(fn.SUM, [1], [N], N), N),
        (harness.aggregate(fn.STDDEV_SAMP, [2], [F], F), F),
        (harness.aggregate(fn.ARRAY_AGG, [1], [N], ArrayType(N)), ArrayType(N)),
        (harness.aggregate(fn.LAST_VALUE, [1], [N], N), N),
        (harness.aggregate(fn.COUNT, [1], [N], B, distinct=True), B),
    ]
    schema = pa.schema([source.schema.field(0), *(pa.field(f"r{i}", to_arrow_type(type_)) for i, (_, type_) in enumerate(calls))])
    found = {row[0]: row[1:] for row in harness.rows(HashAggregate(source, schema, (0,), [call for call, _ in calls]))}
    groups = defaultdict(list)
    for row in rows:
        groups[row[0]].append(row)
    for key, members in groups.items():
        integers = [row[1] for row in members]
        floats = [row[2] for row in members]
        mean = sum(floats) / len(floats)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in floats) / (len(floats) - 1))
        assert found[key][0] == sum(integers)
        assert found[key][1] == pytest.approx(deviation, rel=1e-9)
        assert found[key][2] == integers
        assert found[key][3:] == (integers[-1], len(set(integers)))


def test_a_key_twice_in_a_json_object_is_an_error(harness: Any) -> None:
    call = harness.aggregate(fn.JSON_OBJECTAGG_NULL_ON_NULL, [0, 1], [S, N], S)
    with pytest.raises(TableRuntimeException, match="occurs twice"):
        run(harness, call, S, (), ROWS[:2] + ROWS[3:])


def test_distinct_values_belong_to_their_group_when_keys_collide(harness: Any) -> None:
    rng = random.Random(7)
    rows = [(f"brand {rng.randint(0, 30)}", rng.randint(0, 60), rng.randint(0, 9)) for _ in range(5000)]
    source = harness.source([("a", pa.string()), ("b", pa.int32()), ("v", pa.int32())], rows, batch_rows=5000)
    calls = [harness.aggregate(fn.COUNT, [2], [N], B, distinct=True)]
    schema = pa.schema([source.schema.field(0), source.schema.field(1), pa.field("r", pa.int64())])
    expected: dict[Any, set[int]] = defaultdict(set)
    for *key, value in rows:
        expected[tuple(key)].add(value)
    found = {row[:2]: row[2] for row in harness.rows(HashAggregate(source, schema, (0, 1), calls))}
    assert found == {key: len(values) for key, values in expected.items()}


@pytest.mark.parametrize(("groups", "sizes"), [(2, [10] * 6), (9, [10, 10, 40])])
def test_the_groups_of_the_first_run_say_how_long_the_others_are(
    harness: Any, monkeypatch: pytest.MonkeyPatch, groups: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(hash_aggregate, "FIRST_RUN_ROWS", 5)
    monkeypatch.setattr(hash_aggregate, "RUN_ROWS", 50)
    monkeypatch.setattr(hash_aggregate, "FEW_GROUPS", 4)
    monkeypatch.setattr(hash_aggregate, "_RUNS", 1)
    runs: list[int] = []

    def rechunk(run: Any, schema: pa.Schema) -> pa.RecordBatch:
        runs.append(sum(batch.num_rows for batch in run))
        return batches.rechunk(run, schema)

    monkeypatch.setattr(hash_aggregate, "rechunk", rechunk)
    rows = [(number % groups, 1) for number in range(60)]
    source = harness.source([("k", pa.int32()), ("i", pa.int32())], rows, batch_rows=10)
    call = harness.aggregate(fn.SUM, [1], [N], N)
    schema = pa.schema([source.schema.field(0), pa.field("r", pa.int32())])
    found = harness.rows(HashAggregate(source, schema, (0,), [call]))
    assert sorted(runs) == sorted(sizes)
    assert sorted(found) == sorted((key, sum(one == key for one, _ in rows)) for key in range(groups))
