"""Lookup joins as both engines run them, with functions that count, fail and wait."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import columnar_rows, from_python_rows, import_batch, to_arrow_schema, to_python_rows
from table_common.connector import (
    AsyncLookupFunction,
    AsyncLookupFunctionProvider,
    DefaultLookupCache,
    LookupFunction,
    LookupFunctionProvider,
    LookupTableSource,
    PartialCachingLookupProvider,
    SupportsArrowArray,
)
from table_common.data import RowData
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.functions import FunctionContext
from table_common.types import BigIntType, RowType, VarCharType
from table_runtime.batch.lookup_join import LookupJoiner, LookupLimits, LookupSpec
from table_runtime.batch.lookup_join.finders import Waiting
from table_runtime.expressions import EvaluationContext, Evaluator

LEFT = RowType.of([("k", BigIntType()), ("v", VarCharType())], nullable=False)
PRODUCED = RowType.of([("id", BigIntType()), ("name", VarCharType())], nullable=False)
OUTPUT = RowType((*LEFT.fields, *PRODUCED.fields), nullable=False)
TABLE = {1: ["one"], 2: ["two", "zwei"], 3: ["three"]}
CALLS: list[Any] = []
PAUSES: list[float] = []


@pytest.fixture(autouse=True)
def _nothing_happened() -> None:
    CALLS.clear()
    PAUSES.clear()


def answer(keys: SupportsArrowArray) -> pa.RecordBatch:
    asked = import_batch(keys).column(0).to_pylist()
    CALLS.append(asked)
    rows = [(number, key, name) for number, key in enumerate(asked) for name in TABLE.get(key, [])]
    numbers, ids, names = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.RecordBatch.from_arrays(
        [pa.array(numbers, pa.int32()), pa.array(ids, pa.int64()), pa.array(names, pa.string())], names=["n", "id", "name"]
    )


class Batches(LookupFunction):
    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        return answer(keys)


class Rows(LookupFunction):
    def lookup(self, key_row: RowData) -> Iterable[RowData]:
        key = key_row.get_long(0)
        CALLS.append(key)
        return columnar_rows(from_python_rows([(key, name) for name in TABLE.get(key, [])], PRODUCED), PRODUCED)


class Failing(LookupFunction):
    """Fails some times, whichever copy is asked."""

    def __init__(self, times: int) -> None:
        self.times = times

    def open(self, context: FunctionContext) -> None:
        CALLS.append("open")

    def close(self) -> None:
        CALLS.append("close")

    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        if CALLS.count("open") <= self.times:
            raise ConnectionError("the line is dead")
        return answer(keys)


class Async(AsyncLookupFunction):
    """Answers later keys first."""

    running = 0
    most = 0

    async def async_lookup(self, key_row: RowData) -> Iterable[RowData]:
        key = key_row.get_long(0)
        Async.running += 1
        Async.most = max(Async.most, Async.running)
        for _ in range(10 - key):
            await asyncio.sleep(0)
        Async.running -= 1
        return columnar_rows(from_python_rows([(key, name) for name in TABLE.get(key, [])], PRODUCED), PRODUCED)


class Endless(AsyncLookupFunction):
    async def async_lookup(self, key_row: RowData) -> Iterable[RowData]:
        await asyncio.Event().wait()
        return []


def spec(provider: LookupTableSource.LookupRuntimeProvider, *, keeps_left: bool = False, **settings: Any) -> LookupSpec:
    key = Evaluator([FieldReferenceExpression("k", BigIntType(), 0, 0)], EvaluationContext())
    schemas = to_arrow_schema(LEFT), to_arrow_schema(OUTPUT)
    return LookupSpec("table dim", provider, *schemas, PRODUCED, (0,), key, keeps_left, settings=LookupLimits(**settings))


def join(lookup: LookupSpec, rows: list[tuple[Any, ...]], batch_rows: int = 100) -> list[tuple[Any, ...]]:
    def batches() -> Iterator[pa.RecordBatch]:
        for start in range(0, len(rows), batch_rows):
            yield from_python_rows(rows[start : start + batch_rows], LEFT)

    joiner = pickle.loads(pickle.dumps(LookupJoiner(lookup)))
    return list(to_python_rows(joiner.process(batches(), Waiting(pause=PAUSES.append)), OUTPUT))


ORDERS = [(1, "a"), (2, "b"), (9, "c"), (None, "d"), (1, "e")]
JOINED = [(1, "a", 1, "one"), (2, "b", 2, "two"), (2, "b", 2, "zwei"), (1, "e", 1, "one")]


def test_rows_without_a_partner_are_dropped_and_each_key_is_asked_once() -> None:
    assert join(spec(LookupFunctionProvider(Batches())), ORDERS) == JOINED
    assert CALLS == [[1, 2, 9]]


def test_a_left_join_keeps_rows_without_a_partner() -> None:
    found = join(spec(LookupFunctionProvider(Batches()), keeps_left=True), ORDERS)
    assert sorted(found, key=str) == sorted([*JOINED, (9, "c", None, None), (None, "d", None, None)], key=str)


def test_a_function_for_single_rows_is_asked_for_each_key_once() -> None:
    assert join(spec(LookupFunctionProvider(Rows())), ORDERS) == JOINED
    assert CALLS == [1, 2, 9]


def test_an_asynchronous_function_gives_results_in_order() -> None:
    assert join(spec(AsyncLookupFunctionProvider(Async())), ORDERS) == JOINED


def test_no_more_requests_are_under_way_than_the_capacity() -> None:
    Async.most = 0
    join(spec(AsyncLookupFunctionProvider(Async()), capacity=2), ORDERS)
    assert Async.most == 2


def test_a_request_that_takes_too_long_fails_the_job() -> None:
    with pytest.raises(TableRuntimeException, match=r"longer than 0.01 s"):
        join(spec(AsyncLookupFunctionProvider(Endless()), timeout=timedelta(milliseconds=10)), ORDERS)


def test_a_failed_lookup_is_tried_again_with_a_function_opened_anew() -> None:
    provider = LookupFunctionProvider(Failing(2), max_retries=2, retry_delay=timedelta(seconds=3))
    assert join(spec(provider), ORDERS) == JOINED
    assert CALLS == ["open", "close", "open", "close", "open", [1, 2, 9], "close"]
    assert PAUSES == [3, 6]


def test_a_lookup_that_fails_too_often_is_one_error() -> None:
    provider = LookupFunctionProvider(Failing(3), max_retries=2)
    with pytest.raises(TableRuntimeException, match="Looking up rows of table dim failed 3 times: ConnectionError: the line is dead"):
        join(spec(provider), ORDERS)
    assert CALLS[-1] == "close"


def test_lookups_that_find_nothing_are_repeated_as_the_hint_says() -> None:
    found = join(spec(LookupFunctionProvider(Batches()), miss_attempts=3, miss_delay=timedelta(seconds=7)), ORDERS)
    assert found == JOINED
    assert CALLS == [[1, 2, 9], [9], [9]]
    assert PAUSES == [7, 7]


def test_a_cache_is_asked_before_the_function() -> None:
    provider = PartialCachingLookupProvider(Batches(), cache=DefaultLookupCache())
    many = ORDERS * 60_000  # more than one run of rows
    assert len(join(spec(provider), many, batch_rows=50_000)) == len(JOINED) * 60_000
    assert CALLS == [[1, 2, 9]]


class Numbers(LookupFunction):
    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        asked = import_batch(keys).column(0).to_pylist()
        CALLS.append(len(asked))
        rows = [(number, key, f"{key}/{n}") for number, key in enumerate(asked) for n in range(key % 4 if key % 1000 else 700)]
        return pa.RecordBatch.from_arrays([pa.array(column) for column in zip(*rows, strict=True)], names=["n", "id", "name"])


def test_what_a_cache_keeps_of_many_keys_are_the_rows_of_each() -> None:
    orders = [(key, "v") for key in (*range(2_500), *range(3_000, 0, -1))]
    provider = PartialCachingLookupProvider(Numbers(), cache=DefaultLookupCache(maximum_size=3_000))
    cached = join(spec(provider), orders * 30, batch_rows=66_000)
    calls = CALLS.copy()
    assert cached == join(spec(LookupFunctionProvider(Numbers())), orders * 30, batch_rows=66_000)
    assert calls[0] == 3_001
    assert len(calls) > 1  # some were dropped


def test_a_cache_that_keeps_no_missing_keys_asks_for_them_again() -> None:
    provider = PartialCachingLookupProvider(Batches(), cache=DefaultLookupCache(cache_missing_key=False))
    join(spec(provider), ORDERS * 60_000, batch_rows=150_000)
    assert CALLS == [[1, 2, 9], [9]]


class Wrong(LookupFunction):
    def __init__(self, *columns: pa.Array) -> None:
        self.columns = columns

    def lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        return pa.RecordBatch.from_arrays(list(self.columns), names=[f"c{i}" for i in range(len(self.columns))])


def test_a_function_that_gives_other_columns_is_told_which() -> None:
    function = Wrong(pa.array([1]), pa.array(["x"]))
    with pytest.raises(ValidationException, match=r"returned the columns c0 int64, c1 string\. Expected: the position of the key"):
        join(spec(LookupFunctionProvider(function)), ORDERS)


def test_a_row_for_no_key_is_refused() -> None:
    function = Wrong(pa.array([7]), pa.array([1]), pa.array(["x"]))
    with pytest.raises(TableRuntimeException, match=r"key position 7\. Expected: positions from 0 to 2"):
        join(spec(LookupFunctionProvider(function)), ORDERS)


def test_a_function_that_defines_nothing_is_told_what_to_define() -> None:
    with pytest.raises(ValidationException, match="defines neither lookup_batch nor lookup"):
        join(spec(LookupFunctionProvider(LookupFunction())), ORDERS)


def test_no_rows_open_nothing() -> None:
    assert join(spec(LookupFunctionProvider(Failing(9))), []) == []
    assert CALLS == []
