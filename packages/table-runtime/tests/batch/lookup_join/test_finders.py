"""Lookups of distinct keys: through functions, with retries, from a cache and from a table in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import columnar_rows, from_python_rows, import_batch, to_arrow_schema
from table_common.connector import (
    CacheReloadTrigger,
    DefaultLookupCache,
    FileScanProvider,
    FullCachingLookupProvider,
    LookupFunction,
    LookupFunctionProvider,
    PeriodicCacheReloadTrigger,
    SupportsArrowArray,
)
from table_common.data import RowData
from table_common.exceptions import JobCancelledException, TableException, TableRuntimeException, ValidationException
from table_common.functions import FunctionContext
from table_common.types import ArrayType, BigIntType, IntType, LogicalType, MapType, RowType, TimestampType, VarCharType
from table_runtime.batch.lookup_join import LookupLimits, LookupSpec
from table_runtime.batch.lookup_join import finders as finders_module
from table_runtime.batch.lookup_join.finders import (
    CachedFinder,
    CallingFinder,
    Finder,
    Found,
    TableFinder,
    Waiting,
    checked,
    repeat_failures,
    rows_of_keys,
    together,
)
from table_runtime.expressions import EvaluationContext, Evaluator

PRODUCED = RowType.of([("id", BigIntType()), ("name", VarCharType())], nullable=False)
TABLE = {1: ["one"], 2: ["two", "zwei"], 3: ["three"]}
NO_WAIT = Waiting(pause=lambda _seconds: None)


def lookup_spec(produced: RowType = PRODUCED, key_columns: tuple[int, ...] = (0,)) -> LookupSpec:
    schema = to_arrow_schema(produced)
    provider = LookupFunctionProvider(LookupFunction())
    settings = LookupLimits(job_parameters={"region": "north"})
    return LookupSpec(
        "table dim", provider, schema, schema, produced, key_columns, Evaluator([], EvaluationContext()), False, settings=settings
    )


SPEC = lookup_spec()


def keys(*values: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(values, pa.int64())], schema=SPEC.key_schema)


def pairs(found: Found) -> list[tuple[Any, ...]]:
    """(position of the key, then the row), sorted."""
    return sorted(zip(found.keys.to_pylist(), *(column.to_pylist() for column in found.rows.columns), strict=True))


def answer(values: Iterable[int]) -> pa.RecordBatch:
    rows = [(position, key, name) for position, key in enumerate(values) for name in TABLE.get(key, ())]
    columns: Any = list(zip(*rows, strict=True)) or [(), (), ()]
    types = (pa.int32(), pa.int64(), pa.string())
    return pa.RecordBatch.from_arrays([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names=["p", "id", "name"])


class Recording(LookupFunction):
    """Shared by all copies, so that a test sees the calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __deepcopy__(self, memo: Any) -> Recording:
        return self

    def open(self, context: FunctionContext) -> None:
        self.calls.append(("open", context.get_job_parameter("region", "")))

    def close(self) -> None:
        self.calls.append("close")


class Batches(Recording):
    def lookup_batch(self, key_rows: SupportsArrowArray) -> SupportsArrowArray:
        values = import_batch(key_rows).column(0).to_pylist()
        self.calls.append(values)
        return answer(values)


class Rows(Recording):
    def lookup(self, key_row: RowData) -> Iterable[RowData]:
        key = key_row.get_long(0)
        return columnar_rows(from_python_rows([(key, name) for name in TABLE.get(key, [])], PRODUCED), PRODUCED)


def calling_finder(function: LookupFunction, waiting: Waiting = NO_WAIT, **options: Any) -> CallingFinder:
    return CallingFinder(SPEC, LookupFunctionProvider(function, **options), waiting)


FOUND = [(0, 2, "two"), (0, 2, "zwei"), (2, 1, "one")]


@pytest.mark.parametrize("function", [Batches(), Rows()], ids=["batches", "rows"])
def test_rows_have_the_positions_of_their_keys(function: LookupFunction) -> None:
    assert pairs(calling_finder(function).find(keys(2, 9, 1))) == FOUND


