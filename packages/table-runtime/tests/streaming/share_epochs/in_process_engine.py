"""Tasks of a job in shares, one after the other in this process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from sent_rows import SentRows

from table_common.annotation import override
from table_runtime.streaming.graph.graph import Graph, Source
from table_runtime.streaming.share_epochs.bounded_sources import SourceRows
from table_runtime.streaming.share_epochs.epoch_source import EpochSource
from table_runtime.streaming.share_epochs.shares_driver import SharesDriver
from table_runtime.streaming.share_epochs.task_engine import SplitReads, TaskEngine
from table_runtime.streaming.shares.share_task import ShareTask
from table_runtime.streaming.shares.shared_job import SharedJob, SharedJobState
from table_runtime.streaming.shares.source_task import SourceTask
from table_runtime.streaming.shares.wire import Cell

__all__ = ["InProcessDriver", "InProcessTasks"]


class InProcessTasks(TaskEngine):
    """Runs tasks, and notes in ``epochs`` which epochs there were; ``fails`` raises an error in the epoch with this number."""

    def __init__(self, sources: Sequence[Source], most_rows: int, fails: int | None = None) -> None:
        self.epochs: list[int] = []
        self._sources = sources
        self._most_rows = most_rows
        self._fails = fails

    @override
    def sources(
        self, job: SharedJob, state: SharedJobState, positions: Sequence[Mapping[str, Any]], interval: float
    ) -> tuple[list[EpochSource], float]:
        return [SourceRows(source, SentRows(), at, self._most_rows) for source, at in zip(self._sources, positions, strict=True)], 0

    @override
    def run(self, epoch: int, source_task: SourceTask, reads: SplitReads, share_tasks: Sequence[ShareTask]) -> list[Cell]:
        self.epochs.append(epoch)
        if epoch == self._fails:
            raise OSError("the machine is gone")
        cells = [cell for plan, read in reads for cell in source_task(plan, read(), 0)]
        for task in share_tasks:
            cells = [out for share in range(task.shares) for out in task(share, [cell for cell in cells if cell.part == share], 0)]
        return cells


class InProcessDriver(SharesDriver):
    """A driver whose tasks run in this process; ``tasks`` are those of the last run."""

    def __init__(self, *arguments: Any, most_rows: int = 2, fails: int | None = None) -> None:
        super().__init__(*arguments, engine="arrow", shares=3)
        self.tasks = InProcessTasks(self._parts.graph.sources, most_rows, fails)

    @override
    def _check_source(self, source: Source) -> None:
        pass

    @override
    def _check_graph(self, graph: Graph) -> None:
        pass

    @override
    def _check_sink(self, *arguments: Any) -> None:
        pass

    @override
    def _missing_folder(self) -> Exception:
        return ValueError("no folder")

    @contextmanager
    @override
    def _tasks(self, job: SharedJob) -> Iterator[TaskEngine]:
        yield self.tasks

    @override
    def _temporary_folder(self) -> AbstractContextManager[str]:
        return TemporaryDirectory()
