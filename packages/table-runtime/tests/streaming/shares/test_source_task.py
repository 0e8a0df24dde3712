"""Tasks of splits: each continues with its own progress, and says what it lets event time come to."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from all_graphs import STATEMENTS, Graphs
from in_process import InProcess

from table_runtime.sources.watermark_progress import NO_WATERMARK
from table_runtime.streaming.shares.notes import Note
from table_runtime.streaming.shares.wire import Cell, Kind, Mark, changes_of

START = datetime(2024, 1, 1)


@pytest.fixture
def job(graphs: Graphs, tmp_path: Path) -> InProcess:
    return InProcess(graphs.of(STATEMENTS["slices"]), 1, str(tmp_path))


def rows(job: InProcess, *seconds: int) -> pa.RecordBatch:
    schema = job.job.levels.levels[0].sources[0].schema
    row = {"k": 1, "v": 1, "s": "a"}
    return pa.RecordBatch.from_pylist(
        [{name: row.get(name, START + timedelta(seconds=second)) for name in schema.names} for second in seconds], schema=schema
    )


def milliseconds(second: int) -> int:
    return int((START - datetime(1970, 1, 1)).total_seconds() + second) * 1000


def read(job: InProcess, split: str, *seconds: int, ends: bool = False) -> list[Cell]:
    plan = job.job.split_plan(job.state, 0, 0, split, ends=ends)
    batches = [rows(job, *seconds)] if seconds else []
    return list(job.job.source_task(0, 1000)(plan, batches, 1, lambda: 2))


def marks(cells: list[Cell]) -> list[int]:
    return [Mark.of(cell.payload).watermarks[-1] for cell in cells if cell.kind == Kind.MARK]


def before(job: InProcess, cells: list[Cell]) -> list[int]:
    schema = job.job.levels.levels[1].entries[0].schema
    return [
        each for cell in cells if cell.kind == Kind.ROWS for changes in changes_of(cell.payload, schema) for each in changes.before.tolist()
    ]


def test_a_split_gives_its_rows_its_watermark_and_a_note(job: InProcess) -> None:
    cells = read(job, "a", 0, 20, 10)
    assert before(job, cells) == [NO_WATERMARK, milliseconds(-5), milliseconds(15)]
    assert marks(cells) == [milliseconds(15)]
    note = Note.of(cells[-1].payload.to_pybytes())
    assert (note.source, note.split, note.rows_read, note.rows_ignored) == (0, "a", 3, 2)
    assert list(note.progress.values()) == [[milliseconds(15), milliseconds(15), 3]]


def test_a_split_goes_on_with_its_progress_and_waits_for_the_others_as_they_were(job: InProcess) -> None:
    job.run({(0, "a"): [rows(job, 20)], (0, "b"): [rows(job, 10)]})
    cells = read(job, "a", 40, 41)
    assert before(job, cells) == [milliseconds(5), milliseconds(5)], "the split b is behind"
    assert marks(cells) == [milliseconds(36)], "the readers take the least of all splits"
    assert marks(read(job, "a")) == [milliseconds(15)]


def test_nobody_waits_for_an_idle_split_or_one_that_ends(job: InProcess) -> None:
    job.run({(0, "a"): [rows(job, 20)], (0, "b"): [rows(job, 10)]})
    job.state = job.job.with_splits(job.state, 0, {"a": False, "b": True})
    assert before(job, read(job, "a", 40, 41)) == [milliseconds(15), milliseconds(35)]
    assert marks(read(job, "a", 40, ends=True)) == []
