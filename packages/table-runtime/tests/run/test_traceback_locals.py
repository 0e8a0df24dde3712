"""An error that is kept holds no rows of its job."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from table_runtime.cancellation import CancellationToken
from table_runtime.run.threads import Task
from table_runtime.run.traceback_locals import forget_locals


class Rows:
    """Stands for rows."""


@pytest.fixture(autouse=True)
def without_garbage_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def module(name: str) -> dict[str, Any]:
    """Returns a module with a function that fails while it holds rows in a variable."""
    variables: dict[str, Any] = {"__name__": name}
    exec("def fail(make, error):\n    rows = make()\n    raise error", variables)
    return variables


def failure(name: str, error: BaseException) -> tuple[Callable[[], None], list[weakref.ref[Rows]]]:
    made: list[weakref.ref[Rows]] = []

    def make() -> Rows:
        rows = Rows()
        made.append(weakref.ref(rows))
        return rows

    return lambda: module(name)["fail"](make, error), made


def test_variables_of_our_functions_are_forgotten() -> None:
    run, made = failure("table_runtime.batch.any", ValueError("bad"))
    with pytest.raises(ValueError, match="bad") as caught:
        run()
    assert made[0]() is not None
    forget_locals(caught.value)
    assert made[0]() is None


def test_variables_of_a_cause_are_forgotten() -> None:
    run, made = failure("table_runtime.batch.any", ValueError("bad"))
    error = RuntimeError("failed")
    try:
        run()
    except ValueError as cause:
        error.__cause__ = cause
        cause.__cause__ = error  # a circle, which programs can make
    forget_locals(error)
    assert made[0]() is None


def test_variables_of_user_functions_are_kept_for_debuggers() -> None:
    run, made = failure("program", ValueError("bad"))
    with pytest.raises(ValueError, match="bad") as caught:
        run()
    forget_locals(caught.value)
    assert made[0]() is not None


def test_a_failed_task_holds_no_rows() -> None:
    run, made = failure("table_runtime.batch.any", ValueError("bad"))
    task = Task(run, CancellationToken())
    task.run()
    assert made[0]() is None
    with pytest.raises(ValueError, match="bad"):
        task.result()
