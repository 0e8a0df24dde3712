"""Checkpoints of a large state: `python benchmarks/checkpoints.py [--keys 10_000_000] [--epochs 100] [--smoke]`.

A keyed aggregate gets `--keys` keys; then each epoch changes 1 % of them. Printed are how long the graph stands still for an epoch, what it writes, how large the folder becomes against
the state, and how long recovery takes. A tenth as many keys of a COUNT(DISTINCT …) with three values each are copied likewise, and `--keys` values of ten groups. Times are CPU seconds of the thread that runs the graph.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from table_common.functions.builtin import aggregates
from table_common.types import BigIntType
from table_runtime.aggregates import AggregateSpec
from table_runtime.aggregates.registry import make_accumulator
from table_runtime.batch.aggregation.aggregates_by_input import AggregateColumn
from table_runtime.run.execution import ExecutionContext
from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.checkpoints.job_folder import JobFolder
from table_runtime.streaming.checkpoints.manifest import Manifest, OperatorFiles
from table_runtime.streaming.checkpoints.state_files import StateFile, read_state, write_state
from table_runtime.streaming.graph.graph import Edge, Graph, Node
from table_runtime.streaming.graph.graph_run import GraphRun
from table_runtime.streaming.job.in_process.compaction import Compaction
from table_runtime.streaming.job.in_process.loop import SMALL_BATCH
from table_runtime.streaming.operators.group_aggregate import GroupAggregate

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.int64())])
DISTINCT = pa.schema([("k", pa.int64()), ("n", pa.int64())])
RESULT = pa.schema([("k", pa.int64()), ("n", pa.int64()), ("v", pa.int64())])
NAME = "GroupAggregate#0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=10_000_000)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--smoke", action="store_true", help="a small state, to see that it runs")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.keys, arguments.epochs = 100_000, 3
    with tempfile.TemporaryDirectory(prefix="checkpoints") as folder:
        measure(arguments.keys, arguments.epochs, JobFolder.open(folder, "benchmark", "arrow"))
    measure_distinct(arguments.keys // 10)
    measure_few_groups(arguments.keys)


def measure(keys: int, epochs: int, folder: JobFolder) -> None:
    context = ExecutionContext(memory=1 << 40)
    count = make_accumulator(aggregates.COUNT, AggregateSpec("COUNT", (), BigIntType(nullable=False), ()))
    total = make_accumulator(aggregates.SUM, AggregateSpec("SUM", (BigIntType(),), BigIntType(), ()))
    columns = [AggregateColumn(count), AggregateColumn(total, (1,))]
    operator = GroupAggregate(RESULT, SCHEMA, [0], columns, retracted=[False, False], gives_before=True)
    graph = Graph([], [Node(operator, 1, [Edge(None, 0)])])
    run = GraphRun(graph, context, [lambda changes: None])
    run.start()
    random = np.random.default_rng(7)
    for start in range(0, keys, 65_536):
        push(run, np.arange(start, min(keys, start + 65_536)))
    print_copy("the whole state", run, random, keys)
    for start in range(0, keys // 10, 65_536):
        push(run, np.arange(start, min(keys // 10, start + 65_536)))
    print_copy("10 % of the keys", run, random, keys)
    run.snapshot()
    compaction = Compaction(folder, "run", {NAME: graph.nodes[0]}, context)
    files: tuple[StateFile, ...] = ()
    stops, sizes, largest = [], [], 0
    written: set[str] = set()
    for epoch in range(epochs + 1):
        began = time.thread_time(), time.monotonic()
        (snapshot,) = run.snapshot(changes_only=epoch > 0)
        stops.append((time.thread_time() - began[0], time.monotonic() - began[1]))
        files = compaction.replaced(NAME, files)
        file = write_state(folder.store, folder.state_path(NAME, epoch, "run", "base" if snapshot.is_whole else "delta"), snapshot)
        sizes.append(file.bytes)
        files = (file,) if snapshot.is_whole else (file, *files)
        manifest = Manifest("benchmark", epoch, "run", 0, 0, {}, {NAME: OperatorFiles(files, snapshot.watermarks)}, {}, {})
        folder.decide(manifest)
        folder.set_done(epoch)
        written = folder.retain(3, {*written, *(each.path for each in manifest.files())})
        compaction.consider(manifest)
        largest = max(largest, sum(path.stat().st_size for path in Path(folder.store.url).rglob("*.arrow")))
        push(run, random.integers(0, keys, keys // 100))
    while compaction.is_busy:
        time.sleep(0.05)
    state = sizes[0]
    stop = sorted(stops[1:])[len(stops) // 2]
    print(f"whole snapshot: {stops[0][0]:.2f} s CPU, {state / 1e6:.0f} MB")
    print(
        f"1 % of the keys: the graph stops for {1000 * stop[0]:.0f} ms CPU ({1000 * stop[1]:.0f} ms wall), median; writes {max(sizes[1:]) / 1e6:.1f} MB"
    )
    print(f"the folder over {epochs} epochs: at most {largest / state:.2f} times the state, {len(files)} files at the end")
    began_at = time.thread_time(), time.monotonic()
    GraphRun(graph, context, [lambda changes: None]).restore([[read_state(folder.store, file)] for file in files])
    print(f"recovery from {len(files)} files: {time.thread_time() - began_at[0]:.1f} s CPU, {time.monotonic() - began_at[1]:.1f} s wall")


def distinct_run() -> GraphRun:
    """Returns a run of COUNT(DISTINCT v) by k."""
    spec = AggregateSpec("COUNT", (BigIntType(),), BigIntType(nullable=False), ())
    columns = [AggregateColumn(make_accumulator(aggregates.COUNT, spec), (1,), distinct=True)]
    operator = GroupAggregate(DISTINCT, SCHEMA, [0], columns, retracted=[True], gives_before=True)
    run = GraphRun(Graph([], [Node(operator, 1, [Edge(None, 0)])]), ExecutionContext(memory=1 << 40), [lambda changes: None])
    run.start()
    return run


def measure_distinct(keys: int) -> None:
    run, random = distinct_run(), np.random.default_rng(7)
    for value in range(3):
        for start in range(0, keys, 65_536):
            push(run, np.arange(start, min(keys, start + 65_536)), value)
    print_copy("COUNT(DISTINCT …): the whole state", run, random, keys)
    for share in (1, 10):
        run.snapshot(changes_only=True)
        for start in range(0, keys * share // 100, 65_536):
            push(run, random.integers(0, keys, min(65_536, keys * share // 100 - start)))
        print_copy(f"COUNT(DISTINCT …): {share} % of the keys", run, random, keys)


def measure_few_groups(values: int) -> None:
    run, random = distinct_run(), np.random.default_rng(7)

    def push_values(numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        batch = pa.RecordBatch.from_arrays([pa.array(numbers % 10), pa.array(numbers)], schema=SCHEMA)
        run.push([Edge(0, 0)], ChangeBatch(batch))

    for start in range(0, values, 65_536):
        push_values(np.arange(start, min(values, start + 65_536)))
    run.snapshot()
    for start in range(0, values // 100, 65_536):
        push_values(random.integers(0, values, min(65_536, values // 100 - start)))
    began = time.thread_time()
    (copied,) = run.copy_state(changes_only=True).finish()
    stop = time.thread_time() - began
    size = sum(table.nbytes for snapshot in copied.snapshots() for tables in snapshot.buckets.values() for table in tables.values())
    print(f"COUNT(DISTINCT …): 1 % of {values:,} values of ten groups: one stop of {1000 * stop:.0f} ms CPU, {size / 1e6:.1f} MB")


def print_copy(what: str, run: GraphRun, random: np.random.Generator, keys: int) -> None:
    """Copies the whole state or its changes in pieces, with a batch of random keys between them, as large as the loop makes it meanwhile."""
    copy, stops, is_last = run.copy_state(changes_only=True), [], False
    while not is_last:
        began = time.thread_time()
        is_last = copy.step()
        if is_last:
            (copied,) = copy.finish()
        stops.append(time.thread_time() - began)
        push(run, random.integers(0, keys, SMALL_BATCH))
    rounds = [sum(tables["keys"].num_rows for tables in snapshot.buckets.values()) for snapshot in copied.snapshots()]
    print(
        f"{what} in pieces, with {SMALL_BATCH:,} random keys after each: {len(stops)} stops of at most {1000 * max(stops):.0f} ms CPU, the last one of {1000 * stops[-1]:.0f} ms; keys by round {rounds}"
    )


def push(run: GraphRun, keys: np.ndarray[tuple[int], np.dtype[np.int64]], value: int = 0) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(keys), pa.array(keys % 100 + value)], schema=SCHEMA)
    run.push([Edge(0, 0)], ChangeBatch(batch))


if __name__ == "__main__":
    main()
