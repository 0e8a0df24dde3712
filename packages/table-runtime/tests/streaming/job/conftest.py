"""The checkpoints of a job without operators, as drivers use them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.job_lock import JobLock
from table_runtime.streaming.checkpoints.source_positions import Scan
from table_runtime.streaming.job.checkpoint_store import Checkpoint, CheckpointStore
from table_runtime.streaming.job.job_layout import JobLayout
from table_runtime.streaming.job.recovery import RestorePoint


@pytest.fixture
def layout() -> JobLayout:
    """A job that reads one table and writes two."""
    return JobLayout(["t#0"], [], ["a#0", "b#0"], [], {}, {}, {"t#0": Scan("", "k")})


@pytest.fixture
def folder(tmp_path: Path) -> JobFolder:
    return JobFolder.open(str(tmp_path), "copy", "arrow")


@pytest.fixture
def checkpoints(folder: JobFolder, layout: JobLayout) -> CheckpointStore:
    lock = JobLock.acquire(folder.store, "copy", "run")
    return CheckpointStore(folder, lock, layout, "run-0", RestorePoint(folder.next_epoch(), None, folder.store), retained=2)


@pytest.fixture
def checkpoint() -> Callable[[Any], Checkpoint]:
    """Returns the checkpoint of a source that is at an offset."""
    return lambda offset: Checkpoint([{"offset": offset}], [], {}, 1000, {}, time.monotonic())
