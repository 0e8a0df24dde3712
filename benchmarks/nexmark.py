"""The Nexmark benchmark in streaming mode on the embedded engine: events per second of processor time, from the text of the query to the end of INSERT.

    python benchmarks/nexmark.py [--events 2000000] [--queries q0,q5] [--repeat 1] [--seed 1] [--workers 2] [--verify] [--smoke]

Query 6 is not in the list. The events are one Parquet file, made for the run by ``harness/nexmark_events.py``. Query 10 writes partitioned CSV files, the
others write to ``blackhole``. One core: Arrow's pool has one thread. With ``--workers`` the time on the clock of one worker and of that many, which were started
before: the ratio is printed. ``--verify`` instead compares the final table of each query with that of batch mode,
of query 12, whose windows are of processing time, only the totals.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from harness.nexmark_events import write_events, write_side_input
from harness.nexmark_queries import EVENTS, FUNCTION, QUERIES, SIDE_INPUT, VIEWS, NexmarkQuery
from harness.rows import first_difference

from table_api import EnvironmentSettings, TableEnvironment
from table_api.udf import udf
from table_common.arrow import apply_changes
from table_common.exceptions import TableError

__all__ = ["environment", "final_difference", "main"]


@udf(result_type="BIGINT")
def count_char(text: str, character: str) -> int:
    """Returns how often a text has a character."""
    return text.count(character)


def main() -> None:
    """Runs the chosen queries and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--queries", default="", help="names of queries, as q0,q5 (default: all)")
    parser.add_argument("--repeat", type=int, default=1, help="the fastest of this many runs counts")
    parser.add_argument("--seed", type=int, default=1, help="of the generated events")
    parser.add_argument("--workers", type=int, default=1, help="compare one worker process with this number")
    parser.add_argument("--verify", action="store_true", help="compare final tables with batch mode instead of measuring")
    parser.add_argument("--smoke", action="store_true", help="few events, as a smoke test")
    arguments = parser.parse_args()
    names = [name for name in arguments.queries.split(",") if name]
    queries = [query for query in QUERIES if not names or query.name in names]
    events = 20_000 if arguments.smoke else arguments.events
    with TemporaryDirectory() as folder:
        write_events(Path(folder) / "events.parquet", events, arguments.seed)
        write_side_input(Path(folder) / "side_input.parquet", seed=arguments.seed)
        measure = _measure if arguments.workers == 1 else _compare
        failed = (_verify if arguments.verify else measure)(queries, Path(folder), events, arguments)
    if failed:
        raise SystemExit(f"Failed: {', '.join(failed)}")


def final_difference(query: NexmarkQuery, folder: Path, workers: int = 1) -> str | None:
    """Returns how the final table of a query differs from the result of batch mode, or that it is empty; None: not at all."""
    tables = []
    for streaming in (True, False):
        with environment(folder, streaming=streaming, workers=workers) as env:
            result = env.execute_sql(query.summary.format(query.text) if streaming else query.reference or query.text)
            table = apply_changes(result.to_arrow(), len(result.get_resolved_schema().column_names))
            tables.append(table if query.decided is None else table.select(list(query.decided)))
    return first_difference(tables[0], tables[1], ordered=False) if tables[1].num_rows else "no rows to compare"


@contextmanager
def environment(folder: Path, *, streaming: bool = True, workers: int = 1) -> Iterator[TableEnvironment]:
    """Yields an environment with the tables, views and the function of the benchmark over the files of a folder."""
    settings = EnvironmentSettings.new_instance().with_planner("arrow")
    with TableEnvironment.create((settings.in_streaming_mode() if streaming else settings.in_batch_mode()).build()) as env:
        env.get_config().set("table.dml-sync", "true")
        if streaming and workers > 1:
            env.get_config().set("table.exec.resource.default-parallelism", str(workers))
        env.create_temporary_system_function(FUNCTION, count_char)
        env.execute_sql(EVENTS.format(path=folder / "events.parquet"))
        env.execute_sql(SIDE_INPUT.format(path=folder / "side_input.parquet"))
        for view in VIEWS:
            env.execute_sql(view)
        yield env


def _measure(queries: Sequence[NexmarkQuery], folder: Path, events: int, arguments: argparse.Namespace) -> list[str]:
    """Prints the events per second of each query; returns the names of those that failed."""
    pa.set_cpu_count(1)
    failed = []
    print(f"{events} events, seed {arguments.seed}")
    print(f"{'':4} {'M events/s':>10} {'target':>7}")
    for query in queries:
        try:
            seconds = min(_seconds(query, folder, time.process_time) for _ in range(arguments.repeat))
        except TableError as error:
            failed.append(query.name)
            print(f"{query.name:4} does not run: {str(error).splitlines()[0]}", flush=True)
        else:
            print(f"{query.name:4} {events / seconds / 1e6:10.2f} {query.target:7.1f}", flush=True)
    return failed


def _verify(queries: Sequence[NexmarkQuery], folder: Path, events: int, arguments: argparse.Namespace) -> list[str]:
    """Prints whether the final table of each query is that of batch mode; returns the names of those that differ or fail."""
    failed = []
    print(f"{events} events, seed {arguments.seed}: final tables in streaming mode and in batch mode")
    for query in queries:
        try:
            difference = final_difference(query, folder, arguments.workers)
        except TableError as error:
            difference = f"does not run: {str(error).splitlines()[0]}"
        if difference is not None:
            failed.append(query.name)
        print(f"{query.name:4} {difference or 'equal'}", flush=True)
    return failed


def _compare(queries: Sequence[NexmarkQuery], folder: Path, events: int, arguments: argparse.Namespace) -> list[str]:
    """Prints the seconds of each query on one worker and on several; returns the names of those that failed."""
    pa.set_cpu_count(1)
    failed, workers = [], arguments.workers
    print(f"{events} events, seed {arguments.seed}")
    print(f"{'':4} {'1 worker':>10} {f'{workers} workers':>10} {'ratio':>6}")
    with environment(folder, workers=workers) as env:  # their processes are those of all later queries
        env.execute_sql("SELECT event_type, COUNT(*) FROM events GROUP BY event_type").to_arrow()
        for query in queries:
            try:
                one, several = (
                    min(_seconds(query, folder, time.perf_counter, count) for _ in range(arguments.repeat)) for count in (1, workers)
                )
            except TableError as error:
                failed.append(query.name)
                print(f"{query.name:4} does not run: {str(error).splitlines()[0]}", flush=True)
            else:
                print(f"{query.name:4} {one:10.2f} {several:10.2f} {one / several:6.2f}", flush=True)
    return failed


def _seconds(query: NexmarkQuery, folder: Path, clock: Callable[[], float], workers: int = 1) -> float:
    """Returns the time of a query by a clock, from its text to the end of INSERT."""
    with environment(folder, workers=workers) as env, TemporaryDirectory(dir=folder) as output:
        if query.name == "q10":
            sink = f"PARTITIONED BY (dt, hm) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{output}')"
        else:
            sink = "WITH ('connector' = 'blackhole')"
        env.execute_sql(f"CREATE TEMPORARY TABLE sink ({query.sink}) {sink}")
        gc.collect()
        started = clock()
        env.execute_sql(f"INSERT INTO sink {query.text}")
        return clock() - started


if __name__ == "__main__":
    main()
