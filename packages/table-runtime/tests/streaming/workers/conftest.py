"""Statements that run in worker processes, however few rows they have."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from table_api import EnvironmentSettings, TableEnvironment
from table_runtime.streaming.workers import asked, refusal, worker_group, worker_tasks
from table_runtime.streaming.workers.worker_group import WorkerGroup, take_group

sys.path.insert(0, str(Path(__file__).parent))  # shared helpers, and functions that workers import

Environments = Callable[[int], TableEnvironment]


@pytest.fixture
def environments(monkeypatch: pytest.MonkeyPatch) -> Iterator[Environments]:
    monkeypatch.setattr(refusal, "FEW_BYTES", 0)
    monkeypatch.setattr(asked, "available_processors", lambda: 4)
    with ExitStack() as stack:

        def create(workers: int) -> TableEnvironment:
            settings = EnvironmentSettings.new_instance().in_streaming_mode().with_planner("arrow").build()
            env = stack.enter_context(TableEnvironment.create(settings))
            env.get_config().set("table.exec.resource.default-parallelism", str(workers))
            return env

        yield create
    worker_group.end_idle_groups()


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> list[WorkerGroup]:
    """The groups that jobs have taken."""
    taken: list[WorkerGroup] = []

    def take(count: int) -> WorkerGroup:
        taken.append(take_group(count))
        return taken[-1]

    monkeypatch.setattr(worker_tasks, "take_group", take)
    return taken


@pytest.fixture
def table_of() -> Callable[[Any], Counter[tuple[Any, ...]]]:
    """Returns the rows of the table that results from the changes of a result."""

    def final(result: Any) -> Counter[tuple[Any, ...]]:
        count: Counter[tuple[Any, ...]] = Counter()
        with result.collect() as rows:
            for row in rows:
                count[tuple(map(str, row))] += 1 if row.get_row_kind().value in (0, 2) else -1
        return Counter({row: number for row, number in count.items() if number})

    return final


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, chance = tmp_path_factory.mktemp("tables"), random.Random(3)
    for name in "tu":
        now = datetime(2024, 1, 1)
        for part in range(4):
            lines = []
            for _ in range(60):
                now += timedelta(seconds=chance.choice([0, 1, 1, 2]), milliseconds=1)
                row = {"k": chance.randrange(9), "v": chance.randrange(6), "s": chance.choice("abcde"), "ts": f"{now}"[:23]}
                lines.append(json.dumps(row))
            (folder / name).mkdir(exist_ok=True)
            (folder / name / f"{part}.json").write_text("\n".join(lines))
    return folder