@pytest.mark.parametrize("function", [Batches(), Rows()], ids=["batches", "rows"])
def test_keys_of_a_slice_are_those_of_the_slice(function: LookupFunction) -> None:
    assert pairs(calling_finder(function).find(keys(3, 2, 9, 1).slice(1))) == FOUND


def test_many_keys_are_looked_up_in_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finders_module, "KEYS_AT_ONCE", 2)
    function = Batches()
    assert pairs(calling_finder(function).find(keys(2, 9, 1))) == FOUND
    assert function.calls[1:] == [[2, 9], [1]]


def test_no_keys_find_no_rows_and_open_no_function() -> None:
    function = Batches()
    assert pairs(calling_finder(function).find(keys())) == []
    assert function.calls == []


def test_a_function_is_opened_once_with_the_parameters_of_the_job() -> None:
    function = Batches()
    finder = calling_finder(function)
    finder.find(keys(1))
    finder.find(keys(1))
    assert function.calls == [("open", "north"), [1], [1]]


def test_closing_a_finder_closes_its_function_once() -> None:
    function = Batches()
    finder = calling_finder(function)
    finder.find(keys(1))
    finder.close()
    finder.close()
    assert function.calls.count("close") == 1


def test_a_cancelled_job_makes_no_further_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finders_module, "KEYS_AT_ONCE", 1)
    function = Batches()

    def check() -> None:
        if function.calls:
            raise JobCancelledException("The job was cancelled.")

    with pytest.raises(JobCancelledException):
        calling_finder(function, Waiting(check)).find(keys(1, 2))
    assert function.calls == [("open", "north"), [1]]


class Failures:
    """Raises the errors one after the other, then returns a result."""

    RESULT = Found(pa.array([], pa.int64()), from_python_rows([], PRODUCED))

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.attempts = 0
        self.resets = 0
        self.pauses: list[float] = []

    def call(self) -> Found:
        self.attempts += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.RESULT

    def reset(self) -> None:
        self.resets += 1

    def run(self, max_retries: int) -> Found:
        provider = LookupFunctionProvider(LookupFunction(), max_retries, timedelta(seconds=1))
        return repeat_failures(SPEC, provider, Waiting(pause=self.pauses.append), self.call, self.reset)


def test_a_failed_lookup_is_retried_until_it_succeeds() -> None:
    assert Failures(OSError("a"), TableRuntimeException("b")).run(2) is Failures.RESULT


def test_the_delay_doubles_with_each_retry() -> None:
    failures = Failures(OSError(), OSError(), OSError())
    failures.run(3)
    assert failures.pauses == [1, 2, 4]


def test_the_function_is_reset_before_each_retry_only() -> None:
    failures = Failures(OSError(), OSError(), OSError())
    with pytest.raises(TableRuntimeException):
        failures.run(2)
    assert (failures.attempts, failures.resets) == (3, 2)


def test_a_failing_reset_does_not_hide_the_failure() -> None:
    failures = Failures(OSError("first"))
    failures.reset = lambda: 1 // 0  # type: ignore[method-assign,assignment,return-value]  # a broken function
    assert failures.run(1) is Failures.RESULT


@pytest.mark.parametrize(
    ("retries", "text"),
    [(0, "Looking up rows of table dim failed: OSError: gone"), (1, "Looking up rows of table dim failed 2 times: OSError: gone")],
)
def test_the_error_of_the_last_attempt_is_reported(retries: int, text: str) -> None:
    with pytest.raises(TableRuntimeException) as caught:
        Failures(OSError("gone"), OSError("gone")).run(retries)
    assert str(caught.value) == text


@pytest.mark.parametrize("error", [ValidationException("wrong"), TableException("wrong"), JobCancelledException("cancelled")])
def test_an_error_that_a_retry_cannot_repair_is_raised_at_once(error: Exception) -> None:
    failures = Failures(error)
    with pytest.raises(type(error)) as caught:
        failures.run(3)
    assert caught.value is error
    assert failures.attempts == 1


