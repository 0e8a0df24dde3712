"""Lookups through an asynchronous function: concurrent requests, their timeout, failures and cancellation."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine, Iterable, Iterator
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import columnar_rows, from_python_rows, import_batch, to_arrow_schema
from table_common.connector import AsyncLookupFunction, AsyncLookupFunctionProvider, SupportsArrowArray
from table_common.data import RowData
from table_common.exceptions import JobCancelledException, TableRuntimeException
from table_common.functions import FunctionContext
from table_common.types import BigIntType, RowType, VarCharType
from table_runtime.batch.lookup_join import LookupLimits, LookupSpec
from table_runtime.batch.lookup_join import async_finder as async_finder_module
from table_runtime.batch.lookup_join.async_finder import AsyncFinder
from table_runtime.batch.lookup_join.finders import Found, Waiting
from table_runtime.expressions import EvaluationContext, Evaluator

PRODUCED = RowType.of([("id", BigIntType()), ("name", VarCharType())], nullable=False)
TABLE = {1: ["one"], 2: ["two", "zwei"], 3: ["three"]}
FOUND = [(0, 2, "two"), (0, 2, "zwei"), (2, 1, "one")]


class Function(AsyncLookupFunction):
    """Shared by all copies, so that a test sees the calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __deepcopy__(self, memo: Any) -> Function:
        return self

    async def open(self, context: FunctionContext) -> None:
        self.calls.append(("open", context.get_job_parameter("region", "")))

    async def close(self) -> None:
        self.calls.append("close")


class Rows(Function):
    """Answers later requests first, and counts the requests at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.running = self.most = 0

    async def async_lookup(self, key_row: RowData) -> Iterable[RowData]:
        key = key_row.get_long(0)
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(10 - key):
            await asyncio.sleep(0)
        self.running -= 1
        return columnar_rows(from_python_rows([(key, name) for name in TABLE.get(key, [])], PRODUCED), PRODUCED)


class Batches(Function):
    async def async_lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
        values = import_batch(keys).column(0).to_pylist()
        self.calls.append(values)
        rows = [(position, key, name) for position, key in enumerate(values) for name in TABLE.get(key, [])]
        columns: Any = list(zip(*rows, strict=True)) or [(), (), ()]
        types = (pa.int32(), pa.int64(), pa.string())
        return pa.RecordBatch.from_arrays([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names=["p", "id", "name"])


class Blocked(Function):
    """Never answers; knows whether its request was cancelled."""

    was_cancelled = False

    async def async_lookup(self, key_row: RowData) -> Iterable[RowData]:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return []


class Failing(Rows):
    """Fails for the key 9 as often as ``times``."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    async def async_lookup(self, key_row: RowData) -> Iterable[RowData]:
        if key_row.get_long(0) == 9 and self.times:
            self.times -= 1
            raise ConnectionError("gone")
        return await super().async_lookup(key_row)


class Finders:
    """Makes open finders, and closes them."""

    def __init__(self) -> None:
        self.open: list[AsyncFinder] = []

    def __call__(self, function: AsyncLookupFunction, check: Any = lambda: None, *, max_retries: int = 0, **settings: Any) -> AsyncFinder:
        provider = AsyncLookupFunctionProvider(function, max_retries)
        schema = to_arrow_schema(PRODUCED)
        options = LookupLimits(job_parameters={"region": "north"}, **settings)
        evaluator = Evaluator([], EvaluationContext())
        spec = LookupSpec("table dim", provider, schema, schema, PRODUCED, (0,), evaluator, False, settings=options)
        finder = AsyncFinder(spec, provider, Waiting(check, lambda _seconds: None))
        finder.open()
        self.open.append(finder)
        return finder


@pytest.fixture
def finder() -> Iterator[Finders]:
    finders = Finders()
    yield finders
    for each in finders.open:
        each.close()


def keys(*values: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(values, pa.int64())], schema=pa.schema([pa.field("id", pa.int64(), nullable=False)]))


def rows_of(found: Found) -> list[tuple[Any, ...]]:
    return list(zip(found.keys.to_pylist(), *(column.to_pylist() for column in found.rows.columns), strict=True))


@pytest.mark.parametrize("make", [Rows, Batches])
def test_rows_are_in_the_order_of_their_keys(finder: Finders, make: type[Function]) -> None:
    assert rows_of(finder(make()).find(keys(2, 9, 1))) == FOUND


@pytest.mark.parametrize("make", [Rows, Batches])
def test_keys_of_a_slice_are_those_of_the_slice(finder: Finders, make: type[Function]) -> None:
    assert rows_of(finder(make()).find(keys(3, 2, 9, 1).slice(1))) == FOUND


@pytest.mark.parametrize("make", [Rows, Batches])
def test_no_keys_find_no_rows(finder: Finders, make: type[Function]) -> None:
    found = finder(make()).find(keys())
    assert (rows_of(found), found.rows.schema) == ([], to_arrow_schema(PRODUCED))


