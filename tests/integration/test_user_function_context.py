"""The context of functions on both engines: cached files and metrics."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_api import TableEnvironment, TableRuntimeException, ValidationException
from table_api.udf import AggregateFunction, FunctionContext, ScalarFunction, function_metrics
from table_common.functions import reset_function_metrics

MakeEnv = Callable[[str], TableEnvironment]
pytestmark = pytest.mark.parametrize("planner", ["arrow", "spark"])


@pytest.fixture(autouse=True)
def no_metrics() -> Iterator[None]:
    reset_function_metrics()
    yield
    reset_function_metrics()


def rows(env: TableEnvironment, sql: str) -> list[tuple[Any, ...]]:
    with env.execute_sql(sql).collect() as found:
        return [tuple(row) for row in found]


class Greeting(ScalarFunction):
    def open(self, function_context: FunctionContext) -> None:
        path = Path(function_context.get_cached_file("words"))
        self.word = (path / "one.txt" if path.is_dir() else path).read_text()

    def eval(self, name: str) -> str:
        return f"{self.word} {name}"


def test_cached_file_is_there_when_the_function_opens(planner: str, make_env: MakeEnv, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("hello")
    env = make_env(planner)
    env.register_cached_file(str(tmp_path / "one.txt"), "words")
    env.create_temporary_function("greet", Greeting)
    assert rows(env, "SELECT greet(x) FROM (VALUES ('you')) AS t(x)") == [("hello you",)]


def test_folder_may_be_a_cached_file(planner: str, make_env: MakeEnv, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("hi")
    env = make_env(planner)
    env.get_config().set("pipeline.cached-files", f"name:words,path:file://{tmp_path};name:other,path:{tmp_path}")
    env.create_temporary_function("greet", Greeting)
    assert rows(env, "SELECT greet(x) FROM (VALUES ('you')) AS t(x)") == [("hi you",)]


def test_file_that_was_not_registered_is_an_error_that_shows_how(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("greet", Greeting)
    with pytest.raises(TableRuntimeException, match=r"greet\.open failed.*Cached file 'words' does not exist"):
        rows(env, "SELECT greet(x) FROM (VALUES ('you')) AS t(x)")


def test_file_that_does_not_exist_is_not_registered(planner: str, make_env: MakeEnv) -> None:
    with pytest.raises(ValidationException, match="The cached file '/no/such/file' does not exist"):
        make_env(planner).register_cached_file("/no/such/file", "words")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("pipeline.cached-files", "name:one", "has a file without name or path: 'name:one'"),
        ("pipeline.global-job-parameters", "greeting", "has 'greeting', which is not a pair of key and value"),
    ],
)
def test_invalid_options_are_refused(option: str, value: str, message: str, planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("greet", Greeting)
    env.get_config().set(option, value)
    with pytest.raises(ValidationException, match=re.escape(message)):
        rows(env, "SELECT greet(x) FROM (VALUES ('you')) AS t(x)")


class Measured(ScalarFunction):
    def open(self, function_context: FunctionContext) -> None:
        group = function_context.get_metric_group()
        self.calls = group.counter("calls")
        self.events = group.add_group("rates").meter("events")
        self.sizes = group.add_group("kind", "sizes").distribution("values")
        self.last_values = group.histogram("last_values")
        self.last = 0
        group.gauge("last", lambda: self.last)

    def eval(self, x: int) -> int:
        self.calls.inc()
        self.events.mark_event(2)
        self.sizes.update(x)
        self.last_values.update(x)
        self.last = x
        return x


def test_metrics_of_all_instances_are_totalled(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("measured", Measured)
    table = env.from_elements([(i,) for i in range(1, 11)], ["x"])
    env.create_temporary_view("t", table)
    for _ in range(2):
        assert len(rows(env, "SELECT measured(x) FROM t")) == 10
    found = function_metrics()["measured"]
    assert found["calls"] == 20
    assert found["rates.events"]["count"] == 40
    assert found["kind.sizes.values"] == {"sum": 110, "count": 20, "min": 1, "max": 10}
    assert (found["last_values"]["count"], found["last_values"]["p50"], found["last_values"]["max"]) == (20, 6, 10)
    assert found["last"] in range(1, 11)


class MeasuredSum(AggregateFunction[int, list[int]]):
    def open(self, function_context: FunctionContext) -> None:
        self.rows = function_context.get_metric_group().counter("rows")

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], x: int) -> None:
        self.rows.inc()
        accumulator[0] += x

    def merge(self, accumulator: list[int], others: Iterable[list[int]]) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def test_metrics_of_aggregates(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("measured_sum", MeasuredSum)
    assert rows(env, "SELECT measured_sum(x) FROM (VALUES (1), (2), (3)) AS t(x)") == [(6,)]
    assert function_metrics()["measured_sum"] == {"rows": 3}


class TaskOf(ScalarFunction):
    def open(self, function_context: FunctionContext) -> None:
        self.context = function_context

    def eval(self, x: int) -> str:
        return f"{self.context.get_index_of_this_subtask() >= 0}: {self.context.get_task_name_with_subtasks()}"


def test_task_has_a_name_a_number_and_an_attempt(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("task_of", TaskOf)
    env.create_temporary_view("t", env.from_elements([(1,)], ["x"]))
    ((found,),) = rows(env, "SELECT task_of(x) FROM t")
    assert re.fullmatch(r"True: task_of \(1/1\)#0" if planner == "arrow" else r"True: task_of \(\d+/\?\)#0", found)


class ManyTasks(ScalarFunction):
    def open(self, function_context: FunctionContext) -> None:
        self.tasks = function_context.get_number_of_parallel_subtasks()

    def eval(self, x: int) -> int:
        return self.tasks


def test_number_of_tasks_is_one_or_unknown(planner: str, make_env: MakeEnv) -> None:
    env = make_env(planner)
    env.create_temporary_function("many", ManyTasks)
    env.create_temporary_view("t", env.from_elements([(1,)], ["x"]))
    if planner == "arrow":
        assert rows(env, "SELECT many(x) FROM t") == [(1,)]
        return
    with pytest.raises(TableRuntimeException, match=r"many\.open failed.*How many tasks run a function is not known"):
        rows(env, "SELECT many(x) FROM t")


class ReadsArchive(ScalarFunction):
    def __init__(self, folder: str) -> None:
        self.folder = folder

    def open(self, function_context: FunctionContext) -> None:
        self.path = function_context.get_cached_file(self.folder)

    def eval(self, name: str) -> str:
        with open(f"{self.folder}/inner/word.txt") as file:
            return f"{file.read()} {name} {(Path(self.path) / 'inner' / 'word.txt').exists()}"


def test_archive_is_a_folder_of_the_working_directory(planner: str, make_env: MakeEnv, tmp_path: Path) -> None:
    (tmp_path / "content" / "inner").mkdir(parents=True)
    (tmp_path / "content" / "inner" / "word.txt").write_text("hello")
    archive = shutil.make_archive(str(tmp_path / "made"), "zip", tmp_path / "content")
    name = f"archive_of_test_{planner}_{os.getpid()}"
    env = make_env(planner)
    try:
        env.add_python_archive(archive, name)
        env.create_temporary_function("greet", ReadsArchive(name))
        assert rows(env, "SELECT greet(x) FROM (VALUES ('you')) AS t(x)") == [("hello you True",)]
    finally:
        Path(name).unlink(missing_ok=True)
    assert env.get_config().get("python.archives", "") == f"{archive}#{name}"


@pytest.mark.parametrize(
    ("path", "target", "message"),
    [
        ("/no/such.zip", None, "The archive '/no/such.zip' does not exist"),
        ("/no/such.zip", "../up", "is unpacked inside the working directory, but '../up' is outside"),
        ("/no/such#1.zip", None, "cannot be added as an archive"),
    ],
)
def test_wrong_archives_are_refused(path: str, target: str | None, message: str, planner: str, make_env: MakeEnv) -> None:
    with pytest.raises(ValidationException, match=re.escape(message)):
        make_env(planner).add_python_archive(path, target)
