"""What runs the tasks of the epochs of a job in shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from table_runtime.streaming.share_epochs.epoch_source import EpochSource
from table_runtime.streaming.shares.share_task import ShareTask
from table_runtime.streaming.shares.shared_job import SharedJob, SharedJobState
from table_runtime.streaming.shares.source_task import SourceTask, SplitPlan
from table_runtime.streaming.shares.wire import Cell

SplitReads = Sequence[tuple[SplitPlan, Any]]
"""What the tasks of level 0 read: a split each, or a part of one."""


class TaskEngine(ABC):
    """Runs the tasks of an epoch."""

    @abstractmethod
    def sources(
        self, job: SharedJob, state: SharedJobState, positions: Sequence[Mapping[str, Any]], interval: float
    ) -> tuple[list[EpochSource], float]:
        """Returns the sources of a job, which continue at positions, and the seconds between the starts of two epochs, ``interval`` unless the sources set the pace.

        Raises:
            TableException: a source has changed, or cannot be read.
        """

    @abstractmethod
    def run(self, epoch: int, source_task: SourceTask, reads: SplitReads, share_tasks: Sequence[ShareTask]) -> list[Cell]:
        """Runs the tasks of an epoch level by level; returns the cells that are for the client: notes, and rows of outputs.

        Raises:
            Exception: a task has failed.
        """

    def check(self) -> None:  # noqa: B027  # an engine in this process cannot be gone
        """Looks while the job waits for rows whether the engine is still there.

        Raises:
            TableError: it is not.
        """
