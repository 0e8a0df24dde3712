"""How many workers a job is to have."""

from __future__ import annotations

import pytest

from table_common.configuration import ReadableConfig
from table_runtime.streaming.workers import asked
from table_runtime.streaming.workers.asked import asked_workers


@pytest.mark.parametrize(
    ("option", "processors", "workers"),
    [(None, 8, 1), ("1", 8, 1), ("2", 8, 2), ("16", 8, 8), ("4", 1, 1), ("200", 100, 64)],
)
def test_workers_are_as_many_as_the_option_says_and_the_process_has_processors(
    monkeypatch: pytest.MonkeyPatch, option: str | None, processors: int, workers: int
) -> None:
    monkeypatch.setattr(asked, "available_processors", lambda: processors)
    options = {} if option is None else {"table.exec.resource.default-parallelism": option}
    assert asked_workers(ReadableConfig(options)) == workers