def test_columns_are_converted_to_the_types_of_the_table() -> None:
    batch = pa.RecordBatch.from_arrays(
        [pa.array([0], pa.int8()), pa.array([1], pa.int64()), pa.array(["x"], pa.large_string())], names=["p", "a", "b"]
    )
    assert checked(batch, 1, SPEC).rows.schema == to_arrow_schema(PRODUCED)


def test_a_result_without_rows_is_accepted() -> None:
    assert pairs(checked(answer([]), 0, SPEC)) == []


@pytest.mark.parametrize(
    "columns",
    [[], [pa.array([0])], [pa.array([0]), pa.array([1])], [pa.array(["0"]), pa.array([1]), pa.array(["x"])]],
    ids=["none", "position only", "too few", "text as position"],
)
def test_other_columns_are_refused(columns: list[pa.Array]) -> None:
    batch = pa.RecordBatch.from_arrays(columns, names=[f"c{i}" for i in range(len(columns))])
    with pytest.raises(ValidationException, match=r"Expected: the position of the key \(an integer\), then id BIGINT, name STRING"):
        checked(batch, 1, SPEC)


@pytest.mark.parametrize(("position", "text"), [(None, "NULL"), (-1, "-1"), (2, "2")])
def test_a_position_that_is_not_that_of_a_key_is_refused(position: int | None, text: str) -> None:
    columns = [pa.array([0, position], pa.int64()), pa.array([1, 2]), pa.array(["x", "y"])]
    with pytest.raises(TableRuntimeException, match=rf"key position {text}\. Expected: positions from 0 to 1"):
        checked(pa.RecordBatch.from_arrays(columns, names=["p", "id", "name"]), 2, SPEC)


def test_a_key_without_a_result_has_no_rows() -> None:
    row = next(iter(columnar_rows(from_python_rows([(7, "x")], PRODUCED), PRODUCED)))
    assert pairs(rows_of_keys([None, [row], []], SPEC)) == [(1, 7, "x")]


def test_no_results_together_are_an_empty_batch_of_the_table() -> None:
    assert together([], PRODUCED).rows.schema == to_arrow_schema(PRODUCED)


def test_results_together_have_all_rows() -> None:
    parts = [Found(pa.array([position]), from_python_rows([(position, "x")], PRODUCED)) for position in range(3)]
    assert pairs(together(parts, PRODUCED)) == [(0, 0, "x"), (1, 1, "x"), (2, 2, "x")]


def cached(function: Recording, **options: Any) -> CachedFinder:
    return CachedFinder(SPEC, calling_finder(function), DefaultLookupCache(**options))


def test_a_cached_key_is_not_looked_up_again() -> None:
    function = Batches()
    finder = cached(function)
    finder.find(keys(2, 9))
    assert pairs(finder.find(keys(9, 1, 2))) == [(1, 1, "one"), (2, 2, "two"), (2, 2, "zwei")]
    assert function.calls[1:] == [[2, 9], [1]]


def test_all_keys_from_the_cache_call_no_function() -> None:
    function = Batches()
    finder = cached(function)
    finder.find(keys(2, 9, 1))
    assert pairs(finder.find(keys(2, 9, 1))) == FOUND
    assert function.calls[1:] == [[2, 9, 1]]


class Reversed(Recording):
    """Returns the rows of later keys first."""

    def lookup_batch(self, key_rows: SupportsArrowArray) -> SupportsArrowArray:
        batch = answer(import_batch(key_rows).column(0).to_pylist())
        return batch.take(pa.array(range(batch.num_rows - 1, -1, -1), pa.int64()))


def test_a_cache_stores_the_rows_of_each_key_in_any_order_of_the_result() -> None:
    finder = cached(Reversed())
    finder.find(keys(2, 9, 1))
    assert pairs(finder.find(keys(1, 2))) == [(0, 1, "one"), (1, 2, "two"), (1, 2, "zwei")]


