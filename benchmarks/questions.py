"""The embedded engine and DuckDB on 22 everyday questions over the table of db-benchmark: the processor time and the wall-clock time of each.

    python benchmarks/questions.py [--rows 10000000] [--rounds 1] [--questions 1,8,20] [--seed 1] [--smoke]

The rows are one Parquet file, made once for each number of rows and seed. Both engines answer each question once before the rounds, and their answers
are compared; in each round both answer in turn.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from harness.questions import COLUMNS, QUESTIONS, Question, write_rows

from table_api import EnvironmentSettings, TableEnvironment

DATA = Path(__file__).resolve().parents[1] / "data" / "questions"


def main() -> None:
    """Runs the chosen questions and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--questions", default="", help="their numbers from 1 on, as 1,8 (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the generated rows")
    parser.add_argument("--smoke", action="store_true", help="few rows, as a smoke test")
    arguments = parser.parse_args()
    rows = 20_000 if arguments.smoke else arguments.rows
    chosen = [int(number) for number in arguments.questions.split(",") if number] or range(1, len(QUESTIONS) + 1)
    DATA.mkdir(parents=True, exist_ok=True)
    path = DATA / f"{rows}-{arguments.seed}.parquet"
    if not path.exists():
        write_rows(path, rows, arguments.seed)
    print(f"{rows} rows, seed {arguments.seed}, {arguments.rounds} rounds; seconds of processor time, and ratios to DuckDB")
    print(f"{'':>2} {'':22}{'ours':>7}{'theirs':>7}{'ratio':>7}{'wall':>7}")
    settings = EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build()
    ratios, walls, wrong = [], [], []
    with TableEnvironment.create(settings) as env, duckdb.connect(config={"memory_limit": "8GB"}) as connection:
        env.execute_sql(f"CREATE TABLE x ({COLUMNS}) WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{path}')")
        connection.execute(f"CREATE VIEW x AS FROM '{path}'")
        for number in chosen:
            question = QUESTIONS[number - 1]
            difference, ours, theirs = _answer(question, env, connection, arguments.rounds)
            ratios.append(statistics.median(one[0] / other[0] for one, other in zip(ours, theirs, strict=True)))
            walls.append(statistics.median(one[1] / other[1] for one, other in zip(ours, theirs, strict=True)))
            cpu = (statistics.median(times[0] for times in side) for side in (ours, theirs))
            figures = "".join(f"{figure:7.2f}" for figure in (*cpu, ratios[-1], walls[-1]))
            print(f"{number:>2} {question.name:22}{figures}  {difference or ''}".rstrip(), flush=True)
            wrong.extend([number] if difference else [])
    print(f"geometric mean of ratios: {statistics.geometric_mean(ratios):.2f}; of wall-clock time: {statistics.geometric_mean(walls):.2f}")
    if wrong:
        raise SystemExit(f"Answers differ: {wrong}")


_Times = list[tuple[float, float]]


def _answer(
    question: Question, env: TableEnvironment, connection: duckdb.DuckDBPyConnection, rounds: int
) -> tuple[str | None, _Times, _Times]:
    """Returns how the answers differ, and the processor time and wall-clock time of each side per round."""

    def ask(mine: bool) -> pa.Table:
        return env.execute_sql(question.text).to_arrow() if mine else connection.execute(question.duckdb or question.text).to_arrow_table()

    difference = _difference(ask(True), ask(False))
    times: tuple[_Times, _Times] = ([], [])
    for number in range(rounds):
        for mine in (True, False) if number % 2 == 0 else (False, True):
            cpu, wall = time.process_time(), time.perf_counter()
            ask(mine)
            times[0 if mine else 1].append((time.process_time() - cpu, time.perf_counter() - wall))
    return difference, *times


def _difference(ours: pa.Table, theirs: pa.Table) -> str | None:
    """Returns how two tables differ whose rows have any order; the values of each column are compared without the other columns."""
    if ours.shape != theirs.shape:
        return f"{ours.shape} instead of {theirs.shape} rows and columns"
    for one, other, name in zip(ours.columns, theirs.columns, ours.column_names, strict=True):
        if pa.types.is_string(one.type):
            same = (
                pc.value_counts(one.combine_chunks())
                .sort(order="ascending", by="values")
                .equals(pc.value_counts(other.cast(one.type).combine_chunks()).sort(order="ascending", by="values"))
            )
        else:
            sorted_values = (np.sort(side.cast(pa.float64()).to_numpy()) for side in (one, other))
            same = np.allclose(*sorted_values, rtol=1e-9, atol=1e-12, equal_nan=True)
        if not same:
            return f"values of {name} differ"
    return None


if __name__ == "__main__":
    main()
