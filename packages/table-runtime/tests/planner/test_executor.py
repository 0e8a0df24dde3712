from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from table_api.delegation import JobOptions, JobStatus
from table_common.catalog import ResolvedSchema
from table_common.exceptions import JobCancelledException, TableException, TableInternalError, TableRuntimeException
from table_common.types import BigIntType
from table_runtime.planner import executor
from table_runtime.planner.executor import ArrowExecutablePlan, JobRegistry
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator

SCHEMA = pa.schema([("a", pa.int64())])


class Scripted(Operator):
    """Yields what its script says."""

    def __init__(self, script: Any) -> None:
        super().__init__(SCHEMA)
        self._script = script
        self.closed = threading.Event()

    def batches(self, context: ExecutionContext) -> Iterator[pa.RecordBatch]:
        try:
            for value in self._script(context):
                yield pa.RecordBatch.from_arrays([pa.array([value])], schema=SCHEMA)
        finally:
            self.closed.set()


def endless(context: ExecutionContext) -> Iterator[int]:
    number = 0
    while True:
        context.check()
        yield number
        number += 1


def stuck(context: ExecutionContext) -> Iterator[int]:
    yield 0
    while not context.token.is_cancelled:
        time.sleep(0.001)
    context.check()


def plan(operator: Operator, *, is_sink: bool = False) -> ArrowExecutablePlan:
    schema = ResolvedSchema.physical([("a", BigIntType())])
    return ArrowExecutablePlan(lambda: [operator], schema, JobRegistry(), is_sink=is_sink, parallelism=2)


def values(job: Any) -> list[int]:
    return [value for batch in job.batches() for value in batch.column(0).to_pylist()]


def test_a_plan_runs_several_times() -> None:
    executable = plan(Scripted(lambda context: range(10)))
    for _ in range(2):
        job = executable.execute(JobOptions("job"))
        assert values(job) == list(range(10))
        assert job.client.get_job_status() is JobStatus.FINISHED


def test_cancelling_from_another_thread_wakes_the_reader_and_stops_the_job() -> None:
    operator = Scripted(stuck)
    job = plan(operator).execute(JobOptions("job"))
    batches = job.batches()
    next(batches)
    threading.Thread(target=job.client.cancel).start()
    with pytest.raises(JobCancelledException):
        next(batches)
    assert operator.closed.wait(10)
    assert job.client.get_job_status() is JobStatus.CANCELED


def test_the_reader_of_a_cancelled_job_does_not_wait_for_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = ModuleType("hold_of_executor_test")
    hold.began, hold.go_on = threading.Event(), threading.Event()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hold_of_executor_test", hold)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "slow_of_executor_test.py").write_text(
        "import hold_of_executor_test as hold\nhold.began.set()\nhold.go_on.wait()\n",
    )

    def importing(context: ExecutionContext) -> Iterator[int]:
        importlib.import_module("slow_of_executor_test")
        yield 0

    operator = Scripted(importing)
    job = plan(operator).execute(JobOptions("job"))
    assert hold.began.wait(30)  # type: ignore[attr-defined]
    job.client.cancel()
    monkeypatch.setattr(executor, "STOP_SECONDS", 30.0)
    started = time.monotonic()
    try:
        with pytest.raises(JobCancelledException):
            values(job)
        assert time.monotonic() - started < 20
        assert not operator.closed.is_set()
    finally:
        hold.go_on.set()  # type: ignore[attr-defined]
    assert operator.closed.wait(30)
    sys.modules.pop("slow_of_executor_test", None)


def test_closing_the_reader_stops_the_job() -> None:
    operator = Scripted(endless)
    batches = plan(operator).execute(JobOptions("job")).batches()
    next(batches)
    batches.close()  # type: ignore[attr-defined]  # it is a generator
    assert operator.closed.wait(10)


def test_a_state_to_go_on_from_is_refused() -> None:
    with pytest.raises(TableException, match="cannot restore a job from 'file:///s'"):
        plan(Scripted(stuck)).execute(JobOptions("job", restore_from="file:///s"))


def test_a_savepoint_is_refused_with_the_reason() -> None:
    client = plan(Scripted(stuck)).execute(JobOptions("job")).client
    for ask in (client.trigger_savepoint, client.stop_with_savepoint):
        with pytest.raises(TableException, match=client.job_id):
            ask()
    client.cancel()


def raising(error: Exception) -> Any:
    def script(context: ExecutionContext) -> Iterator[int]:
        yield 0
        raise error

    return script


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (pa.ArrowInvalid("bad"), TableRuntimeException),
        (OSError("disk"), TableRuntimeException),
        (MemoryError(), TableRuntimeException),
        (KeyError("bug"), TableInternalError),
    ],
)
def test_failures_come_out_as_our_errors(error: Exception, kind: type[Exception]) -> None:
    job = plan(Scripted(raising(error))).execute(JobOptions("job"))
    with pytest.raises(kind) as raised:
        values(job)
    assert raised.value.__cause__ is error
    assert job.client.get_job_status() is JobStatus.FAILED


def test_a_sink_runs_without_a_reader() -> None:
    operator = Scripted(lambda context: [7])
    job = plan(operator, is_sink=True).execute(JobOptions("job"))
    assert operator.closed.wait(10)
    assert values(job) == [7]


def test_a_reader_that_is_slow_holds_the_job_back() -> None:
    read: list[int] = []

    def script(context: ExecutionContext) -> Iterator[int]:
        for number in range(100):
            read.append(number)
            yield number

    batches = plan(Scripted(script)).execute(JobOptions("job")).batches()
    next(batches)
    assert len(read) < 20
    batches.close()  # type: ignore[attr-defined]  # it is a generator


def test_closing_the_planner_stops_its_jobs() -> None:
    registry = JobRegistry()
    operator = Scripted(endless)
    schema = ResolvedSchema.physical([("a", BigIntType())])
    ArrowExecutablePlan(lambda: [operator], schema, registry, is_sink=False, parallelism=1).execute(JobOptions("job"))
    registry.cancel_all()
    assert operator.closed.wait(10)
