"""What leaves a task: rows by exchanges or to writers of outputs, watermarks, and the note."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from table_runtime.streaming.changes.batch import PARTIAL, WHOLE, ChangeBatch
from table_runtime.streaming.operators.exchange_keys import GLOBAL
from table_runtime.streaming.shares.cut import Level
from table_runtime.streaming.shares.exchange import Exchange
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.wire import OUTPUT, Cell, HeldRows, Kind, Mark, Target


class OutputWriter(Protocol):
    """Writes the rows of one output that a task has made."""

    rows: int
    """How many rows were written."""

    def write(self, changes: ChangeBatch) -> None:
        """Takes the next rows."""

    def finish(self) -> Sequence[Any]:
        """Makes the rows durable; returns messages for their commit, as JSON values."""

    def abort(self) -> None:
        """Gives the rows up; the task has failed."""


_EMPTY = pa.py_buffer(b"")

WriterFactory = Callable[[int, int, int], OutputWriter]
"""Returns the writer of an attempt of a task: the epoch, the number of the share or of the split, and that of the attempt."""


class TaskOutput:
    """Gathers what an attempt of a task gives, and numbers its cells."""

    def __init__(
        self,
        level: Level,
        shares: int,
        epoch: int,
        origin: int,
        attempt: int,
        writers: Mapping[int, WriterFactory],
        held: int | None = None,
    ) -> None:
        """``held`` is the share whose rows stay in this process; None: none do."""
        self._level = level
        self._shares = shares
        self._epoch = epoch
        self._origin = origin
        self._attempt = attempt
        self._factories = writers
        self._held = held
        self._writers: dict[int, OutputWriter] = {}
        self._number = 0
        self._ready: list[Cell] = []
        self._exchanges: dict[Target, Exchange] = {}
        self.rows: dict[int, int] = {}

    def receive(self, place: int, batch: ChangeBatch) -> None:
        """Takes rows that leave the run of the level by an exit."""
        leaving = self._level.exits[place]
        everywhere: np.ndarray | None = None
        if batch.kinds is not None and self._level.number == 0:
            everywhere = (batch.kinds & PARTIAL).astype(bool) if leaving.finds_rows_by_key else None
            batch = ChangeBatch(batch.rows, batch.kinds & WHOLE, batch.before)
        if leaving.target.node == OUTPUT and leaving.target.input_index in self._level.outputs:
            self.write(leaving.target.input_index, batch)
            return
        exchange = self._exchanges.get(leaving.target)
        if exchange is None:
            exchange = self._exchanges[leaving.target] = Exchange(leaving.keys, self._shares, self._origin, self._held)
        exchange.add(batch, everywhere)
        for share, payload in exchange.take():
            self._add(share, Kind.ROWS, leaving.target, payload)

    def write(self, output: int, batch: ChangeBatch) -> None:
        """Takes rows of an output that ends in this level: for its writer, or without one for the client."""
        if output in self._factories:
            if output not in self._writers:
                self._writers[output] = self._factories[output](self._epoch, self._origin, self._attempt)
            self._writers[output].write(batch)
            return
        self.rows[output] = self.rows.get(output, 0) + batch.num_rows
        target = Target(OUTPUT, output)
        exchange = self._exchanges.setdefault(target, Exchange(GLOBAL, 1, 0))
        exchange.add(batch)
        for _, payload in exchange.take():
            self._add(self._origin % self._shares, Kind.RESULT, target, payload)

    def mark(self, target: Target, mark: Mark) -> None:
        """Gives a watermark to all shares of a reader."""
        payload = mark.to_payload()
        for share in range(self._shares):
            self._add(share, Kind.MARK, target, payload)

    def finish_rows(self) -> None:
        """Gives the rows that wait for more."""
        for target, exchange in self._exchanges.items():
            is_result = target.node == OUTPUT and target.input_index in self._level.outputs
            for share, payload in exchange.finish():
                part, kind = (self._origin % self._shares, Kind.RESULT) if is_result else (share, Kind.ROWS)
                self._add(part, kind, target, payload)

    def finish_writers(self) -> dict[int, Sequence[Any]]:
        """Makes the rows of the writers durable; returns their messages."""
        messages: dict[int, Sequence[Any]] = {output: list(writer.finish()) for output, writer in self._writers.items()}
        self.rows.update({output: writer.rows for output, writer in self._writers.items()})
        return messages

    def abort(self) -> None:
        """Gives up what the writers have."""
        for writer in self._writers.values():
            writer.abort()

    def note(self, note: Note) -> None:
        """Gives the note, and tells each share of the next level that there was this attempt."""
        for share in range(0 if self._level.is_top else self._shares):
            self._add(share, Kind.SEEN, Target(OUTPUT, 0), _EMPTY)
        self._add(self._origin % self._shares, Kind.NOTE, Target(OUTPUT, 0), note.to_payload())

    def take(self) -> Iterator[Cell]:
        """Yields the cells that are ready."""
        ready, self._ready = self._ready, []
        yield from ready

    def _add(self, part: int, kind: Kind, target: Target, payload: pa.Buffer | HeldRows) -> None:
        cell = Cell(part, self._level.number, self._origin, self._attempt, self._number, kind, target.node, target.input_index, payload)
        self._ready.append(cell)
        self._number += 1
