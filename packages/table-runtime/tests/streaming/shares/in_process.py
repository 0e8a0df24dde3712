"""Runs the tasks of a job in shares one after the other in this process, each of them pickled as an engine does."""

from __future__ import annotations

import pickle
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from table_common.gate import Gate
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.job.job_layout import layout_of
from table_runtime.streaming.shares.cut import OutputKey, cut
from table_runtime.streaming.shares.mapped_state import MapFolder
from table_runtime.streaming.shares.notes import Note, differing_attempts
from table_runtime.streaming.shares.shared_job import SharedJob, SharedJobState
from table_runtime.streaming.shares.wire import Cell, Kind, changes_of

__all__ = ["InProcess", "numbered"]

Split = tuple[int, str]


def numbered(changes: ChangeBatch, *, has_kinds: bool) -> pa.RecordBatch:
    """Returns changes as a source gives them: with the number of each change as the last column if it has kinds."""
    if not has_kinds:
        return changes.rows
    kinds = np.zeros(changes.num_rows, np.int64) if changes.kinds is None else changes.kinds.astype(np.int64)
    return changes.rows.append_column("$change", pa.array(np.arange(changes.num_rows) * 4 + kinds))


class InProcess:
    """A job of a graph. Results of the outputs are collected in ``results``, all notes in ``notes``; with ``chance`` cells come to each task in a random order."""

    def __init__(
        self,
        graph: Graph,
        shares: int,
        folder: str,
        *,
        outputs: Sequence[OutputKey | None] = (),
        map_folder: MapFolder | None = None,
        chance: random.Random | None = None,
        state: SharedJobState | None = None,
    ) -> None:
        count = 1 + max(
            (edge.input_index for part in (*graph.sources, *graph.nodes) for edge in part.edges if edge.node is None), default=0
        )
        levels = cut(graph, shares, outputs)
        names = layout_of(graph, [f"sink{number}" for number in range(count)]).operators
        self.job = SharedJob(levels, Gate.location_of_program(folder), names, "run", map_folder=map_folder)
        self.state = self.job.begin() if state is None else state
        self.results: list[list[ChangeBatch]] = [[] for _ in range(count)]
        self.notes: list[Note] = []
        self.epoch = 0
        self.attempt = 0
        self._schemas = {
            edge.input_index: part.operator.schema if hasattr(part, "operator") else part.schema
            for part in (*graph.sources, *graph.nodes)
            for edge in part.edges
            if edge.node is None
        }
        self._chance = chance

    def run(
        self, rows: Mapping[Split, Sequence[pa.RecordBatch]], *, ended: Sequence[Split] = (), ends: Sequence[int] = (), now: int = 1000
    ) -> list[Note]:
        """Runs an epoch in which splits are read; ``ended`` have no more rows after it, and the sources ``ends`` neither. Returns its notes."""
        state = self.state
        for source, progress in enumerate(state.sources):
            names = {name: split.is_idle for name, split in progress.splits.items()}
            names.update({split: False for number, split in rows if number == source})
            state = self.job.with_splits(state, source, names)
        for source in ends:
            state = self.job.with_end(state, source)
        cells = self.run_level_0(state, rows, ended, now)
        for task in self.job.share_tasks(state, self.epoch, now, rows):
            content = pickle.dumps(task)
            cells = [cell for share in range(self.job.levels.shares) for cell in self.run_share(content, share, cells)]
        notes = [Note.of(cell.payload.to_pybytes()) for cell in cells if cell.kind == Kind.NOTE]
        assert not differing_attempts(notes)
        for cell in cells:
            assert cell.kind in (Kind.NOTE, Kind.RESULT), cell
            if cell.kind == Kind.RESULT:
                self.results[cell.input_index] += changes_of(cell.payload, self._schemas[cell.input_index])
        self.state = self.job.after(state, notes, now, ended)
        self.notes += notes
        self.epoch += 1
        return notes

    def run_level_0(
        self, state: SharedJobState, rows: Mapping[Split, Sequence[pa.RecordBatch]], ended: Sequence[Split], now: int
    ) -> list[Cell]:
        """Returns the cells of the tasks of splits."""
        content = pickle.dumps(self.job.source_task(self.epoch, now))
        cells: list[Cell] = []
        for origin, ((source, split), batches) in enumerate(rows.items()):
            plan = self.job.split_plan(state, origin, source, split, ends=(source, split) in ended)
            self.attempt += 1
            cells += pickle.loads(content)(pickle.loads(pickle.dumps(plan)), batches, self.attempt)
        return cells

    def run_share(self, content: bytes, share: int, cells: Sequence[Cell], attempt: int | None = None) -> list[Cell]:
        """Returns the cells of the task of a share, which gets those of its part."""
        own = [cell for cell in cells if cell.part == share]
        if self._chance is not None:
            self._chance.shuffle(own)
        self.attempt += 1
        given = [Cell.of(cell.to_bytes()) for cell in own]
        task: Any = pickle.loads(content)
        return list(task(share, given, self.attempt if attempt is None else attempt))

    def changes(self, output: int = 0) -> list[tuple[int, tuple[Any, ...]]]:
        """Returns the results of an output: the kind and the values of each row."""
        return [
            (int(kind), row)
            for batch in self.results[output]
            for kind, row in zip(
                np.zeros(batch.num_rows, np.int8) if batch.kinds is None else batch.kinds,
                zip(*(column.to_pylist() for column in batch.rows.columns), strict=True),
                strict=True,
            )
        ]
