"""Retractions that have the key of their table alone, where rows are divided by other columns."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from all_graphs import Graphs, rows_of, table_of, tables_of
from in_process import InProcess, numbered

from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.graph.graph import Source

STATEMENTS = {
    "join": "SELECT c.k, c.s, t.v FROM e AS c JOIN t ON c.s = t.s",
    "outer join": "SELECT c.k, c.s, t.v FROM t LEFT JOIN e AS c ON UPPER(c.s) = UPPER(t.s)",
    "of a filter": "SELECT c.k, c.s, t.v FROM (SELECT k, COALESCE(s, 'none') AS s FROM e) AS c JOIN t ON c.s = t.s",
    "rank": "SELECT k, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY s ORDER BY k) AS r FROM e) WHERE r < 3",
    "over": "SELECT k, s, SUM(v) OVER (PARTITION BY s ORDER BY v) FROM e",
    "set operation": "SELECT k, s FROM e INTERSECT ALL SELECT k, s FROM e",
    "distinct": "SELECT DISTINCT k, s FROM e",
}


def with_keys_alone(changes: ChangeBatch, source: Source, chance: random.Random) -> ChangeBatch:
    """Returns the changes; of half of the retractions only the key is left."""
    if not source.has_kinds:
        return changes
    kept = (changes.signs > 0) | np.array([chance.random() < 0.5 for _ in range(changes.num_rows)])
    columns = [
        column
        if position in source.key
        else pa.array([value if keep else None for value, keep in zip(column.to_pylist(), kept, strict=True)], column.type)
        for position, column in enumerate(changes.rows.columns)
    ]
    return ChangeBatch(pa.RecordBatch.from_arrays(columns, schema=source.schema), changes.kinds)


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_row_of_a_retraction_is_found_by_its_key_in_all_shares(name: str, tmp_path: Path) -> None:
    with closing(Graphs(tmp_path)) as graphs:
        for seed in range(3):
            chance = random.Random(seed)
            inputs = [with_keys_alone(rows_of(source, chance, 40), source, chance) for source in graphs.of(STATEMENTS[name]).sources]
            (expected,) = tables_of(graphs.of(STATEMENTS[name]), inputs)
            graph = graphs.of(STATEMENTS[name])
            for source in graph.sources:
                source.scan = None  # type: ignore[assignment]
            job = InProcess(graph, 3, str(tmp_path / str(seed)))
            rows = {
                (number, "0"): [numbered(changes, has_kinds=source.has_kinds)]
                for number, (source, changes) in enumerate(zip(graph.sources, inputs, strict=True))
            }
            job.run(rows, ended=list(rows), ends=range(len(inputs)))
            assert table_of(job.results[0]) == expected, f"seed {seed}"
