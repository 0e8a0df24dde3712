"""A streaming job in worker processes, in its client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from table_common.annotation import override
from table_common.configuration import ReadableConfig
from table_common.connector import ArrowSinkProvider
from table_common.exceptions import TableInternalError
from table_common.job_state import JobState
from table_runtime.run.execution import ExecutionContext
from table_runtime.run.operator import Operator
from table_runtime.sinks.arrow_sink import ArrowSink
from table_runtime.sinks.sink import Sink, write_to
from table_runtime.streaming.graph.graph import Graph, Source
from table_runtime.streaming.graph.statement_set import OutputRows
from table_runtime.streaming.job.job_requests import JobRequests
from table_runtime.streaming.share_epochs.epoch_loop import InsertEpochLoop, QueryEpochLoop
from table_runtime.streaming.share_epochs.shares_driver import SharesDriver
from table_runtime.streaming.share_epochs.task_engine import TaskEngine
from table_runtime.streaming.shares.cut import Levels, OutputKey, cut
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.shared_job import SharedJob
from table_runtime.streaming.workers.memory_epochs import MemoryInsertLoop, MemoryQueryLoop
from table_runtime.streaming.workers.task_write import TaskWrite
from table_runtime.streaming.workers.worker_tasks import WorkerTasks, worker_tasks


class WorkersDriver(SharesDriver):
    """Runs a plan in ``workers`` processes, on the thread that calls it. ``refusal`` says of which plans it does not."""

    def __init__(
        self,
        root: Operator,
        configuration: ReadableConfig,
        name: str,
        context: ExecutionContext,
        state: JobState,
        requests: JobRequests,
        emit: Callable[[int, Any], None],
        *,
        workers: int,
    ) -> None:
        """Checks the plan and its options; ``emit`` gives rows of a query to its reader.

        Raises:
            TableException: a sink has no epochs, or the job cannot have checkpoints.
            ValidationException: an option is wrong.
        """
        super().__init__(root, configuration, name, context, state, requests, emit, engine="arrow", shares=workers)
        self._workers = workers
        self._notes: list[Note] = []
        """What the workers told of the sinks that they have written, at the end of the inputs."""

    @override
    def _levels(self, root: Operator, graph: Graph, shares: int) -> Levels:
        if not self._is_bounded:
            return super()._levels(root, graph, shares)
        return cut(graph, shares, [OutputKey.of(sink, OutputRows(sink)) if _is_written_by_tasks(sink) else None for sink in self._sinks])

    @override
    def _run_bounded_inserts(self) -> Sequence[int]:
        """As in one process, but workers write to sinks that take several writers; all rows are committed when the sources have ended."""
        context = self._parts.context
        own = [number for number, sink in enumerate(self._sinks) if _is_written_by_tasks(sink)]
        writes_of_tasks = {number: TaskWrite(self._sinks[number], self._parts.outputs[number], context) for number in own}
        others = [number for number in range(len(self._sinks)) if number not in writes_of_tasks]
        with write_to([self._sinks[number] for number in others], context) as opened:
            writes = dict(zip(others, opened, strict=True))
            self._notes = []
            try:
                self._run_epochs(
                    lambda output, batch: context.token.run(lambda: writes[output].write(batch)),
                    {number: write.writers for number, write in writes_of_tasks.items()},
                )
                for number, write in writes_of_tasks.items():
                    write.finish([note for note in self._notes if number in note.messages], number)
            except BaseException:
                for write in writes_of_tasks.values():
                    write.abort()
                raise
        context.check()
        self._job_state.begin_commit()
        context.commit()
        return [writes[number].rows if number in writes else writes_of_tasks[number].rows for number in range(len(self._sinks))]

    @override
    def _written(self, tasks: TaskEngine) -> None:
        assert isinstance(tasks, WorkerTasks)
        self._notes = [Note.of(cell.payload.to_pybytes()) for cell in tasks.finish_writers()]

    @property
    def sinks_thread(self) -> threading.Thread | None:
        """The thread that writes to the sinks: there is none beside that of the job."""
        return None

    @override
    def _check_source(self, source: Source) -> None:
        pass

    @override
    def _check_graph(self, graph: Graph) -> None:
        pass

    @override
    def _check_sink(self, provider: ArrowSinkProvider, table: str, output: OutputRows) -> None:
        pass

    @override
    def _missing_folder(self) -> Exception:
        return TableInternalError("An unbounded INSERT without checkpoints runs on one worker.")

    @override
    def _tasks(self, job: SharedJob) -> AbstractContextManager[TaskEngine]:
        return worker_tasks(self._workers, job, self._parts.graph.sources, self._parts.context)

    @contextmanager
    @override
    def _temporary_folder(self) -> Iterator[str]:
        yield "/"  # nothing is written

    @override
    def _query_loop(self) -> type[QueryEpochLoop]:
        return MemoryQueryLoop

    @override
    def _insert_loop(self) -> type[InsertEpochLoop]:
        return MemoryInsertLoop


def _is_written_by_tasks(sink: Sink) -> bool:
    """Whether workers write to a sink where inputs end: several writers may, and a commit makes all rows visible."""
    return type(sink) is ArrowSink and not sink.epoch_provider().is_local
