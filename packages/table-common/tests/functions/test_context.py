"""What a function learns about the task that runs it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from table_common.exceptions import TableException
from table_common.functions import FunctionContext, RunningTask, set_task_source


@pytest.fixture(autouse=True)
def no_source() -> Iterator[None]:
    yield
    set_task_source(None)


def test_without_an_engine_there_is_one_task() -> None:
    context = FunctionContext(task_name="f")
    assert (
        context.get_task_name(),
        context.get_task_name_with_subtasks(),
        context.get_number_of_parallel_subtasks(),
        context.get_max_number_of_parallel_subtasks(),
        context.get_index_of_this_subtask(),
        context.get_attempt_number(),
    ) == ("f", "f (1/1)#0", 1, 1, 0, 0)


def test_the_task_is_that_of_the_moment() -> None:
    context = FunctionContext()
    set_task_source(lambda: RunningTask(3, 1, 8))
    assert context.get_task_name_with_subtasks() == "task (4/8)#1"
    set_task_source(lambda: RunningTask(5, 0, 8))
    assert (context.get_index_of_this_subtask(), context.get_attempt_number()) == (5, 0)


def test_number_of_tasks_that_an_engine_does_not_tell_is_an_error() -> None:
    set_task_source(lambda: RunningTask(3, 0, None))
    context = FunctionContext(task_name="f")
    assert context.get_task_name_with_subtasks() == "f (4/?)#0"
    with pytest.raises(TableException, match="How many tasks run a function is not known"):
        context.get_max_number_of_parallel_subtasks()
