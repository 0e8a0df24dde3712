"""Aggregates are bundled with those that see the same rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.functions.builtin import aggregates as fn
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn, bundles_of
from table_runtime.columns.keys import KeyCodec
from table_runtime.run.execution import ExecutionContext

B = BigIntType()
FIELDS = [("k", pa.string()), ("v", pa.int64()), ("f", pa.float64()), ("p", pa.bool_())]


def call(function: Any, *args: int, distinct: bool = False, filter_: int | None = None) -> AggregateColumn:
    spec = AggregateSpec(function.name, tuple(B for _ in args), B)
    return AggregateColumn(make_accumulator(function, spec), args, distinct, filter_)


def kinds(harness: Any, calls: list[AggregateColumn], grouping: tuple[int, ...] = (0,), *, is_one_set: bool = True) -> list[str]:
    source = harness.source(FIELDS, [])
    codec = KeyCodec([source.schema.field(i).type for i in grouping])
    bundles = bundles_of(calls, grouping, codec, source.schema, ExecutionContext(), source, is_one_set=is_one_set)
    return [type(bundle).__name__.lstrip("_") for bundle in bundles]


def test_plain_calls_are_one_bundle_which_is_always_there(harness: Any) -> None:
    assert kinds(harness, [call(fn.SUM, 1), call(fn.COUNT), call(fn.MAX, 1, filter_=3)]) == ["Bundle"]
    assert kinds(harness, [call(fn.SUM, 1, distinct=True)]) == ["Bundle", "DistinctBundle"]


def test_calls_with_the_same_distinct_arguments_and_filter_are_one_bundle(harness: Any) -> None:
    calls = [call(fn.SUM, 1, distinct=True), call(fn.COUNT, 1, distinct=True), call(fn.COUNT, 1, distinct=True, filter_=3)]
    assert kinds(harness, calls) == ["Bundle", "DistinctBundle", "CountedBundle"]


@pytest.mark.parametrize(
    ("args", "grouping", "is_one_set", "counted"),
    [
        ((1,), (0,), True, True),
        ((0,), (1,), True, True),
        ((1,), (0,), False, False),
        ((1,), (), True, False),
        ((1,), (0, 3), True, False),
        ((2,), (0,), True, False),
        ((1, 3), (0,), True, False),
    ],
)
def test_counts_of_one_column_by_one_key_are_counted(
    harness: Any, args: tuple[int, ...], grouping: tuple[int, ...], is_one_set: bool, counted: bool
) -> None:
    found = kinds(harness, [call(fn.COUNT, *args, distinct=True)], grouping, is_one_set=is_one_set)
    assert found == ["Bundle", "CountedBundle" if counted else "DistinctBundle"]
