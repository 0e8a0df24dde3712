"""The register of fast paths, ``docs/adr/fast-paths.md``: each query with its fast path and with the general path beside it.

    python benchmarks/fast_paths.py [--rows 100000] [--rounds 5] [--smoke]

Both ways answer once before the rounds, and their answers are compared; in each round both answer in turn. The figures are processor time, and the ratio
of the medians. A fast path that gains less than 1.3 goes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import pyarrow as pa

from table_api import EnvironmentSettings, TableEnvironment


@dataclass(frozen=True)
class FastPath:
    """A query, and what switches its fast path off: an attribute of a module of table_runtime, and its value then."""

    file: str
    general: str
    query: str
    switch: tuple[str, str]
    off: Callable[[], Any]

    @contextmanager
    def general_path(self) -> Iterator[None]:
        """Switches the fast path off."""
        module, attribute = self.switch
        with mock.patch.object(importlib.import_module(f"table_runtime.{module}"), attribute, self.off()):
            yield


def _never() -> int:
    return 1 << 60


def _no_pattern() -> Callable[..., None]:
    return lambda pattern, group: None


_PAIRS = "SELECT COUNT(*), SUM(a.v + b.v) FROM t AS a JOIN t AS b ON a.k = b.k AND b.n BETWEEN a.n AND a.n + 20"
_MATCHES = """SELECT COUNT(*), SUM(l) FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(c.v) AS l
    AFTER MATCH SKIP PAST LAST ROW PATTERN (a b+ c) DEFINE b AS b.v > 500, c AS c.v < 300) AS m"""
FAST_PATHS = (
    FastPath("patterns/row_runs.py", "patterns/recognizer.py", _MATCHES, ("patterns.recognizer", "_WORTH_NUMPY"), _never),
    FastPath(
        "kernels/support/json_columns.py",
        "kernels/support/json_path.py",
        "SELECT COUNT(JSON_VALUE(j, '$.a.b')), MAX(JSON_QUERY(j, '$.a')) FROM t",
        ("kernels.support.json_columns", "_FEWEST"),
        _never,
    ),
    FastPath(
        "kernels/support/group_extraction.py",
        "kernels/support/java_matching.py",
        "SELECT COUNT(*), MAX(REGEXP_EXTRACT(s, '([a-z]+)-(\\d+)', 2)) FROM t",
        ("kernels.support.group_extraction", "_named_group"),
        _no_pattern,
    ),
    FastPath("batch/joins/range_index.py", "batch/joins/hash_join.py", _PAIRS, ("batch.joins.hash_join", "FEWEST_ROWS_PER_KEY"), _never),
)
"""Files are below ``packages/table-runtime/src/table_runtime``."""


def _environment(rows: int) -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.new_instance().in_batch_mode().with_planner("arrow").build())
    chance = random.Random(1)
    numbers = range(rows)
    data = {
        "k": pa.array([number % max(rows // 100, 1) for number in numbers], pa.int64()),
        "n": pa.array([number // max(rows // 100, 1) for number in numbers], pa.int64()),
        "v": pa.array([chance.randrange(1000) for _ in numbers], pa.int64()),
        "s": pa.array([f"order-{chance.randrange(rows)}" for _ in numbers], pa.string()),
        "j": pa.array([json.dumps({"a": {"b": chance.randrange(rows), "c": "x"}, "d": number}) for number in numbers], pa.string()),
        "ts": pa.array([number * 1000 for number in numbers], pa.timestamp("ms")),
    }
    env.create_temporary_view("t", env.from_arrow(pa.table(data)))
    return env


def measure(path: FastPath, rows: int, rounds: int) -> tuple[float, float]:
    """Returns the medians of the processor seconds, with the fast path and without.

    Raises:
        AssertionError: the two ways have different results.
    """
    env = _environment(rows)

    def answer() -> tuple[list[Any], float]:
        start = time.process_time()
        result = env.execute_sql(path.query).to_arrow().to_pylist()[-1:]
        return result, time.process_time() - start

    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        fast, seconds = answer()
        with path.general_path():
            general, general_seconds = answer()
        assert fast == general, f"{path.file}: {fast} instead of {general}"
        if number:
            taken[0].append(seconds)
            taken[1].append(general_seconds)
    env.close()
    return statistics.median(taken[0]), statistics.median(taken[1])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args(arguments)
    rows, rounds = (3_000, 1) if options.smoke else (options.rows, options.rounds)
    for path in FAST_PATHS:
        fast, general = measure(path, rows, rounds)
        print(f"{path.file:42} {fast:7.3f} s  {general:7.3f} s  {general / max(fast, 1e-9):5.1f}", flush=True)


if __name__ == "__main__":
    main()
