"""Tasks of shares: all operators give the tables of the run in one piece, whatever the shares, the epochs, and the place of the state."""

from __future__ import annotations

import errno
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from all_graphs import STATEMENTS, Graphs, rows_of, table_of, tables_of
from in_process import InProcess, Split, numbered

from table_common.connector import RowKind
from table_common.exceptions import TableRuntimeException
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints import file_store
from table_runtime.streaming.graph.graph import Graph
from table_runtime.streaming.job.restarts import is_failure_of_system
from table_runtime.streaming.shares.exchange import share_of_bucket
from table_runtime.streaming.shares.mapped_state import MapFolder
from table_runtime.streaming.shares.wire import Cell, Kind

BY_ARRIVAL = {"sink with a key"}
"""Statements with a row per key, the first column, in which the last row counts: which one it is depends on the order of rows of different shares."""


def run_epochs(job: InProcess, graph: Graph, inputs: Sequence[ChangeBatch], epochs: int, splits: int = 1) -> None:
    sizes = [-(-batch.num_rows // epochs) for batch in inputs]
    for epoch in range(epochs):
        rows: dict[Split, list[pa.RecordBatch]] = {}
        for source, (batch, size) in enumerate(zip(inputs, sizes, strict=True)):
            part = batch.slice(min(epoch * size, batch.num_rows), max(0, min(size, batch.num_rows - epoch * size)))
            for split in range(splits):
                own = ChangeBatch(
                    part.rows.take(pa.array(range(split, part.num_rows, splits), pa.int64())),
                    None if part.kinds is None else part.kinds[split::splits],
                )
                rows[source, str(split)] = [numbered(own, has_kinds=graph.sources[source].has_kinds)]
        is_last = epoch == epochs - 1
        job.run(rows, ended=list(rows) if is_last else (), ends=range(len(inputs)) if is_last else (), now=1000 + epoch)


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_operator_gives_the_table_of_one_run_with_its_state_in_files_or_maps(name: str, graphs: Graphs, tmp_path: Path) -> None:
    chance = random.Random(name)
    graph = graphs.of(STATEMENTS[name])
    inputs = [rows_of(source, chance, 40, delay=4) for source in graph.sources]
    expected = tables_of(graph, inputs)
    for number, maps in enumerate([None, MapFolder(str(tmp_path / "maps"), 1 << 30)]):
        folder = tmp_path / str(number)
        job = InProcess(graph, 3, str(folder), map_folder=maps, chance=chance)
        run_epochs(job, graph, inputs, 3)
        found = [table_of(part) for part in job.results]
        if name in BY_ARRIVAL:
            assert keys_of(job) == keys_of(one_piece(graph, inputs, tmp_path / f"one{number}"))
        else:
            assert found == expected
        if maps is not None:
            used = [note.is_mapped for note in job.notes if note.token is not None and note.level]
            assert used.count(True) >= len(used) // 2
        for files in job.state.files.values():  # all state is in the bucket of the columns by which rows are divided
            for file in files:
                assert file.of == 3
                assert {share_of_bucket(bucket, 3) for bucket in buckets_of(folder / file.path)} == {file.share}


def one_piece(graph: Graph, inputs: Sequence[ChangeBatch], folder: Path) -> InProcess:
    job = InProcess(graph, 1, str(folder))
    run_epochs(job, graph, inputs, 1)
    return job


def keys_of(job: InProcess) -> set[object]:
    """Returns the keys that are there: the last change of a key is not its deletion."""
    last = {row[0]: kind for kind, row in job.changes()}
    return {key for key, kind in last.items() if kind != RowKind.DELETE.value}


def buckets_of(path: Path) -> list[int]:
    with pa.ipc.open_stream(path.read_bytes()) as reader:
        return [int(each) for each in reader.schema.metadata[b"buckets"].decode().strip("[]").split(",")]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("splits", [1, 4])
@pytest.mark.parametrize("delay", [0, 4])
@pytest.mark.parametrize(
    "name",
    [
        "slices",
        "slices in sets",
        "windows in any order",
        "sessions",
        "window rank",
        "window join",
        "interval join",
        "over",
        "sort by time",
        "pattern",
    ],
)
def test_in_event_time_the_table_does_not_depend_on_splits(name: str, delay: int, splits: int, graphs: Graphs, tmp_path: Path) -> None:
    chance = random.Random(f"{name} {delay} {splits}")
    graph = graphs.of(STATEMENTS[name])
    inputs = [distinct_times(rows_of(source, chance, 40, delay=delay)) for source in graph.sources]
    expected = tables_of(graph, inputs)
    job = InProcess(graph, 3, str(tmp_path), chance=chance)
    run_epochs(job, graph, inputs, 4, splits)
    assert [table_of(part) for part in job.results] == expected
    assert not sum(counters.get("numLateRecordsDropped", 0) for note in job.notes for counters in note.counters.values())


def distinct_times(batch: ChangeBatch) -> ChangeBatch:
    """Returns rows with different times: their order in time does not depend on which comes first."""
    place = batch.rows.schema.names.index("ts")
    times = batch.rows.column(place).cast(pa.int64()).to_numpy() + np.arange(batch.num_rows) * 1000
    column = pa.array(times).cast(batch.rows.schema.field(place).type)
    return ChangeBatch(batch.rows.set_column(place, batch.rows.schema.field(place), column), batch.kinds)


@pytest.mark.parametrize("places", [(16, 4, 16, 1), pytest.param((64, 16, 64, 1), marks=pytest.mark.night)], ids=["16", "64"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_the_state_of_every_operator_moves_to_another_number_of_shares(
    name: str, places: Sequence[int], graphs: Graphs, tmp_path: Path
) -> None:
    chance = random.Random(name)
    graph = graphs.of(STATEMENTS[name])
    inputs = [rows_of(source, chance, 40) for source in graph.sources]
    maps = MapFolder(str(tmp_path / "maps"), 1 << 30)
    job = InProcess(graph, places[0], str(tmp_path), map_folder=maps)
    results = job.results
    for number, shares in enumerate(places):
        job = InProcess(graph, shares, str(tmp_path), state=job.state, map_folder=maps)
        job.results, job.epoch = results, number
        rows: dict[Split, list[pa.RecordBatch]] = {}
        for source, batch in enumerate(inputs):
            part = batch.slice(number * batch.num_rows // 4, (number + 1) * batch.num_rows // 4 - number * batch.num_rows // 4)
            rows[source, "0"] = [numbered(part, has_kinds=graph.sources[source].has_kinds)]
        job.run(rows, ended=list(rows) if number == 3 else (), ends=range(len(inputs)) if number == 3 else ())
        assert {file.of for files in job.state.files.values() for file in files} <= {shares}
        assert {share for _, share in job.state.tokens} <= set(range(shares))
    if name in BY_ARRIVAL:
        assert keys_of(job) == keys_of(one_piece(graph, inputs, tmp_path / "one"))
    else:
        assert [table_of(part) for part in results] == tables_of(graph, inputs)


@pytest.mark.parametrize("name", ["groups", "window rank", "join", "slices", "updating over", "pattern"])
def test_a_task_that_runs_again_with_cells_in_another_order_in_another_process_gives_equal_cells_and_files(
    name: str, graphs: Graphs, tmp_path: Path
) -> None:
    chance = random.Random(name)
    graph = graphs.of(STATEMENTS[name])
    inputs = [rows_of(source, chance, 60, delay=4) for source in graph.sources]
    job = InProcess(graph, 2, str(tmp_path), chance=chance)
    run_epochs(job, graph, [batch.slice(0, 30) for batch in inputs], 1)
    state = job.state
    for source in range(len(inputs)):
        state = job.job.with_splits(state, source, {"0": False, "1": False})
    rows = {
        (source, str(split)): [numbered(batch.slice(30 + 15 * split, 15), has_kinds=graph.sources[source].has_kinds)]
        for source, batch in enumerate(inputs)
        for split in range(2)
    }
    cells = job.run_level_0(state, rows, (), 1001)
    (task, *_) = job.job.share_tasks(state, 1, 1001, rows)
    content = pickle.dumps(task)
    first = [job.run_share(content, share, cells, attempt=77) for share in range(2)]
    files = files_of(tmp_path, "*-77-*.arrow")
    again = in_another_process(content, [[cell for cell in reversed(cells) if cell.part == share] for share in range(2)])
    assert [sorted(map(without_buffer, given)) for given in again] == [sorted(map(without_buffer, given)) for given in first]
    assert files_of(tmp_path, "*-77-*.arrow") == files
    assert files or name == "pattern"


def files_of(folder: Path, pattern: str) -> list[tuple[str, bytes]]:
    """Returns the names and contents of files, and deletes them."""
    paths = sorted(folder.rglob(pattern))
    contents = [(path.name, path.read_bytes()) for path in paths]
    for path in paths:
        path.unlink()
    return contents


IN_ANOTHER_PROCESS = """
import pickle, sys
from table_runtime.streaming.shares.wire import Cell
task, shares = pickle.load(sys.stdin.buffer)
given = [[cell.to_bytes() for cell in pickle.loads(task)(share, map(Cell.of, cells), 77)] for share, cells in enumerate(shares)]
pickle.dump(given, sys.stdout.buffer)
"""


def in_another_process(task: bytes, shares: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Returns the cells of the task of each share, run by another Python with another order of sets."""
    given = pickle.dumps((task, [[cell.to_bytes() for cell in cells] for cells in shares]))
    done = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS],
        input=given,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return [[Cell.of(content) for content in contents] for contents in pickle.loads(done.stdout)]


def without_buffer(cell: Cell) -> tuple[Any, ...]:
    return (*cell[:-1], cell.payload.to_pybytes())


def test_a_share_without_rows_and_marks_writes_nothing_and_keeps_its_token(graphs: Graphs, tmp_path: Path) -> None:
    graph = graphs.of("SELECT k, COUNT(*) FROM (SELECT k FROM o) GROUP BY k")
    job = InProcess(graph, 64, str(tmp_path))
    row = pa.RecordBatch.from_pylist([{"k": 1}], schema=graph.sources[0].schema)
    job.run({(0, "0"): [row]})
    before = dict(job.state.tokens)
    written = set(tmp_path.rglob("*.arrow"))
    notes = job.run({(0, "0"): [row]}, now=1001)
    assert sum(note.token is not None for note in notes if note.level) == 1
    assert sum(before[key] != token for key, token in job.state.tokens.items()) == 1
    assert len(set(tmp_path.rglob("*.arrow")) - written) == 1
    assert table_of(job.results[0]) == {(1, 2): 1}


def test_the_row_of_an_aggregate_without_rows_comes_from_one_share_once(graphs: Graphs, tmp_path: Path) -> None:
    graph = graphs.of("SELECT k FROM o WHERE k >= (SELECT COUNT(*) FROM c)")
    inputs = [rows_of(source, random.Random(1), 0 if source.has_kinds else 9) for source in graph.sources]
    job = InProcess(graph, 3, str(tmp_path))
    run_epochs(job, graph, inputs, 3)
    assert [table_of(part) for part in job.results] == tables_of(graph, inputs)
    assert table_of(job.results[0]).total() == 9


def test_timers_fire_in_an_epoch_without_rows(graphs: Graphs, tmp_path: Path) -> None:
    graph = graphs.of(
        "SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(p), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k"
    )
    job = InProcess(graph, 3, str(tmp_path))
    row = rows_of(graph.sources[0], random.Random(1), 1).rows
    job.run({(0, "0"): [row]}, now=5000)
    assert job.state.next_due == 10_000
    assert not job.results[0]
    notes = job.run({}, now=10_000)
    assert sum(note.token is not None for note in notes) == 1
    assert table_of(job.results[0]).total() == 1
    assert job.state.next_due is None


def test_results_that_are_no_output_of_a_level_pass_through_the_ones_above(graphs: Graphs, tmp_path: Path) -> None:
    graph = graphs.of(STATEMENTS["aggregate of aggregate"])
    job = InProcess(graph, 2, str(tmp_path))
    cells = [
        Cell(0, 0, 0, 1, 0, Kind.RESULT, -1, 0, pa.py_buffer(b"x")),
        Cell(0, 0, 0, 1, 1, Kind.ROWS, max(job.job.levels.level_of), 0, pa.py_buffer(b"y")),
    ]
    task, *_ = job.job.share_tasks(job.job.begin(), 0, 1000, ())
    given = job.run_share(pickle.dumps(task), 0, cells)
    assert [cell[:-1] for cell in given[:1]] == [cells[0][:-1]]


def test_a_late_row_below_a_union_is_late(graphs: Graphs, tmp_path: Path) -> None:
    both = "(SELECT k, ts FROM t UNION ALL SELECT k, ts FROM u)"
    graph = graphs.of(
        f"SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE {both}, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
    )
    job = InProcess(graph, 2, str(tmp_path))

    def rows(*seconds: int) -> list[pa.RecordBatch]:
        source = graph.sources[0].schema
        times = pa.array([1_704_067_200_000_000 + 1_000_000 * second for second in seconds], pa.int64())
        columns = [times.cast(field.type) if field.name == "ts" else pa.array([1] * len(seconds), field.type) for field in source]
        return [pa.record_batch(columns, source)]

    job.run({(0, "a"): rows(1, 40), (1, "b"): rows(2, 40)}, now=1000)
    fired = [row[1] for _, row in job.changes()]
    assert fired == [2]
    notes = job.run({(0, "a"): rows(5, 60)}, now=1001)
    assert sum(counters["numLateRecordsDropped"] for note in notes for counters in note.counters.values()) == 1
    job.run({(0, "a"): rows(70), (1, "b"): rows(70)}, ended=[(0, "a"), (1, "b")], ends=[0, 1], now=1002)
    assert [row[1] for _, row in job.changes()] == [2, 2, 1, 2]


def test_a_limit_that_has_its_rows_is_finished(graphs: Graphs, tmp_path: Path) -> None:
    graph = graphs.of("SELECT k FROM t LIMIT 2")
    job = InProcess(graph, 3, str(tmp_path))
    given = rows_of(graph.sources[0], random.Random(1), 5)
    job.run({(0, "a"): [given.rows.slice(0, 1)]}, now=1000)
    assert not job.state.finished
    job.run({(0, "a"): [given.rows.slice(1)]}, now=1001)
    assert job.state.finished
    assert len(job.changes()) == 2


def test_each_share_names_the_attempts_of_all_tasks_below(graphs: Graphs, tmp_path: Path) -> None:
    graph = graphs.of(STATEMENTS["groups"])
    job = InProcess(graph, 3, str(tmp_path))
    given = rows_of(graph.sources[0], random.Random(1), 1)
    notes = job.run({(0, "a"): [given.rows], (0, "b"): []}, now=1000)
    attempts = {(note.level, note.origin, note.attempt) for note in notes if not note.level}
    assert len(attempts) == 2
    assert [set(note.consumed) for note in notes if note.level == 1] == [attempts] * 3


def test_jobs_of_one_machine_have_maps_of_their_own(graphs: Graphs, tmp_path: Path) -> None:
    graph = graphs.of(STATEMENTS["groups"])
    maps = MapFolder(str(tmp_path / "maps"), 1 << 30)
    jobs = [InProcess(graph, 2, str(tmp_path / name), map_folder=maps) for name in "ab"]
    row = rows_of(graph.sources[0], random.Random(1), 9).rows
    for _ in range(3):
        for job in jobs:
            job.run({(0, "0"): [row]})
    for job in jobs:
        used = [note.is_mapped for note in job.notes if note.token is not None and note.level]
        assert used.count(True) == 4, used


@pytest.mark.parametrize("has_maps", [True, False])
def test_a_full_disk_under_the_state_files_is_an_error_that_names_the_folder(
    has_maps: bool, graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = graphs.of(STATEMENTS["groups"])
    inputs = [rows_of(source, random.Random(1), 30) for source in graph.sources]
    job = InProcess(graph, 2, str(tmp_path / "job"), map_folder=MapFolder(str(tmp_path / "maps"), 1 << 30) if has_maps else None)
    first, second = ({(0, "0"): [inputs[0].rows.slice(start, 15)]} for start in (0, 15))
    job.run(first)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(file_store.os, "fsync", full)
        with pytest.raises(TableRuntimeException, match=r"No space left on device") as caught:
            job.run(second)
    assert str(tmp_path / "job") in caught.value.message
    assert caught.value.hint is not None
    assert "Make room there" in caught.value.hint
    assert is_failure_of_system(caught.value), "the job restarts"
    job.run(second, ended=list(second), ends=[0])
    assert [table_of(part) for part in job.results] == tables_of(graph, inputs)
    assert not list((tmp_path / "job").rglob(".*.arrow*")), "no part of a file is left"
