"""One call of a user function: which NULLs skip it, its one opened copy, its end, and its metrics."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionContext, ScalarFunction, as_user_function, set_metric_receiver
from table_common.types import parse_logical_type
from table_runtime.udf import Invocation

Reports = list[tuple[str, dict[str, tuple[str, Any]]]]


def invocation_of(function: Any, *types: str, context: FunctionContext | None = None) -> Invocation:
    argument_types = [parse_logical_type(text) for text in types]
    return Invocation(as_user_function(function), argument_types, parse_logical_type("BIGINT"), context)


class Mixed(ScalarFunction):
    def eval(self, a: int, b: int | None, c: int, *more: str) -> int:
        return 0


def test_null_skips_the_call_where_the_parameter_does_not_take_it() -> None:
    assert invocation_of(Mixed, "BIGINT", "BIGINT", "BIGINT NOT NULL", "STRING", "STRING NOT NULL", "STRING").skipping == [0, 3, 5]
    assert invocation_of(Mixed, "BIGINT NOT NULL", "BIGINT", "BIGINT NOT NULL").skipping == []


def test_an_argument_is_named_after_its_parameter() -> None:
    invocation = invocation_of(Mixed, "BIGINT", "BIGINT", "BIGINT", "STRING", "STRING")
    assert [invocation.where(position) for position in (0, 4)] == ["argument 'a' of Mixed", "argument 'more' of Mixed"]


class Overloaded(ScalarFunction):
    def eval(self, a: int, b: tuple[int, ...]) -> int:
        return 0


def test_each_argument_has_the_conversion_that_its_parameter_asks_for() -> None:
    plain, to_tuple = invocation_of(Overloaded, "BIGINT", "ARRAY<BIGINT>").readers()
    assert plain is None
    assert to_tuple is not None
    assert to_tuple([1, 2]) == (1, 2)


class Counting(ScalarFunction):
    """Says what happened to it."""

    events: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self.opened = 0

    def open(self, function_context: FunctionContext) -> None:
        self.opened += 1
        Counting.events.append(f"open {function_context.get_task_name()}")
        self.counter = function_context.get_metric_group().counter("calls")

    def eval(self, a: int) -> int:
        self.counter.inc()
        return a

    def close(self) -> None:
        self.counter.inc(100)
        Counting.events.append("close")


@pytest.fixture(autouse=True)
def _no_events() -> None:
    Counting.events.clear()


@pytest.fixture
def reports() -> Iterator[Reports]:
    found: Reports = []
    set_metric_receiver(lambda function, changes: found.append((function, dict(changes))))
    yield found
    set_metric_receiver(None)


def test_the_function_is_a_copy_that_is_opened_before_its_first_call_and_once() -> None:
    original = Counting()
    invocation = invocation_of(original, "BIGINT")
    assert Counting.events == []
    threads = [threading.Thread(target=invocation.function) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert invocation.function() is invocation.function()
    assert invocation.function() is not original
    assert (original.opened, invocation.function().opened) == (0, 1)
    assert Counting.events == ["open Counting"]


def test_the_function_is_closed_when_the_invocation_goes_and_only_if_it_was_opened() -> None:
    invocation = invocation_of(Counting, "BIGINT")
    del invocation
    assert Counting.events == []
    invocation = invocation_of(Counting, "BIGINT")
    invocation.function()
    del invocation
    assert Counting.events == ["open Counting", "close"]


def test_changes_of_metrics_are_reported_after_each_use_and_at_the_end(reports: Reports) -> None:
    invocation = invocation_of(Counting, "BIGINT")
    with invocation.lock, invocation.in_use():
        invocation.function().eval(1)
        invocation.function().eval(2)
    with invocation.in_use():
        """Nothing was counted."""
    del invocation
    assert [(name, changes["calls"][1]) for name, changes in reports] == [("Counting", 2), ("Counting", 100)]


class Fails(Counting):
    def eval(self, a: int) -> int:
        return super().eval(a) // 0


def test_a_use_that_fails_reports_what_was_counted(reports: Reports) -> None:
    invocation = invocation_of(Fails, "BIGINT")
    with pytest.raises(ZeroDivisionError), invocation.in_use():
        invocation.function().eval(1)
    assert [changes["calls"][1] for _, changes in reports] == [1]


class FailsToOpen(ScalarFunction):
    attempts: ClassVar[int] = 0

    def open(self, function_context: FunctionContext) -> None:
        FailsToOpen.attempts += 1
        if FailsToOpen.attempts == 1:
            raise ConnectionError("no such host")

    def eval(self, a: int) -> int:
        return a


def test_a_function_that_cannot_be_opened_is_an_error_and_is_tried_again() -> None:
    FailsToOpen.attempts = 0
    invocation = invocation_of(FailsToOpen, "BIGINT")
    with pytest.raises(TableRuntimeException, match=r"The function FailsToOpen\.open failed.*: ConnectionError: no such host") as failure:
        invocation.function()
    assert isinstance(failure.value.__cause__, ConnectionError)
    assert invocation.function().eval(3) == 3


def test_the_function_is_given_the_context_of_the_task() -> None:
    context = FunctionContext({"k": "v"}, task_name="join 7")
    invocation_of(Counting, "BIGINT", context=context).function()
    assert Counting.events[0] == "open join 7"


def test_a_function_asks_for_its_arguments_to_be_masked() -> None:
    class Masked(Counting):
        masks_arguments = True

    assert invocation_of(Masked, "BIGINT").masked
    assert not invocation_of(Counting, "BIGINT").masked
