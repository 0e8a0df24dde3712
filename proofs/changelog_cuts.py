"""Invariance under batch boundaries: `python proofs/changelog_cuts.py [--count N] [--seed N]`.

Runs random queries of one to three operators over random changelogs. The input arrives in single rows, in batches of three and in one batch: rows, kinds and
order of the result must be the same. With mini-batches, and with scans that several operators read, the final tables must be the same. All of them must equal the
result of batch mode. Saving and restoring the state after each batch must not change the result. Statement sets of these queries must write the same tables.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock
from weakref import WeakKeyDictionary

import pyarrow as pa

from table_api import EnvironmentSettings, TableEnvironment
from table_common.connector import RowKind

__all__ = ["check", "check_statement_sets", "main"]

COLUMNS = ("k", "v", "s")
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
CUTS = (None, 3, 1)


def random_changes(chance: random.Random, length: int) -> list[str]:
    """Returns lines of debezium-json: insertions, and updates and deletions of existing rows."""
    present: list[dict[str, Any]] = []
    lines = []
    for _ in range(length):
        row = {"k": chance.choice([None, 1, 2, 3]), "v": chance.choice([None, 0, 1, 2, 5]), "s": chance.choice([None, "a", "b"])}
        if present and chance.random() < 0.4:
            old = present.pop(chance.randrange(len(present)))
            if chance.random() < 0.5:
                lines.append({"before": old, "after": None, "op": "d"})
                continue
            lines.append({"before": old, "after": row, "op": "u"})
        else:
            lines.append({"before": None, "after": row, "op": "c"})
        present.append(row)
    return [json.dumps(line) for line in lines]


def random_keyed_changes(chance: random.Random, length: int) -> list[str]:
    """Returns lines of debezium-json for a table with the primary key k; updates may change k to an unused value."""
    present: dict[int, dict[str, Any]] = {}
    lines = []
    for _ in range(length):
        key = chance.randrange(1, 6)
        row = {"k": key, "v": chance.choice([None, 0, 1, 2, 5]), "s": chance.choice([None, "a", "b"])}
        old = present.pop(key if key in present else chance.choice([*present, key]), None)
        if old is not None and chance.random() < 0.2:
            lines.append({"before": old, "after": None, "op": "d"})
            continue
        lines.append({"before": old, "after": row, "op": "c" if old is None else "u"})
        present[key] = row
    return [json.dumps(line) for line in lines]


def random_rows(chance: random.Random, length: int) -> list[str]:
    """Returns lines of JSON."""
    return [
        json.dumps({"k": chance.choice([None, 1, 2, 3]), "v": chance.choice([None, 0, 1, 2, 5]), "s": chance.choice([None, "a", "b"])})
        for _ in range(length)
    ]


def random_query(chance: random.Random, depth: int) -> str:
    """Returns a query with the columns k, v and s."""
    if depth == 0:
        return f"SELECT k, v, s FROM {chance.choice(sorted(TABLES))}"
    inner = random_query(chance, depth - 1)
    other = random_query(chance, chance.randrange(depth))
    join = chance.choice(JOINS)
    rank, direction, bound = (
        chance.choice(["RANK", "DENSE_RANK"]),
        chance.choice(["", " DESC"]),
        chance.choice(["= 1", "<= 2", "BETWEEN 2 AND 3"]),
    )
    return chance.choice(
        [
            f"SELECT * FROM ({inner}) WHERE v > {chance.randrange(3)}",
            f"SELECT k, SUM(v) AS v, MAX(s) AS s FROM ({inner}) GROUP BY k",
            f"SELECT MIN(k) AS k, COUNT(*) AS v, s FROM ({inner}) GROUP BY s",
            f"SELECT k, MAX(v) AS v, s FROM ({inner}) GROUP BY k, s",
            f"SELECT k, AVG(v) AS v, MIN(s) FILTER (WHERE v > 0) AS s FROM ({inner}) GROUP BY k",
            f"SELECT k, COUNT(DISTINCT s) AS v, MIN(s) AS s FROM ({inner}) GROUP BY k HAVING COUNT(*) > 1",
            f"SELECT k, COUNT(v) AS v, s FROM ({inner}) GROUP BY {chance.choice(['ROLLUP', 'CUBE'])} (k, s)",
            f"SELECT k, CAST(10 * PERCENTILE(v, 0.5) AS BIGINT) AS v, MAX(s) AS s FROM ({inner}) GROUP BY k",
            f"SELECT k, CAST(ROUND(1000 * VAR_POP(CAST(v AS DOUBLE))) AS BIGINT) AS v, MIN(s) AS s FROM ({inner}) GROUP BY k",
            f"SELECT k, CAST(CHAR_LENGTH(LISTAGG(s)) + CARDINALITY(ARRAY_AGG(v)) AS BIGINT) AS v, MIN(s) AS s FROM ({inner}) GROUP BY k",
            f"SELECT MAX(k) AS k, BITMAP_BUILD_CARDINALITY_AGG(CAST(v AS INT)) AS v, s FROM ({inner}) GROUP BY s",
            f"SELECT DISTINCT k, v, s FROM ({inner})",
            f"SELECT a.k, b.v, a.s FROM ({inner}) AS a {join} ({other}) AS b ON a.k = b.k",
            f"SELECT a.k, b.v, b.s FROM ({inner}) AS a {join} ({other}) AS b ON a.k = b.k AND a.v < b.v",
            f"SELECT a.k, b.v, b.s FROM ({inner}) AS a {join} ({other}) AS b ON a.k IS NOT DISTINCT FROM b.k AND a.s = b.s",
            f"SELECT a.k, (SELECT SUM(b.v) FROM ({other}) AS b WHERE b.k = a.k) AS v, a.s FROM ({inner}) AS a",
            f"SELECT * FROM ({inner}) WHERE k IN (SELECT k FROM ({other}))",
            f"SELECT * FROM ({inner}) WHERE k NOT IN (SELECT k FROM ({other}))",
            f"SELECT * FROM ({inner}) AS a WHERE NOT EXISTS (SELECT 1 FROM ({other}) AS b WHERE b.s = a.s)",
            f"SELECT k, v, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v{direction}, s, k) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, n AS v, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY s ORDER BY v DESC, k) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, v, s FROM (SELECT *, {rank}() OVER (PARTITION BY k ORDER BY v{direction}) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, n AS v, s FROM (SELECT *, {rank}() OVER (PARTITION BY s ORDER BY v{direction}) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, n AS v, s FROM (SELECT *, {rank}() OVER (ORDER BY v{direction}) AS n FROM ({inner})) WHERE n {bound}",
            f"SELECT k, v, s FROM ({inner}) ORDER BY v{direction}, k, s LIMIT 3",
            f"SELECT k, v, s FROM ({inner}) ORDER BY v{direction}, k, s LIMIT 1",
            *(
                f"SELECT * FROM ({inner}) {kind} SELECT * FROM ({other})"
                for kind in ("UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
            ),
        ]
    )


class InputTable(NamedTuple):
    """A table of the queries, and the generator of its lines."""

    columns: str
    format: str
    lines: Callable[[random.Random, int], list[str]]


TABLES = {
    "a": InputTable("k INT, v BIGINT, s STRING", "json", random_rows),
    "p": InputTable("k INT PRIMARY KEY NOT ENFORCED, v BIGINT, s STRING", "debezium-json", random_keyed_changes),
    "t": InputTable("k INT, v BIGINT, s STRING", "debezium-json", random_changes),
    "u": InputTable("k INT, v BIGINT, s STRING", "debezium-json", random_changes),
}


@contextmanager
def _restored() -> Iterator[None]:
    """Makes graphs save and restore all state after each batch: every third snapshot is full, the others are incremental."""
    from table_runtime.changelog.graph import GraphRun

    original = GraphRun.push
    written: WeakKeyDictionary[GraphRun, list[Any]] = WeakKeyDictionary()

    def push(run: GraphRun, edges: Any, batch: Any) -> None:
        original(run, edges, batch)
        snapshots = written.setdefault(run, [])
        if len(snapshots) == 3:
            snapshots.clear()
        snapshots.insert(0, [through_ipc(snapshot) for snapshot in run.snapshot(changes_only=bool(snapshots))])
        run.restore(snapshots)

    with mock.patch.object(GraphRun, "push", push):
        yield


def through_ipc(snapshot: Any) -> Any:
    """Writes the batches of a snapshot as Arrow IPC, and reads them back."""
    buckets = {bucket: {name: _written_and_read(batch) for name, batch in tables.items()} for bucket, tables in snapshot.buckets.items()}
    return snapshot._replace(buckets=buckets)


def _written_and_read(batch: pa.RecordBatch) -> pa.RecordBatch:
    target = pa.BufferOutputStream()
    with pa.ipc.new_stream(target, batch.schema) as writer:
        writer.write_batch(batch)
    return pa.ipc.open_stream(target.getvalue()).read_next_batch()


@contextmanager
def _cut(size: int | None) -> Iterator[None]:
    """Makes the sources of graphs read batches of this size."""
    from table_runtime.changelog import graph

    original = graph._batches
    with mock.patch.object(graph, "_batches", lambda source, rows, context: original(source, size, context)):
        yield


class Session:
    """A session with the tables, in one mode."""

    def __init__(self, folder: Path, *, streaming: bool, mini_batch: bool = False) -> None:
        builder = EnvironmentSettings.new_instance().with_planner("arrow")
        self._env = TableEnvironment.create((builder.in_streaming_mode() if streaming else builder.in_batch_mode()).build())
        # A scan with two consumers passes each batch to one after the other, so the order of the result depends on the batch boundaries.
        self._env.get_config().set("table.optimizer.reuse-sub-plan-enabled", str(mini_batch).lower())
        if mini_batch:
            self._env.get_config().set("table.exec.mini-batch.enabled", "true").set("table.exec.mini-batch.size", "7")
        for name, table in TABLES.items():
            options = f"'connector' = 'filesystem', 'path' = '{folder / name}.json', 'format' = '{table.format}'"
            self._env.execute_sql(f"CREATE TABLE {name} ({table.columns}) WITH ({options})")

    def changes(self, query: str) -> list[tuple[str, tuple[Any, ...]]]:
        """Returns the changes of a query."""
        with self._env.execute_sql(query).collect() as rows:
            return [(row.get_row_kind().short_string, tuple(row)) for row in rows]

    def write_together(self, queries: Sequence[str], name: str) -> list[Counter[str]]:
        """Writes each query to a separate table, in one job; returns the rows of the tables."""
        self._env.get_config().set("table.optimizer.reuse-sub-plan-enabled", "true")
        statements = self._env.create_statement_set()
        targets = [f"`{name}/{number}`" for number in range(len(queries))]
        for target, query in zip(targets, queries, strict=True):
            options = f"'connector' = 'memory', 'name' = '{target}'"
            self._env.execute_sql(f"CREATE TABLE {target} (k INT, v BIGINT, s STRING) WITH ({options})")
            statements.add_insert_sql(f"INSERT INTO {target} {query}")
        statements.execute().wait()
        return [table(self.changes(f"SELECT * FROM {target}")) for target in targets]

    def close(self) -> None:
        """Ends the session."""
        self._env.close()


def table(changes: list[tuple[str, tuple[Any, ...]]]) -> Counter[str]:
    """Returns the count of each remaining row."""
    count: Counter[str] = Counter()
    for kind, row in changes:
        count[repr(row)] += 1 if kind in (RowKind.INSERT.short_string, RowKind.UPDATE_AFTER.short_string) else -1
    return Counter({row: number for row, number in count.items() if number})


def check(seed: int, queries: int) -> list[str]:
    """Runs random queries over the changelogs of a seed; returns descriptions of the failures."""
    chance = random.Random(seed)
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table_name, input_table in TABLES.items():
            (folder / f"{table_name}.json").write_text("\n".join(input_table.lines(chance, chance.randrange(1, 40))))
        streaming, netted = Session(folder, streaming=True), Session(folder, streaming=True, mini_batch=True)
        batch = Session(folder, streaming=False)
        for _ in range(queries):
            query = random_query(chance, chance.randrange(1, 4))
            results = []
            for size in CUTS:
                with _cut(size):
                    results.append(streaming.changes(query))
            with _cut(chance.choice([1, 3])), _restored():
                restored = streaming.changes(query)
            expected = table(batch.changes(query))
            if restored != results[0]:
                wrong.append(f"seed {seed}: the changes depend on saving and restoring the state: {query}")
            elif any(result != results[0] for result in results):
                wrong.append(f"seed {seed}: the changes depend on the batch boundaries: {query}")
            elif table(results[0]) != expected:
                wrong.append(f"seed {seed}: {table(results[0])} instead of {expected}: {query}")
            elif table(netted.changes(query)) != expected:
                wrong.append(f"seed {seed}: mini-batches produce another table: {query}")
        for session in (streaming, netted, batch):
            session.close()
    return wrong


def check_statement_sets(seed: int, sets: int) -> list[str]:
    """Writes several random queries by one statement set, which shares scans and subplans; returns descriptions of the failures."""
    chance = random.Random(seed)
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table_name, input_table in TABLES.items():
            (folder / f"{table_name}.json").write_text("\n".join(input_table.lines(chance, chance.randrange(1, 40))))
        streaming, batch = Session(folder, streaming=True, mini_batch=chance.random() < 0.3), Session(folder, streaming=False)
        for number in range(sets):
            queries = [
                f"SELECT CAST(k AS INT), CAST(v AS BIGINT), s FROM ({random_query(chance, chance.randrange(3))})"
                for _ in range(chance.randrange(2, 5))
            ]
            tables = streaming.write_together(queries, f"{name}/{number}")
            for query, written in zip(queries, tables, strict=True):
                expected = table(batch.changes(query))
                if written != expected:
                    wrong.append(f"seed {seed}: {written} instead of {expected}: {query} among {queries}")
        streaming.close()
        batch.close()
    return wrong


def main() -> int:
    """Runs the program; returns 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    wrong = 0
    for number in range(-(-arguments.count // 20)):
        found = [*check(arguments.seed + number, 20), *check_statement_sets(arguments.seed + number, 2)]
        wrong += len(found)
        print(*found, sep="\n", end="\n" if found else "", flush=True)
    print(f"{arguments.count} queries, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
