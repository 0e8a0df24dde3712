"""Changes that undo each other are left out, and retractions come first."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.changes.batch import ChangeBatch
from table_runtime.streaming.shares.net_changes import last_changes, net_changes

SCHEMA = pa.schema([("k", pa.int64()), ("v", pa.string())])
INSERT, BEFORE, AFTER, DELETE = 0, 1, 2, 3


def changes(*rows: tuple[int, int, str | None]) -> ChangeBatch:
    columns = [pa.array([k for _, k, _ in rows], pa.int64()), pa.array([v for *_, v in rows], pa.string())]
    return ChangeBatch(pa.record_batch(columns, SCHEMA), np.array([kind for kind, *_ in rows], np.int8))


def listed(batches: list[ChangeBatch]) -> list[tuple[int, int, str | None]]:
    return [
        (int(kind), row["k"], row["v"])
        for batch in batches
        for kind, row in zip(batch.kinds if batch.kinds is not None else [], batch.rows.to_pylist(), strict=True)
    ]


def test_the_new_row_of_a_key_comes_behind_the_old_one() -> None:
    assert listed(net_changes([changes((AFTER, 7, "B")), changes((BEFORE, 7, "A"))], SCHEMA)) == [(BEFORE, 7, "A"), (AFTER, 7, "B")]


def test_a_row_that_comes_and_goes_is_left_out() -> None:
    given = [changes((INSERT, 1, "x"), (BEFORE, 1, "x"), (AFTER, 1, "y"), (DELETE, 1, "y"), (INSERT, 1, None))]
    assert listed(net_changes(given, SCHEMA)) == [(INSERT, 1, None)]


def test_insertions_alone_stay_as_they_are() -> None:
    given = [ChangeBatch(pa.record_batch([pa.array([1, 1]), pa.array(["a", "a"])], SCHEMA))]
    assert net_changes(given, SCHEMA) == given


@pytest.mark.parametrize("seed", range(20))
def test_the_table_is_that_of_all_changes(seed: int) -> None:
    chance = random.Random(seed)
    kinds = (INSERT, BEFORE, AFTER, DELETE)
    given = [
        changes(*((chance.choice(kinds), chance.randrange(3), chance.choice(("a", None))) for _ in range(chance.randrange(9))))
        for _ in range(3)
    ]

    def table(rows: list[tuple[int, int, str | None]]) -> Counter[tuple[int, str | None]]:
        found = Counter[tuple[int, str | None]]()
        for kind, *row in rows:
            found[row[0], row[1]] += -1 if kind & 1 else 1
        return Counter({row: count for row, count in found.items() if count})

    net = listed(net_changes(given, SCHEMA))
    assert table(net) == table(listed(given))
    assert [kind & 1 for kind, *_ in net] == sorted((kind & 1 for kind, *_ in net), reverse=True)
    assert sum(map(abs, table(net).values())) == len(net)


def test_a_row_that_is_replaced_and_deleted_at_once_is_deleted() -> None:
    replaced = [changes((AFTER, 1, "new"), (DELETE, 1, "new"), (AFTER, 2, "a"), (AFTER, 2, "b"))]
    assert listed(last_changes([replaced], SCHEMA, [0])) == [(DELETE, 1, "new"), (AFTER, 2, "b")]


@pytest.mark.parametrize("new_first", [True, False])
def test_the_row_of_the_task_that_has_the_key_now_stands(new_first: bool) -> None:
    old, new = [changes((AFTER, 1, "a"), (DELETE, 1, "a"))], [changes((INSERT, 1, "b"))]
    assert listed(last_changes([new, old] if new_first else [old, new], SCHEMA, [0])) == [(INSERT, 1, "b")]


def test_without_columns_there_is_one_row() -> None:
    assert listed(last_changes([[changes((AFTER, 1, "a"), (AFTER, 2, "b"))]], SCHEMA, [])) == [(AFTER, 2, "b")]
