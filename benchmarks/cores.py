"""Queries of TPC-DS on one core and on several: how much of the work of the embedded engine is divided.

    python benchmarks/cores.py [--scale 1] [--cores 2] [--rounds 3] [--queries 1,5,20-30] [--no-duckdb] [--smoke]

Each side runs in processes of its own, which may use one core or ``--cores`` of them; they take turns. Prints per query the least seconds of
the rounds and the speedup. From one core to several Amdahl's law gives the serial part of the work, and from that what 4, 8 and 16 cores would
give. CPU is the processor time of the engine on all cores over that on one. DuckDB runs beside it on the same files and cores: its seconds on
all cores, its speedup, the engine's seconds over its seconds, and the processor times of both on one core. Its speedup also shows how quiet the
machine is.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from harness.tpc import load

DATA = Path(__file__).resolve().parents[1] / "data" / "tpc"
QUERIES = "2,3,4,7,9,11,13,14,19,25,28,31,47,48,51,59,67,78,85,88,93,97,99"
"""The queries that take longest, of those whose plans differ."""


@dataclass(frozen=True)
class Cost:
    """The seconds of one query as they pass, and those of all cores."""

    wall: float
    cpu: float


def serial_part(one: float, several: float, cores: int) -> float:
    """Returns the part of the work that one core does alone, by Amdahl's law; 0 to 1."""
    return min(1.0, max(0.0, (several / one - 1 / cores) / (1 - 1 / cores)))


def expected_speedup(serial: float, cores: int) -> float:
    """Returns how many times faster the work is on some cores."""
    return 1 / (serial + (1 - serial) / cores)


def _serve(connection: Connection, engine: str, cores: Sequence[int], scale: float, data: Path) -> None:
    """Runs queries, as the connection asks for their numbers, on some cores; answers with their cost."""
    os.sched_setaffinity(0, cores)
    import pyarrow as pa

    pa.set_cpu_count(len(cores))
    workload = load("tpcds", scale, data)
    run = _duckdb(workload, len(cores)) if engine == "duckdb" else _embedded(workload)
    while (number := connection.recv()) is not None:
        wall, cpu = time.perf_counter(), time.process_time()
        run(number)
        connection.send(Cost(time.perf_counter() - wall, time.process_time() - cpu))


def _embedded(workload: Any) -> Any:
    from table_api import EnvironmentSettings, TableEnvironment

    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    environment = TableEnvironment.create(settings)
    for definition in workload.definitions:
        environment.execute_sql(definition)
    return lambda number: environment.execute_sql(workload.queries[number]).to_arrow()


def _duckdb(workload: Any, threads: int) -> Any:
    from harness.tpc import connect

    context = connect(workload.benchmark, workload.files)
    connection = context.__enter__()
    connection.execute(f"SET threads = {threads}")
    return lambda number: (context, connection.execute(workload.duckdb_queries[number]).to_arrow_table())


class _Side:
    """A process that runs the queries of one engine on some cores."""

    def __init__(self, engine: str, cores: Sequence[int], scale: float, data: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, engine, cores, scale, data), daemon=True)
        self._process.start()

    def run(self, number: int) -> Cost:
        self._connection.send(number)
        return self._connection.recv()

    def close(self) -> None:
        self._connection.send(None)
        self._process.join()


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1, help="gigabytes of data, about (default: 1)")
    parser.add_argument("--cores", type=int, default=2, help="cores of the second side (default: 2)")
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds for each query (default: 3)")
    parser.add_argument("--queries", default=QUERIES, help=f"numbers of queries (default: {QUERIES})")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the tables")
    parser.add_argument("--no-duckdb", action="store_true", help="only the embedded engine")
    parser.add_argument("--smoke", action="store_true", help="two queries once on little data, to see that it runs")
    arguments = parser.parse_args()
    scale, rounds, text = (0.01, 1, "3,51") if arguments.smoke else (arguments.scale, arguments.rounds, arguments.queries)
    allowed = sorted(os.sched_getaffinity(0))
    cores = min(arguments.cores, len(allowed))
    load("tpcds", scale, arguments.data)
    engines = ["embedded"] if arguments.no_duckdb else ["embedded", "duckdb"]
    sides = {(engine, count): _Side(engine, allowed[:count], scale, arguments.data) for engine in engines for count in (1, cores)}
    best: dict[tuple[str, int], dict[int, Cost]] = {key: {} for key in sides}
    numbers = [number for part in text.split(",") for number in _range(part)]
    print(f"TPC-DS at scale {scale:g}, {rounds} rounds, 1 and {cores} cores")
    print(
        f"{'query':>5}{'1 core':>9}{f'{cores} cores':>9}{'speedup':>9}{'serial':>8}{'x4':>6}{'x8':>6}{'x16':>6}{'CPU':>6}{'DuckDB':>9}{'speedup':>9}{'ratio':>7}{'CPU 1':>7}"
    )
    for number in numbers:
        for side in sides.values():
            side.run(number)
        for _ in range(rounds):
            for key, side in sides.items():
                cost = side.run(number)
                known = best[key].get(number, cost)
                best[key][number] = Cost(min(known.wall, cost.wall), min(known.cpu, cost.cpu))
        print(_line(str(number), best, [number], cores), flush=True)
    print(_line("all", best, numbers, cores))
    for side in sides.values():
        side.close()


def _range(part: str) -> range:
    low, _, high = part.partition("-")
    return range(int(low), int(high or low) + 1)


def _line(title: str, best: dict[tuple[str, int], dict[int, Cost]], numbers: Sequence[int], cores: int) -> str:
    def wall(engine: str, count: int) -> float:
        return sum(best[engine, count][number].wall for number in numbers)

    def cpu(engine: str, count: int) -> float:
        return sum(best[engine, count][number].cpu for number in numbers)

    one, several = wall("embedded", 1), wall("embedded", cores)
    serial = serial_part(one, several, cores) if cores > 1 else 1.0
    text = f"{title:>5}{one:>9.3f}{several:>9.3f}{one / several:>9.2f}{serial:>8.2f}"
    text += "".join(f"{expected_speedup(serial, count):>6.1f}" for count in (4, 8, 16))
    text += f"{cpu('embedded', cores) / cpu('embedded', 1):>6.2f}"
    if ("duckdb", 1) in best:
        theirs = wall("duckdb", cores)
        text += f"{theirs:>9.3f}{wall('duckdb', 1) / theirs:>9.2f}{several / theirs:>7.2f}{cpu('embedded', 1) / cpu('duckdb', 1):>7.2f}"
    return text


if __name__ == "__main__":
    main()
