from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.changes.batch import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, ChangeBatch
from table_runtime.streaming.state.retractions_by_key import CountedRows
from table_testing.rounds import rounds

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.string())])


def changes(*rows: tuple[int, Any, str | None]) -> ChangeBatch:
    """Returns changes of kind, key and value."""
    columns = [pa.array([row[1] for row in rows], pa.int64()), pa.array([row[2] for row in rows], pa.string())]
    return ChangeBatch(pa.RecordBatch.from_arrays(columns, schema=SCHEMA), np.array([row[0] for row in rows], np.int8))


def rows_of(batch: ChangeBatch) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in batch.rows.columns), strict=True))


def test_a_retraction_with_the_key_alone_gets_the_values_of_its_row() -> None:
    counted = CountedRows(SCHEMA, [0])
    counted.apply(changes((INSERT, 1, "a"), (INSERT, 2, "b")))
    batch, ids = counted.apply(changes((UPDATE_BEFORE, 1, None), (UPDATE_AFTER, 1, "c"), (DELETE, 1, None), (DELETE, 2, None)))
    assert rows_of(batch) == [(1, "a"), (1, "c"), (1, "c"), (2, "b")]
    assert len(set(ids.tolist())) == 3


def test_a_retraction_with_the_key_alone_finds_a_row_of_the_same_batch() -> None:
    batch, _ = CountedRows(SCHEMA, [0]).apply(
        changes((INSERT, 1, "a"), (DELETE, 1, None), (DELETE, 1, None), (INSERT, 1, "b"), (DELETE, 1, None))
    )
    assert rows_of(batch) == [(1, "a"), (1, "a"), (1, None), (1, "b"), (1, "b")]


def test_a_retraction_that_equals_a_row_takes_back_this_row_and_not_the_last_one_of_its_key() -> None:
    counted = CountedRows(SCHEMA, [0])
    counted.apply(changes((INSERT, 1, "a"), (DELETE, 9, None), (INSERT, 1, "b")))
    batch, _ = counted.apply(changes((DELETE, 1, "a"), (DELETE, 1, None)))
    assert rows_of(batch) == [(1, "a"), (1, "b")]


def test_without_a_key_a_retraction_stays_as_it_is() -> None:
    counted = CountedRows(SCHEMA, None)
    batch, _ = counted.apply(changes((INSERT, 1, "a"), (DELETE, 1, None)))
    assert rows_of(batch) == [(1, "a"), (1, None)]


@pytest.mark.parametrize("seed", rounds(3))
def test_retractions_leave_the_rows_of_a_row_by_row_model_for_any_batches(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(20):
        counted, present, there = CountedRows(SCHEMA, [0]), dict[int, str | None](), Counter[tuple[Any, ...]]()
        for _ in range(chance.randrange(1, 6)):
            given = []
            for _ in range(chance.randrange(1, 12)):
                key = chance.randrange(4)
                if key in present:
                    value = present.pop(key)
                    given.append((DELETE, key, value if chance.random() < 0.4 else None))
                else:
                    present[key] = chance.choice(["a", "b", None])
                    given.append((INSERT, key, present[key]))
            batch, _ = counted.apply(changes(*given))
            for sign, row in zip(batch.signs.tolist(), rows_of(batch), strict=True):
                there[row] += sign
            assert +there == Counter(present.items())
            assert min(there.values()) >= 0
