"""When the epochs of a job end, and what happens then."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from table_common.annotation import override
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.job.epoch import Epoch
from table_runtime.streaming.job.in_process.source_input import SourceInput
from table_runtime.streaming.job.in_process.writer import EndOfEpoch, WriterThread
from table_runtime.streaming.job.sink_epochs import SinkEpochs


class RunningLoop(Protocol):
    """The loop whose epochs end."""

    @property
    def run(self) -> GraphRun: ...
    @property
    def inputs(self) -> Sequence[SourceInput]: ...
    @property
    def processing_time(self) -> int: ...
    def wait(self, seconds: float) -> None: ...


class Epochs(ABC):
    """The epochs of one run; used by the graph thread."""

    def __init__(self, interval: float) -> None:
        """``interval`` is the seconds between the ends of two epochs."""
        self._interval = interval
        self._next = time.monotonic() + interval
        self.rows = 0
        """How many rows were taken from sources in the current epoch."""

    @property
    def seconds_left(self) -> float:
        """The seconds until the epoch is due."""
        return self._next - time.monotonic()

    @property
    def is_due(self) -> bool:
        """Whether the epoch should end now."""
        return time.monotonic() >= self._next

    @property
    def is_copying(self) -> bool:
        """Whether the state of the epoch is copied between pushes."""
        return False

    def end(self, loop: RunningLoop) -> None:
        """Ends the epoch; called when no batch is in the graph."""
        self._next = max(self._next + self._interval, time.monotonic())
        self._end(loop)
        self.rows = 0

    @abstractmethod
    def _end(self, loop: RunningLoop) -> None: ...

    @abstractmethod
    def finish(self, loop: RunningLoop) -> None:
        """Ends the last epoch, and waits until it is committed."""


class QueryEpochs(Epochs):
    """Of a query, whose rows are read as they come."""

    def __init__(self) -> None:
        super().__init__(float("inf"))

    @override
    def _end(self, loop: RunningLoop) -> None:
        pass

    @override
    def finish(self, loop: RunningLoop) -> None:
        pass


class EndWithOffsets(EndOfEpoch):
    """Tells the sources, when the epoch is committed, that rows before the offsets where they are now are not needed again."""

    def __init__(self, epoch: Epoch, loop: RunningLoop) -> None:
        super().__init__(epoch, loop.run.output_watermarks())
        self.positions = [source.position for source in loop.inputs]
        self._readers = [source.reader for source in loop.inputs]

    @override
    def committed(self) -> None:
        for reader, position in zip(self._readers, self.positions, strict=True):
            if position.get("offset") is not None:
                reader.commit(position["offset"])


class UncheckpointedEpochs(Epochs):
    """Epochs that commit the sinks' rows and die with the process: the job starts over the next time."""

    def __init__(self, interval: float, writer: WriterThread, sinks: Sequence[SinkEpochs]) -> None:
        super().__init__(interval)
        self._writer = writer
        self._sinks = sinks
        self._epoch = 0

    @override
    def _end(self, loop: RunningLoop) -> None:
        if self._writer.ending_epochs:  # the sinks are slow: the epoch continues until they have committed the one before
            return
        self._finish_epoch(loop)

    def _finish_epoch(self, loop: RunningLoop) -> None:
        self._writer.end_epoch(EndWithOffsets(Epoch(self._epoch, self._sinks), loop))
        self._epoch += 1

    @override
    def finish(self, loop: RunningLoop) -> None:
        self._finish_epoch(loop)
        self._writer.finish()
