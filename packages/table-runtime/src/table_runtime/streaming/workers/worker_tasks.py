"""Runs the tasks of epochs in worker processes, stage by stage."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

import pyarrow as pa

from table_common.annotation import override
from table_common.frozen_dataclass import replace
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.scans.scan_splits import divide_scan
from table_runtime.streaming.graph.graph import Source
from table_runtime.streaming.share_epochs.bounded_sources import SourceRows, SourceSplits
from table_runtime.streaming.share_epochs.epoch_source import EpochSource, Reads, RowSender
from table_runtime.streaming.share_epochs.reader_cache import ReadSplits as ReadsOffsets
from table_runtime.streaming.share_epochs.reader_cache import SplitRows
from table_runtime.streaming.share_epochs.source_offsets import SourceOffsets
from table_runtime.streaming.share_epochs.task_engine import SplitReads, TaskEngine
from table_runtime.streaming.shares.share_task import ShareTask
from table_runtime.streaming.shares.shared_job import SharedJob, SharedJobState
from table_runtime.streaming.shares.source_task import SourceTask
from table_runtime.streaming.shares.wire import Cell
from table_runtime.streaming.workers.messages import (
    CLIENT,
    Done,
    FinishWriters,
    ReadSplits,
    RunShare,
    SentCell,
    Start,
    Started,
    fields_of,
    received,
)
from table_runtime.streaming.workers.shipping import dumps
from table_runtime.streaming.workers.worker_group import WorkerGroup, keep_group, take_group

MICRO_EPOCH_SECONDS = 0.02
"""The shortest time between the starts of two epochs: rows that come meanwhile share the work that each epoch is."""
_ROWS_OF_WORKER = 1 << 19
"""The most rows of a source in an epoch, per worker: more would only need more memory."""
_SPLITS_OF_WORKER = 4
"""In how many splits, per worker, a source is divided at least if it can be."""


class WorkerTasks(TaskEngine):
    """The tasks of one attempt of a job in a group of workers."""

    def __init__(self, group: WorkerGroup, job: SharedJob, sources: Sequence[Source], context: ExecutionContext) -> None:
        """Tells the workers what the job is.

        Raises:
            TableError: a worker does not start, or cannot take the job.
        """
        self.saves = False
        """Whether the next epoch is a checkpoint."""
        self._group = group
        self._sources = sources
        self._context = context
        self._stage = 0
        self._writes = bool(job.writers)
        content = dumps(Start.of(job))
        for number in range(group.count):
            group.send_bytes(number, content)
        answers = self._answers()
        self.can_be_kept = all(isinstance(answer, Started) and not answer.loads_user_code for answer in answers)
        """Whether the workers may run other jobs later: they hold no code of the program, which may change."""

    @override
    def sources(
        self, job: SharedJob, state: SharedJobState, positions: Sequence[Mapping[str, Any]], interval: float
    ) -> tuple[list[EpochSource], float]:
        count = self._group.count
        found = [
            _source(source, position, progress.splits, count, self._context, (job.run, number))
            for number, (source, position, progress) in enumerate(zip(self._sources, positions, state.sources, strict=True))
        ]
        is_bounded = not any(source.is_unbounded for source in self._sources)
        return found, 0 if is_bounded else MICRO_EPOCH_SECONDS

    @override
    def run(self, epoch: int, source_task: SourceTask, reads: SplitReads, share_tasks: Sequence[ShareTask]) -> list[Cell]:
        group, count = self._group, self._group.count
        result: list[Cell] = []
        waiting = self._read(epoch, source_task.now, reads, result)
        for task in share_tasks:
            task = replace(task, writes_state=self.saves, is_checkpoint=self.saves)
            for number in range(count):
                message = RunShare(self._stage, task.level.number, fields_of(task, number), waiting[number])
                group.send(number, message)
            waiting = self._gather(result)
        if self.saves:
            result += self.finish_writers()
        return result

    def finish_writers(self) -> list[Cell]:
        """Makes durable what the workers have written to sinks; returns their notes, with the messages for the commit.

        Raises:
            TableError: a worker has failed.
        """
        result: list[Cell] = []
        if self._writes:
            for number in range(self._group.count):
                self._group.send(number, FinishWriters(self._stage))
            self._gather(result)
        return result

    def _read(self, epoch: int, now: int, reads: SplitReads, result: list[Cell]) -> list[list[SentCell]]:
        """Runs level 0. A worker reads the splits of a source with offsets of which it has the connections; others are read by whoever has nothing else to do."""
        own: list[list[tuple[Any, Any]]] = [[] for _ in range(self._group.count)]
        free = deque[tuple[Any, Any]]()
        for plan, read in reads:
            if isinstance(read, ReadsOffsets):
                own[_number_of(plan.split) % self._group.count].append((plan, read))
            else:
                free.append((plan, read))
        stage, begins = self._stage, [True] * self._group.count

        def next_message(number: int) -> bytes | None:
            given, own[number] = own[number], []
            if not given and free:
                given = [free.popleft()]
            if not given and not begins[number]:
                return None
            message = ReadSplits(stage, epoch, now, given, begins=begins[number])
            begins[number] = False
            return dumps(message)

        return self._cells_of(self._group.answers_until(next_message, self._context.check), result)

    def _gather(self, result: list[Cell]) -> list[list[SentCell]]:
        """Waits for a stage; returns the cells that are for each worker, and adds those for the client to ``result``."""
        return self._cells_of(self._answers(), result)

    def _cells_of(self, answers: Sequence[Any], result: list[Cell]) -> list[list[SentCell]]:
        waiting: list[list[SentCell]] = [[] for _ in range(self._group.count)]
        for answer in answers:
            assert isinstance(answer, Done)
            for cell in answer.cells:
                if cell.to == CLIENT:
                    result.append(received(cell, self._group.outboxes))
                else:
                    waiting[cell.to].append(cell)
        self._stage += 1
        return waiting

    @override
    def check(self) -> None:
        self._group.check()

    def _answers(self) -> list[Any]:
        return self._group.answers(self._context.check)


@contextmanager
def worker_tasks(count: int, job: SharedJob, sources: Sequence[Source], context: ExecutionContext) -> Iterator[WorkerTasks]:
    """Gives what runs the tasks of an attempt in ``count`` workers, which end with it if it fails.

    Raises:
        TableError: a worker does not start, or cannot take the job.
    """
    group = take_group(count)
    try:
        tasks = WorkerTasks(group, job, sources, context)
        yield tasks
    except BaseException:
        group.kill()
        raise
    if tasks.can_be_kept and group.end_job():
        keep_group(group)
    else:
        group.kill()


class _SentRows(RowSender):
    """Rows of this process travel in the message."""

    @override
    def send(self, batches: Sequence[pa.RecordBatch]) -> Reads:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batches[0].schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return _Carried(sink.getvalue().to_pybytes())

    @override
    def clear(self) -> None:
        pass


class _Carried:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def __call__(self) -> SplitRows:
        return SplitRows(iter(pa.ipc.open_stream(self._content)))


def _source(
    source: Source,
    position: Mapping[str, Any],
    splits: Mapping[str, Any],
    workers: int,
    context: ExecutionContext,
    key: tuple[str, int],
) -> EpochSource:
    """Returns a source that continues at a position; workers read its splits if it has some that can be sent."""
    most_rows, sent = _ROWS_OF_WORKER * workers, _SentRows()
    if isinstance(source.scan, ScanOffsets):
        return SourceOffsets(source, source.scan, sent, position, most_rows, splits, key)
    if not position.get("ended") and ("splits" in position or not position.get("rows")):
        divided = divide_scan(source.scan, _SPLITS_OF_WORKER * workers, context.snapshots)
        if divided is not None:
            return SourceSplits(source, divided, dumps, position, most_rows, workers, first_splits=1)
    return SourceRows(source, sent, position, most_rows)


def _number_of(split: str) -> int:
    """Returns a number that a split has in each epoch: its own, as that of a partition, or one of its name."""
    return int(split) if split.isdecimal() else crc32(split.encode())
