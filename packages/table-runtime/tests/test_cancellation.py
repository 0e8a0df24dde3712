from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from table_common.exceptions import JobCancelledException
from table_runtime.aggregates import Reduction
from table_runtime.cancellation import CancellationToken, calling, current_check
from table_runtime.operators import grouping
from table_runtime.operators.execution import ExecutionContext
from table_runtime.operators.parallel import map_ordered
from table_runtime.operators.prefetch import prefetch


def ended_by_cancelling(work: Callable[[], object], token: CancellationToken, started: threading.Event) -> type[BaseException] | None:
    """Runs the work on a thread, cancels once it has started, and returns what ended it; None if it goes on."""
    ends: list[type[BaseException]] = []

    def run() -> None:
        try:
            token.run(work)
        except BaseException as error:
            ends.append(type(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(10)
    token.cancel()
    thread.join(10)
    return ends[0] if ends else None


def test_cancelling_ends_a_loop_of_python_that_asks_for_nothing() -> None:
    started = threading.Event()

    def work() -> None:
        started.set()
        while True:
            try:
                time.sleep(0)
            except Exception:
                continue

    assert ended_by_cancelling(work, CancellationToken(), started) is JobCancelledException


def test_a_thread_that_has_left_the_run_is_not_interrupted() -> None:
    token = CancellationToken()
    token.run(lambda: None)
    token.cancel()
    assert sum(range(100_000)) == 4_999_950_000
    with pytest.raises(JobCancelledException):
        token.run(lambda: None)


def test_a_token_names_the_functions_that_are_being_called() -> None:
    token = CancellationToken()

    def work() -> list[str]:
        with calling("the function F"):
            return token.called_functions

    assert token.run(work) == ["the function F"]
    assert token.called_functions == []


def test_outside_of_a_run_nothing_is_cancelled() -> None:
    current_check()()


def test_a_stuck_function_holds_up_neither_the_reader_nor_the_end_of_the_run() -> None:
    context = ExecutionContext(parallelism=2)
    release = threading.Event()
    stuck = threading.Event()

    def function(number: int) -> int:
        stuck.set()
        release.wait()
        return number

    def cancel() -> None:
        stuck.wait(10)
        context.token.cancel()

    threading.Thread(target=cancel).start()
    try:
        with pytest.raises(JobCancelledException):
            list(map_ordered(function, range(4), context))
        context.close()
        assert not release.is_set()
    finally:
        release.set()


def test_a_stuck_source_holds_up_no_reader() -> None:
    context = ExecutionContext(parallelism=2)
    release = threading.Event()
    stuck = threading.Event()

    def stream() -> Iterator[pa.RecordBatch]:
        stuck.set()
        release.wait()
        yield pa.record_batch({"a": [1]})

    def cancel() -> None:
        stuck.wait(10)
        context.token.cancel()

    threading.Thread(target=cancel).start()
    try:
        with pytest.raises(JobCancelledException):
            list(prefetch([stream, stream], context))
    finally:
        release.set()


def test_grouping_many_rows_stops_between_two_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "ROWS_AT_ONCE", 10)
    token = CancellationToken()
    column = pa.array(range(1000))

    def group() -> None:
        token.cancel()
        grouping.reduce_groups([column], [Reduction(column, "sum")], len(column))

    with pytest.raises(JobCancelledException):
        token.run(group)


def test_grouping_in_slices_gives_ordered_functions_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "ROWS_AT_ONCE", 7)
    keys, values = pa.array([number % 3 for number in range(100)]), pa.array(range(100))
    (found,), (lists,), count = grouping.reduce_groups([keys], [Reduction(values, "list")], 100)
    assert count == 3
    assert dict(zip(found.to_pylist(), lists.to_pylist(), strict=True)) == {key: list(range(key, 100, 3)) for key in range(3)}
