"""The queries of the Nexmark benchmark: the final table in streaming mode is the result of batch mode."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from harness.nexmark_events import event_batch, write_events, write_side_input
from harness.nexmark_queries import QUERIES, NexmarkQuery
from nexmark import final_difference

from table_runtime.streaming.workers import asked, refusal
from table_runtime.streaming.workers.worker_group import GroupUser

EVENTS, RATE, SEED = 3_000, 100, 7


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with events of half a minute."""
    folder = tmp_path_factory.mktemp("nexmark")
    write_events(folder / "events.parquet", EVENTS, SEED, RATE)
    write_side_input(folder / "side_input.parquet")
    return folder


@pytest.mark.parametrize("query", QUERIES, ids=[query.name for query in QUERIES])
def test_the_final_table_is_that_of_batch_mode(query: NexmarkQuery, folder: Path) -> None:
    assert final_difference(query, folder) is None


@pytest.fixture(scope="module")
def _kept_workers() -> Iterator[None]:
    """Lets the workers of one query run the next one."""
    user = GroupUser()
    yield
    user.close()


@pytest.mark.usefixtures("_kept_workers")
@pytest.mark.parametrize("workers", [2, pytest.param(4, marks=pytest.mark.night)])
@pytest.mark.parametrize("query", QUERIES, ids=[query.name for query in QUERIES])
def test_the_final_table_of_workers_is_that_of_batch_mode(
    query: NexmarkQuery, workers: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusal, "FEW_BYTES", 0)
    monkeypatch.setattr(asked, "available_processors", lambda: workers)
    assert final_difference(query, folder, workers) is None


def test_the_events_have_the_proportions_of_nexmark() -> None:
    events = event_batch(0, 50_000, SEED)
    assert np.bincount(events["event_type"]).tolist() == [1_000, 3_000, 46_000]


def test_events_are_less_late_than_the_watermark_allows() -> None:
    events = event_batch(0, 50_000, SEED)
    bids = events["bid"].field("dateTime").drop_null().cast("int64").to_numpy()
    delays = np.maximum.accumulate(bids) - bids
    assert 500 < delays.max() < 4_000
