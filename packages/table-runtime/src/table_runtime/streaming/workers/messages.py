"""What the client and the workers of a job tell each other."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from table_common.exceptions import TableError, TableRuntimeException
from table_runtime.streaming.shares.cut import Levels
from table_runtime.streaming.shares.share_task import ShareTask
from table_runtime.streaming.shares.shared_job import SharedJob
from table_runtime.streaming.shares.source_task import SourceTask
from table_runtime.streaming.shares.wire import OUTPUT, Cell, Kind
from table_runtime.streaming.workers.outboxes import Outboxes, Place

CLIENT = -1
"""The owner of cells that are for the client."""
_FEW_BYTES = 1 << 13
"""Content that travels in the message itself."""
SENT_EACH_TIME = (
    "epoch",
    "now",
    "last",
    "is_first",
    "files",
    "watermarks",
    "idle_inputs",
    "tokens",
    "due",
    "marks",
    "writes_state",
    "is_checkpoint",
)
"""The fields of a ``ShareTask`` that differ between epochs; workers have the others from the start of the job."""


class Surroundings(NamedTuple):
    """What the process of the client is like, which its workers take over."""

    folder: str
    search_path: Sequence[str]
    environment: Mapping[str, str]

    @classmethod
    def current(cls) -> Surroundings:
        """Returns those of this process."""
        return cls(os.getcwd(), list(sys.path), dict(os.environ))

    def take_over(self) -> None:
        """Makes those of this process the same."""
        os.chdir(self.folder)
        sys.path[:] = self.search_path
        for name in set(os.environ).difference(self.environment):
            del os.environ[name]
        os.environ.update(self.environment)


class Started(NamedTuple):
    """A worker has a job. ``loads_user_code``: for it, it has loaded modules that are not installed ones."""

    loads_user_code: bool


class FinishWriters(NamedTuple):
    """The writers of sinks make durable what they have got since the last checkpoint; their messages are those of a note."""

    stage: int


class Start(NamedTuple):
    """A job begins. ``tasks`` are the first tasks of its levels, of which later ones differ in few fields."""

    levels: Levels
    source_task: SourceTask
    share_tasks: Sequence[ShareTask]

    @classmethod
    def of(cls, job: SharedJob) -> Start:
        """Returns the message that begins a job."""
        return cls(job.levels, job.source_task(0, 0), job.share_tasks(job.begin(), 0, 0, ()))


class ReadSplits(NamedTuple):
    """Level 0 of an epoch: ``reads`` are pairs of a ``SplitPlan`` and what reads the split. The clock of the epoch is ``now``; ``begins``: it is the first message of the stage."""

    stage: int
    epoch: int
    now: int
    reads: Sequence[tuple[Any, Any]]
    begins: bool = True


class RunShare(NamedTuple):
    """A level above: the fields of its task, and the cells of other workers."""

    stage: int
    level: int
    fields: Mapping[str, Any]
    cells: Sequence[SentCell]


class SentCell(NamedTuple):
    """A cell on its way to a worker, or to the client: its fields without the payload, and the payload or where it is."""

    to: int
    head: tuple[int, ...]
    content: bytes | Place


class Done(NamedTuple):
    """A worker has run its tasks of a stage."""

    stage: int
    cells: Sequence[SentCell]


class Failed(NamedTuple):
    """A worker has failed: the error, and what caused it, if they can be pickled."""

    error: BaseException
    cause: BaseException | None
    text: str


def fields_of(task: ShareTask, share: int) -> Mapping[str, Any]:
    """Returns what a worker has to know of the task of its share in an epoch."""
    found = {name: getattr(task, name) for name in SENT_EACH_TIME}
    for name in ("tokens", "due"):
        found[name] = {number: value for number, value in found[name].items() if number == share}
    if not task.writes_state and share in task.tokens:
        found["files"] = {}  # the state is in its memory
    return found


def sent(cell: Cell, to: int, stage: int, outboxes: Outboxes) -> SentCell:
    """Returns a cell as it travels."""
    content = cell.payload
    place = bytes(memoryview(content)) if content.size <= _FEW_BYTES else outboxes.write(stage, content)
    return SentCell(to, cell[:-1], place)


def received(cell: SentCell, outboxes: Outboxes) -> Cell:
    """Returns a cell that has arrived."""
    content = pa.py_buffer(cell.content) if isinstance(cell.content, bytes) else outboxes.read(cell.content)
    return Cell._make((*cell.head, content))


def level_of(cell: Cell, levels: Levels) -> int:
    """Returns the level that a cell with rows or a watermark is for."""
    if cell.node != OUTPUT:
        return levels.level_of[cell.node]
    return next(level.number for level in levels.levels if cell.input_index in level.outputs)


def is_for_client(cell: Cell) -> bool:
    """Whether a cell is for the client."""
    return cell.kind in (Kind.NOTE, Kind.RESULT)


def raised(failed: Failed) -> BaseException:
    """Returns the error of a worker as one that this process can raise."""
    error = failed.error
    if not isinstance(error, TableError):
        error.add_note(f"It was raised in a worker process:\n{failed.text}")
    error.__cause__ = failed.cause
    return error


def failure_of(error: BaseException, text: str) -> Failed:
    """Returns the message of an error; one that cannot be pickled is told in words."""
    import pickle  # few jobs fail

    def carried(each: BaseException) -> BaseException | None:
        try:
            loaded = pickle.loads(pickle.dumps(each))
        except Exception:
            return None
        return loaded if isinstance(loaded, BaseException) else None

    found = carried(error)
    if found is None:
        found = TableRuntimeException(f"The job failed: {type(error).__name__}: {error}")
    cause = error.__cause__
    return Failed(found, None if cause is None else carried(cause), text)