def test_many_keys_of_a_batched_function_are_several_requests(finder: Finders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(async_finder_module, "KEYS_AT_ONCE", 2)
    function = Batches()
    assert rows_of(finder(function).find(keys(2, 9, 1))) == FOUND
    assert function.calls[1:] == [[2, 9], [1]]


@pytest.mark.parametrize("capacity", [1, 2])
def test_at_most_the_capacity_of_requests_run_at_the_same_time(finder: Finders, capacity: int) -> None:
    function = Rows()
    finder(function, capacity=capacity).find(keys(1, 2, 3, 4, 5))
    assert function.most == capacity


def test_the_function_is_opened_once_with_the_parameters_of_the_job(finder: Finders) -> None:
    function = Rows()
    each = finder(function)
    each.find(keys(1))
    each.find(keys(2))
    assert function.calls == [("open", "north")]


def test_a_lookup_works_where_the_thread_already_runs_an_event_loop(finder: Finders) -> None:
    async def notebook() -> Found:
        return finder(Rows()).find(keys(2, 9, 1))

    assert rows_of(asyncio.run(notebook())) == FOUND


def test_a_request_that_takes_too_long_is_an_error(finder: Finders) -> None:
    with pytest.raises(TableRuntimeException, match=r"A lookup in table dim took longer than 0\.01 s \(table\.exec\.async-lookup\.timeout"):
        finder(Blocked(), timeout=timedelta(milliseconds=10)).find(keys(1))


def test_a_timeout_of_the_function_itself_is_an_error(finder: Finders) -> None:
    class TimesOut(Function):
        async def async_lookup_batch(self, keys: SupportsArrowArray) -> SupportsArrowArray:
            raise TimeoutError("the server is slow")

    with pytest.raises(TableRuntimeException, match="Looking up rows of table dim failed"):
        finder(TimesOut()).find(keys(1))


def test_a_failed_lookup_is_retried_with_a_function_that_is_opened_again(finder: Finders) -> None:
    function = Failing(1)
    assert rows_of(finder(function, max_retries=1).find(keys(2, 9, 1))) == FOUND
    assert function.calls == [("open", "north"), "close", ("open", "north")]


def test_the_error_of_the_last_attempt_is_reported(finder: Finders) -> None:
    with pytest.raises(TableRuntimeException, match="Looking up rows of table dim failed 2 times: ConnectionError: gone"):
        finder(Failing(2), max_retries=1).find(keys(9))


def test_a_failed_request_cancels_the_others(finder: Finders) -> None:
    class OneFails(Blocked):
        async def async_lookup(self, key_row: RowData) -> Iterable[RowData]:
            if key_row.get_long(0) == 9:
                raise ConnectionError("gone")
            return await super().async_lookup(key_row)

    function = OneFails()
    with pytest.raises(TableRuntimeException, match="gone"):
        finder(function).find(keys(1, 9))
    assert function.was_cancelled


def cancelled() -> None:
    raise JobCancelledException("The job was cancelled.")


def test_a_cancelled_job_ends_the_wait_for_an_answer(finder: Finders) -> None:
    with pytest.raises(JobCancelledException):
        finder(Blocked(), cancelled).find(keys(1))


def test_a_cancelled_lookup_is_not_retried(finder: Finders) -> None:
    function = Blocked()
    with pytest.raises(JobCancelledException):
        finder(function, cancelled, max_retries=3).find(keys(1))
    assert function.calls == [("open", "north")]


def test_an_answer_that_arrives_at_the_end_of_a_wait_is_used(finder: Finders, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wait for the result times out, and the result arrives before it is checked."""

    class Late(concurrent.futures.Future[Any]):
        def __init__(self, future: concurrent.futures.Future[Any]) -> None:
            super().__init__()
            self._future = future

        def result(self, timeout: float | None = None) -> Any:
            if timeout is None:
                return self._future.result()
            self._future.result()
            raise TimeoutError

        def done(self) -> bool:
            return self._future.done()

    run = asyncio.run_coroutine_threadsafe

    def run_late(work: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Late:
        return Late(run(work, loop))

    each = finder(Rows())
    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "run_coroutine_threadsafe", run_late)
        assert rows_of(each.find(keys(2, 9, 1))) == FOUND


def test_closing_a_finder_closes_its_function_and_ends_its_thread(finder: Finders) -> None:
    function = Rows()
    each = finder(function)
    each.find(keys(1))
    each.close()
    assert function.calls[-1] == "close"
    assert "table-lookup" not in [thread.name for thread in threading.enumerate()]


def test_a_finder_without_a_lookup_closes_no_function(finder: Finders) -> None:
    function = Rows()
    finder(function).close()
    assert function.calls == []


def test_a_function_that_fails_to_close_leaves_no_thread(finder: Finders) -> None:
    class Broken(Rows):
        async def close(self) -> None:
            raise OSError("stuck")

    each = finder(Broken())
    each.find(keys(1))
    with pytest.raises(OSError, match="stuck"):
        each.close()
    assert "table-lookup" not in [thread.name for thread in threading.enumerate()]
