"""Stops and savepoints that meet a restart or each other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from table_api import TableEnvironment
from table_api.delegation import JobClient
from table_runtime.checkpoints import points
from table_runtime.planner.streaming.driver.durable import DurableEpochs

Eventually = Callable[[Callable[[], bool]], None]


def test_savepoints_that_are_asked_for_during_one_epoch_are_one(
    env: TableEnvironment, copy_job: Callable[[], JobClient], monkeypatch: pytest.MonkeyPatch, eventually: Eventually
) -> None:
    env.get_config().set("execution.checkpointing.interval", "100000 h")
    begun, go_on, asked = threading.Event(), threading.Event(), list[object]()
    request = DurableEpochs.request

    def commit(passed: str, _: int) -> None:
        if passed == "decided" and not begun.is_set():
            begun.set()
            go_on.wait(10)

    def note(epochs: DurableEpochs, done: Callable[[Any], None], *, is_last: bool = False) -> None:
        request(epochs, done, is_last=is_last)
        asked.append(done)

    monkeypatch.setattr(points, "listeners", [commit])
    monkeypatch.setattr(DurableEpochs, "request", note)
    job, paths = copy_job(), list[str]()
    asking = [threading.Thread(target=lambda: paths.append(job.trigger_savepoint())) for _ in range(3)]
    asking[0].start()
    assert begun.wait(10)
    for thread in asking[1:]:
        thread.start()
    eventually(lambda: len(asked) == 3)
    stopping = threading.Thread(target=lambda: paths.append(job.stop_with_savepoint()))
    stopping.start()
    eventually(lambda: len(asked) == 4)
    go_on.set()
    for thread in (*asking, stopping):
        thread.join(10)
    assert len(paths) == 4
    assert len(set(paths)) == 2
