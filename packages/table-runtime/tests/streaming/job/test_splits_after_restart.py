"""Rows of a source with several splits are late after a restart only if they are late without it. No threads: what a reader puts is taken step by step."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_common.connector import Offset, ReadLimit
from table_common.types import BigIntType, RowType
from table_runtime.run.execution import ExecutionContext
from table_runtime.scans.scan_offsets import ScanOffsets
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Edge, Graph, Node, Source
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.graph.reading_order import ReadingOrder
from table_runtime.streaming.job.in_process import reader as readers
from table_runtime.streaming.job.in_process.mailbox import Mailbox
from table_runtime.streaming.job.in_process.reader import ReaderThread
from table_runtime.streaming.job.in_process.source_input import BatchingPolicy, SourceInput
from table_runtime.streaming.operators.watermark_assigner import WatermarkAssigner
from table_runtime.streaming.state.snapshots import Snapshot
from table_testing.line_log import LineLog, append_lines
from table_testing.rounds import rounds

ROW = RowType.of([("t", BigIntType())], nullable=False)
SCHEMA = pa.schema([("t", pa.int64())])
EDGE = [Edge(0, 0)]
DELAY = 5_000
"""Milliseconds. The rows of a split are in order, so none may be later than this."""


class Job:
    """One run of a job over a log that ends. ``watermarks`` are the greatest before each row minus the row's own."""

    def __init__(self, log: LineLog, position: Mapping[str, Any], state: Sequence[Snapshot]) -> None:
        scan = ScanOffsets(log, ROW, SCHEMA, "t", "log", changes=False)
        assigner = WatermarkAssigner(SCHEMA, 0, self._watermarks, interval=0, table="t")
        self._source = Source(scan, SCHEMA, False, EDGE)
        graph = Graph([self._source], [Node(assigner, 1, [Edge(None, 0)])])
        context, mailbox = ExecutionContext(), Mailbox()
        self.run = GraphRun(graph, context, [self._note_late])
        self.late: list[int] = []
        if state:
            self.run.restore([state])
        else:
            self.run.start()
        splits = self.run.splits_of(EDGE)
        reader = ReaderThread(scan, position, mailbox, context, "reader", splits)
        order = ReadingOrder.of(graph.sources, graph.nodes, self.run)
        self.input = SourceInput(0, self._source, reader, position, order, splits)
        reader._run()
        if mailbox.failure is not None:
            raise mailbox.failure

    @staticmethod
    def _watermarks(rows: pa.RecordBatch) -> pa.Array:
        return pa.array(1000 * (np.asarray(rows.column(0)) - DELAY), pa.timestamp("us"))

    def _note_late(self, batch: ChangeBatch) -> None:
        assert batch.before is not None
        times = np.asarray(batch.rows.column(0))
        self.late += times[times - DELAY < batch.before].tolist()

    def step(self, most: int) -> bool:
        """Takes up to ``most`` rows; returns whether the source continues."""
        taken = self.input.take(BatchingPolicy(most, 0.0))
        if taken.changes is not None:
            self.run.push(EDGE, taken.changes, taken.split)
        return not taken.has_ended

    def checkpoint(self) -> tuple[Mapping[str, Any], Sequence[Snapshot]]:
        return json.loads(json.dumps(self.input.position)), self.run.snapshot()


def test_a_split_without_rows_yet_is_waited_for_after_a_restart(tmp_path: Path) -> None:
    append_lines(tmp_path, "0", [[10_000], [90_000]])
    append_lines(tmp_path, "1", [[80_000]])
    append_lines(tmp_path, "slow", [[10_000]])
    log = LineLog(str(tmp_path), ROW, bounded=True)
    job = Job(log, {}, ())
    for _ in range(10):
        position, state = job.checkpoint()
        job.step(1)
        if position.get("rows") == 3:
            break
    restarted = Job(log, position, state)
    while restarted.step(1):
        pass
    assert (job.late, restarted.late) == ([], [])


def test_a_split_that_the_source_lists_is_waited_for_before_its_first_rows(tmp_path: Path) -> None:
    append_lines(tmp_path, "0", [[90_000]])
    append_lines(tmp_path, "1", [])
    log = LineLog(str(tmp_path), ROW, bounded=True)
    job = Job(log, {}, ())
    while job.step(1):
        pass
    position, state = job.checkpoint()
    append_lines(tmp_path, "0", [[91_000]])
    append_lines(tmp_path, "1", [[10_000]])
    restarted = Job(log, position, state)
    while restarted.step(1):
        pass
    assert (job.late, restarted.late) == ([], [])


@pytest.mark.parametrize("seed", rounds(40))
def test_no_row_is_late_wherever_jobs_are_killed(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    now, left = 1_000_000, 60

    def feed(count: int) -> None:
        nonlocal now, left
        for _ in range(min(count, left)):
            left -= 1
            now += chance.randint(0, 4_000)
            append_lines(tmp_path, str(chance.randrange(3)), [[now]] * chance.randint(1, 5))

    class Log(LineLog):
        def latest_offset(self, start: Offset, limit: ReadLimit | None = None) -> Offset:
            feed(chance.randint(0, 2))
            end = super().latest_offset(start, limit)
            feed(chance.randint(0, 2))
            return end

    position: Mapping[str, Any] = {}
    state: Sequence[Snapshot] = ()
    feed(chance.randint(0, 12))
    for _ in range(6):
        monkeypatch.setattr(readers, "_LIMIT", ReadLimit(rows=chance.choice([1, 3, 10, 1000])))
        job = Job(Log(str(tmp_path), ROW, bounded=True), position, state)
        for _ in range(chance.randint(0, 12)):
            goes_on = job.step(chance.choice([1, 4, 100]))
            if chance.random() < 0.5:
                position, state = job.checkpoint()
            if not goes_on:
                break
        assert job.late == [], f"seed {seed}"
