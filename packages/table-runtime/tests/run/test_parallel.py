"""Functions over many items, on the threads of a run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from table_runtime.run.execution import ExecutionContext
from table_runtime.run.parallel import map_all, map_ordered


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_are_in_the_order_of_the_items(threads: int) -> None:
    with closing(ExecutionContext(parallelism=threads)) as context:
        assert list(map_ordered(str, iter(range(100)), context)) == [str(number) for number in range(100)]
        assert map_all(str, range(100), context) == [str(number) for number in range(100)]
        assert map_all(str, [], context) == []


def test_a_stream_that_is_closed_early_closes_its_items() -> None:
    is_closed = []

    def items() -> Iterator[int]:
        try:
            yield from range(1000)
        finally:
            is_closed.append(True)

    with closing(ExecutionContext(parallelism=2)) as context:
        results = map_ordered(str, items(), context)
        assert next(results) == "0"
        results.close()  # type: ignore[attr-defined]  # a generator
    assert is_closed == [True]


def test_tasks_may_wait_for_tasks() -> None:
    with closing(ExecutionContext(parallelism=2)) as context:

        def total(depth: int) -> int:
            return 1 if depth == 0 else sum(map_all(total, [depth - 1] * 3, context))

        assert map_all(total, [4] * 4, context) == [81] * 4
        assert list(map_ordered(total, iter([4] * 4), context)) == [81] * 4


def test_an_error_of_one_of_many_tasks_ends_the_others() -> None:
    calls: list[int] = []

    def fail(number: int) -> None:
        calls.append(number)
        if number == 1:
            raise ValueError(number)

    with closing(ExecutionContext(parallelism=3)) as context, pytest.raises(ValueError, match="1"):
        map_all(fail, range(50), context)
    assert {0, 1} <= set(calls)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(f"table-{context.job_id[:8]}")]
