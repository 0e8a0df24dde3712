"""What the client plans: marks of splits that are not read, and the state after an epoch."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from all_graphs import STATEMENTS, Graphs, rows_of
from in_process import InProcess

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.checkpoints.state_files import StateFile
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.shared_job import SourceProgress, SplitProgress
from table_runtime.streaming.shares.wire import Mark
from table_runtime.streaming.time.watermarks import END_OF_TIME

ASSIGNER = 0


@pytest.fixture
def job(graphs: Graphs, tmp_path: Path) -> InProcess:
    return InProcess(graphs.of(STATEMENTS["slices"]), 2, str(tmp_path))


def with_splits(job: InProcess, **watermarks: int) -> None:
    splits = {name: SplitProgress({ASSIGNER: (watermark, watermark, 1)}) for name, watermark in watermarks.items()}
    job.state = job.job._with_source(job.state, 0, SourceProgress(splits, {ASSIGNER: min(watermarks.values())}))


def planned_marks(job: InProcess, *reading: str) -> list[Mark]:
    (task,) = job.job.share_tasks(job.state, 0, 1000, [(0, split) for split in reading])
    return [mark for marks in task.marks.values() for mark in marks]


def test_splits_that_are_not_read_hold_event_time_where_they_are(job: InProcess) -> None:
    with_splits(job, a=5, b=7)
    assert planned_marks(job) == [Mark([5]), Mark([7])]
    assert planned_marks(job, "a") == [Mark([7])]
    assert planned_marks(job, "a", "b") == []
    job.state = job.job.with_splits(job.state, 0, {"a": True, "b": False})
    assert planned_marks(job, "b") == [Mark([5], is_idle=True)]


def test_a_source_without_splits_lets_event_time_wait_and_one_that_has_ended_ends_it(job: InProcess) -> None:
    assert planned_marks(job) == [Mark([NO_WATERMARK])]
    job.state = job.job.with_end(job.state, 0)
    assert planned_marks(job) == [Mark([END_OF_TIME])]


def test_the_state_behind_an_epoch_is_that_of_its_notes_and_of_shares_without_one(job: InProcess) -> None:
    (node,) = (number for number, level in job.job.levels.level_of.items() if level == 1 and job.job.names[number].startswith("Window"))
    old, new = (StateFile(f"{number}", True, 1, 1, 1, number, 2) for number in range(2))
    state = job.job.after(job.state, [Note(1, 0, 1, token="t0", files={node: (old,)}, watermarks={node: [5, 6, 6]}, next_due=70)], 1000)
    state = job.job.after(
        state, [Note(1, 1, 2, token="t1", files={node: (new,)}, watermarks={node: [9, 8, 8]}, next_due=50), Note(1, 0, 3)], 1001
    )
    assert state.files == {node: (old, new)}
    assert state.tokens == {(1, 0): "t0", (1, 1): "t1"}
    assert state.watermarks == {node: (9, 8, 8)}
    assert (state.next_due, state.now, state.is_first) == (50, 1001, False)


def test_splits_that_ended_are_forgotten_and_the_watermark_stays(job: InProcess) -> None:
    with_splits(job, a=5, b=7)
    note = Note(0, 0, 1, source=0, split="a", progress={ASSIGNER: [9, 9, 2]})
    state = job.job.after(job.state, [note], 1000, ended=[(0, "b")])
    assert state.sources == (SourceProgress({"a": SplitProgress({ASSIGNER: (9, 9, 2)})}, {ASSIGNER: 7}),)


def test_the_progress_of_splits_is_state_that_the_embedded_engine_reads(job: InProcess) -> None:
    with_splits(job, a=5, b=7)
    snapshots = {node: [snapshot] for node, snapshot in job.job.source_states(job.state).items()}
    found = job.job.source_progress(0, snapshots)
    assert {name: split.watermark(ASSIGNER) for name, split in found.splits.items()} == {"a": 5, "b": 7}
    assert found.reached == {ASSIGNER: 5}


def test_rows_of_one_epoch_move_the_progress_of_their_splits(graphs: Graphs, tmp_path: Path) -> None:
    graph = graphs.of(STATEMENTS["slices"])
    job = InProcess(graph, 2, str(tmp_path))
    job.run({(0, "a"): [rows_of(graph.sources[0], random.Random(1), 9).rows]})
    assert job.state.sources[0].splits["a"].watermark(ASSIGNER) == job.state.sources[0].reached[ASSIGNER] > NO_WATERMARK
