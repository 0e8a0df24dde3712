"""A worker process: runs the tasks of its share of one job after another, until the client is gone."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import sysconfig
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

import pyarrow as pa

from table_common.frozen_dataclass import replace
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.checkpoints.failure_points import reached
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.wire import Cell, Kind
from table_runtime.streaming.workers.kept_states import KeptStates
from table_runtime.streaming.workers.kept_writers import KeptWriters
from table_runtime.streaming.workers.messages import (
    CLIENT,
    Done,
    FinishWriters,
    ReadSplits,
    RunShare,
    SentCell,
    Start,
    Started,
    Surroundings,
    failure_of,
    is_for_client,
    level_of,
    received,
    sent,
)
from table_runtime.streaming.workers.outboxes import Outboxes

_MOST_BYTES = 4 << 20
"""Bytes of changes that an operator gets at once: they stay in the caches of a processor."""
_OURS = ("table_common", "table_api", "table_runtime", "connector_kafka", "connector_jdbc", "connector_postgres_cdc", "connector_sqlite")


def main(descriptor: int, number: int, files: Sequence[Sequence[int]]) -> None:
    """Runs worker ``number``, which talks to its client by a connection with a descriptor."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the client, which ends the job
    pa.set_cpu_count(1)
    connection = Connection(descriptor)
    messages: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, messages), daemon=True, name="table-client").start()
    outboxes = Outboxes(files, number)
    job: _JobShare | None = None
    while True:
        content = messages.get()
        try:
            message = pickle.loads(content)
            if isinstance(message, Start):
                job = _JobShare(message, number, outboxes)
                answer: Any = Started(_loads_user_code())
            elif isinstance(message, Surroundings):
                message.take_over()
                continue
            elif message is None:
                if job is not None:
                    job.close()
                job = None
                continue
            else:
                assert job is not None
                answer = job.run(message)
        except BaseException as error:
            answer = failure_of(error, "".join(traceback.format_exception(error)))
        try:
            connection.send_bytes(pickle.dumps(answer, protocol=5))
        except OSError:
            os._exit(0)


def _receive(connection: Connection, messages: SimpleQueue[bytes]) -> None:
    """Takes messages while the worker computes, so that the client never waits; ends the process when the client is gone."""
    with suppress(EOFError, OSError):
        while True:
            messages.put(connection.recv_bytes())
    sys.stdout.flush()
    os._exit(0)


def _loads_user_code() -> bool:
    """Whether modules are loaded that are not installed: the program may change them."""
    installed = [os.path.realpath(path) for path in {*sysconfig.get_paths().values()}]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is None or name.partition(".")[0] in _OURS or any(os.path.realpath(file).startswith(path + os.sep) for path in installed):
            continue
        return True
    return False


class _JobShare:
    """The share of one job: its tasks, the states of its levels, and the rows that wait for a level above."""

    def __init__(self, start: Start, number: int, outboxes: Outboxes) -> None:
        self._levels = start.levels
        self._writers = KeptWriters(number)
        self._source_task = replace(start.source_task, writers=self._writers.of(start.source_task.writers), held=number)
        self._number = number
        self._outboxes = outboxes
        self._context = ExecutionContext(parallelism=1)
        states = KeptStates()
        self._share_tasks = {
            task.level.number: replace(task, map_folder=states, writers=self._writers.of(task.writers), holds=True, most_bytes=_MOST_BYTES)
            for task in start.share_tasks
        }
        self._waiting: dict[int, list[Cell]] = {}
        self._sent: list[SentCell] = []

    def close(self) -> None:
        """Ends the share."""
        self._writers.abort()
        self._context.close()

    def run(self, message: ReadSplits | RunShare | FinishWriters) -> Done:
        """Runs the tasks of a stage."""
        if not isinstance(message, ReadSplits) or message.begins:
            self._outboxes.begin(message.stage)
        self._context.metrics.clear()
        self._sent = []
        if isinstance(message, ReadSplits):
            self._read(message)
        elif isinstance(message, FinishWriters):
            note = Note(-1, self._number, message.stage, messages=self._writers.finish(), rows=self._writers.rows())
            told = Cell(0, -1, self._number, message.stage, 0, Kind.NOTE, 0, 0, note.to_payload())
            self._sent.append(sent(told, CLIENT, message.stage, self._outboxes))
        else:
            for arrived in message.cells:
                self._wait(received(arrived, self._outboxes))
            task = replace(self._share_tasks[message.level], **message.fields)
            for cell in task(self._number, self._waiting.pop(message.level, []), message.stage, self._context):
                self._give(cell, message.stage)
        return Done(message.stage, self._sent)

    def _read(self, message: ReadSplits) -> None:
        task = replace(self._source_task, epoch=message.epoch, now=message.now)
        for plan, read in message.reads:
            rows = read()
            for cell in task(plan, rows, message.stage, ignored=lambda rows=rows: rows.ignored, given=self._context):  # type: ignore[misc]
                self._give(cell, message.stage)
        reached("split read", message.epoch)

    def _give(self, cell: Cell, stage: int) -> None:
        if cell.kind == Kind.SEEN:  # tasks are not repeated
            return
        if is_for_client(cell):
            self._sent.append(sent(cell, CLIENT, stage, self._outboxes))
        elif cell.part == self._number:
            self._wait(cell)
        else:
            self._sent.append(sent(cell, cell.part, stage, self._outboxes))

    def _wait(self, cell: Cell) -> None:
        self._waiting.setdefault(level_of(cell, self._levels), []).append(cell)