def test_rows_of_a_cache_are_stored_in_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finders_module, "KEPT_TOGETHER", 1)
    finder = cached(Batches())
    finder.find(keys(1, 2, 3))
    assert pairs(finder.find(keys(3, 2, 1))) == [(0, 3, "three"), (1, 2, "two"), (1, 2, "zwei"), (2, 1, "one")]


class Fixed(Finder):
    """Finds one row for the first key."""

    def __init__(self, rows: pa.RecordBatch) -> None:
        self.rows = rows
        self.calls = 0

    def find(self, keys: pa.RecordBatch) -> Found:
        self.calls += 1
        return Found(pa.array([0], pa.int64()), self.rows)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (ArrayType(IntType()), [1, None]),
        (MapType(VarCharType(), ArrayType(IntType())), {"a": [1]}),
        (RowType.of([("a", RowType.of([("b", IntType())]))]), ((1,),)),
        (TimestampType(9), datetime(2020, 1, 1)),
    ],
    ids=["array", "map", "row", "nanoseconds"],
)
def test_keys_of_any_type_are_cached(type_: LogicalType, value: Any) -> None:
    produced = RowType.of([("id", type_)], nullable=False)
    spec = lookup_spec(produced)
    batch = from_python_rows([(value,)], produced)
    inner = Fixed(batch)
    finder = CachedFinder(spec, inner, DefaultLookupCache())
    found = [finder.find(pa.RecordBatch.from_arrays(batch.columns, schema=spec.key_schema)) for _ in range(2)]
    assert [part.rows.num_rows for part in found] == [1, 1]
    assert inner.calls == 1


def table_finder(contents: list[Any], trigger: CacheReloadTrigger | None = None, now: Any = None) -> TableFinder:
    """Each scan yields the next element of ``contents``: rows in batches."""

    def read() -> Iterator[pa.RecordBatch]:
        return iter([from_python_rows(rows, PRODUCED) for rows in contents.pop(0)])

    provider = FullCachingLookupProvider(FileScanProvider(("/none",), "csv", PRODUCED, PRODUCED), trigger)
    return TableFinder(SPEC, provider, read, **({} if now is None else {"now": now}))


def test_a_table_in_memory_finds_all_rows_of_a_key() -> None:
    finder = table_finder([[[(1, "one"), (2, "two")], [(2, "zwei"), (None, "no key")]]])
    assert pairs(finder.find(keys(2, 9, 1))) == FOUND


def test_a_table_with_distinct_keys_finds_one_row_for_each() -> None:
    finder = table_finder([[[(1, "one"), (2, "two")]]])
    assert pairs(finder.find(keys(2, 1))) == [(0, 2, "two"), (1, 1, "one")]


def test_an_empty_table_finds_no_rows() -> None:
    assert pairs(table_finder([[]]).find(keys(1))) == []


def test_without_a_trigger_the_table_is_read_once() -> None:
    contents: list[Any] = [[[(1, "old")]], [[(1, "new")]]]
    finder = table_finder(contents)
    finder.find(keys(1))
    assert pairs(finder.find(keys(1))) == [(0, 1, "old")]


def test_the_table_is_read_again_when_its_reload_is_due() -> None:
    times = iter([datetime(2020, 1, 1, 0, 0, second, tzinfo=UTC) for second in (0, 59)] + [datetime(2020, 1, 1, 0, 1, tzinfo=UTC)] * 2)
    finder = table_finder([[[(1, "old")]], [[(1, "new")]]], PeriodicCacheReloadTrigger(timedelta(minutes=1)), lambda: next(times))
    assert [pairs(finder.find(keys(1)))[0][2] for _ in range(3)] == ["old", "old", "new"]


def test_a_closed_finder_releases_the_table() -> None:
    contents: list[Any] = [[[(1, "old")]], [[(1, "new")]]]
    finder = table_finder(contents)
    finder.find(keys(1))
    finder.close()
    assert pairs(finder.find(keys(1))) == [(0, 1, "new")]
