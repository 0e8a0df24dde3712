"""Rows in parts by the hash of their keys."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing

import pyarrow as pa
import pytest

from table_runtime.batch import parts
from table_runtime.batch.parts import PARTS, divided, dividing_keys, runs_by_part
from table_runtime.run.execution import ExecutionContext

SCHEMA = pa.schema([("k", pa.int64()), ("t", pa.string()), ("n", pa.int64())])


def _batches(rows: int, seed: int = 1) -> list[pa.RecordBatch]:
    rng = random.Random(seed)
    keys = [rng.choice([None, *range(200)]) for _ in range(rows)]
    columns = [pa.array(keys, pa.int64()), pa.array([f"text {key}" for key in keys]), pa.array(range(rows))]
    return pa.Table.from_batches([pa.RecordBatch.from_arrays(columns, schema=SCHEMA)]).to_batches(max_chunksize=97)


def _key(batch: pa.RecordBatch) -> list[pa.Array]:
    return [batch.column(0)]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_rows_of_a_key_are_in_one_part_in_the_order_of_the_input(threads: int) -> None:
    batches = _batches(5000)
    rows = sorted(row["n"] for batch in batches for row in batch.to_pylist())
    with closing(ExecutionContext(parallelism=threads)) as context:
        found = divided(batches, SCHEMA, _key, context)
    assert (len(found), batches) == (PARTS, [])
    part_of: dict[int | None, int] = {}
    seen = []
    for number, part in enumerate(found):
        of_part = [row for batch in part for row in batch.to_pylist()]
        assert [row["n"] for row in of_part] == sorted(row["n"] for row in of_part)
        assert all(part_of.setdefault(row["k"], number) == number for row in of_part)
        seen += [row["n"] for row in of_part]
    assert sorted(seen) == rows
    assert len(set(part_of.values())) > PARTS // 2


def test_a_part_is_given_when_it_has_enough_rows_and_the_rest_at_the_end() -> None:
    with closing(ExecutionContext(parallelism=2)) as context:
        runs = list(runs_by_part(iter(_batches(400_000)), SCHEMA, _key, [5000] * PARTS, context))
    sizes = [[sum(batch.num_rows for batch in run.batches) for run in runs if run.part == part] for part in range(PARTS)]
    assert sum(map(sum, sizes)) == 400_000
    assert all(size >= 5000 for of_part in sizes for size in of_part[:-1])
    assert max(map(len, sizes)) > 1


def test_many_bytes_are_given_before_a_part_has_enough_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LARGEST_RUN", 1 << 16)
    with closing(ExecutionContext(parallelism=1)) as context:
        runs = list(runs_by_part(iter(_batches(400_000)), SCHEMA, _key, [10**9] * PARTS, context))
    assert len(runs) > PARTS
    assert sum(batch.num_rows for run in runs for batch in run.batches) == 400_000


def test_runs_end_with_the_error_of_their_input() -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield from _batches(300_000)
        raise ValueError("the input")

    with closing(ExecutionContext(parallelism=2)) as context, pytest.raises(ValueError, match="the input"):
        list(runs_by_part(failing(), SCHEMA, _key, [10**9] * PARTS, context))


def test_one_key_with_many_values_divides_and_numbers_are_preferred() -> None:
    rows = 1 << 14
    few, many = pa.array([i % 7 for i in range(rows)]), pa.array(range(rows))
    texts = many.cast(pa.string())
    skewed = pa.array([0 if i % 3 else i for i in range(rows)])
    assert dividing_keys([few, texts, many]) == [2]
    assert dividing_keys([few, texts]) == [1]
    assert dividing_keys([few, skewed]) == [0, 1]
    assert dividing_keys([few]) == [0]
