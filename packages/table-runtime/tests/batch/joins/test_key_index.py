"""Rows by key, compared with a dictionary."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.batch.joins import key_index
from table_runtime.batch.joins.key_index import KeyIndex

TYPES = {pa.int8(): lambda n: n, pa.int64(): lambda n: n * 10**17, pa.string(): str, pa.date32(): lambda n: n}


def pairs(index: KeyIndex, columns: list[pa.Array]) -> list[tuple[int, int]]:
    probes, rows = index.pairs(index.groups(columns))
    return list(zip(range(len(rows)) if probes is None else probes.to_pylist(), rows.to_pylist(), strict=True))


def expected(build: list[tuple[Any, ...]], probe: list[tuple[Any, ...]], null_equal: list[bool]) -> list[tuple[int, int]]:
    def equal(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
        return all(x == y and (x is not None or same) for x, y, same in zip(left, right, null_equal, strict=True))

    return [(i, j) for i, key in enumerate(probe) for j, other in enumerate(build) if equal(key, other)]


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("limit", [None, 3])
def test_pairs_are_those_of_equal_keys(monkeypatch: pytest.MonkeyPatch, type_: pa.DataType, width: int, limit: int | None) -> None:
    if limit is not None:
        monkeypatch.setattr(key_index, "LARGEST_CODE", limit)
    source = random.Random(f"{type_} {width}")
    make = TYPES[type_]
    null_equal = [source.random() < 0.5 for _ in range(width)]
    sides = [[tuple(source.choice([None, *map(make, range(5))]) for _ in range(width)) for _ in range(30)] for _ in range(2)]
    build, probe = ([pa.array([key[i] for key in side], type_) for i in range(width)] for side in sides)
    found = pairs(KeyIndex(build, null_equal), probe)
    assert sorted(found) == expected(*sides, null_equal)
    assert [position for position, _ in found] == sorted(position for position, _ in found)


def test_integers_outside_of_the_range_of_the_keys_find_nothing() -> None:
    index = KeyIndex([pa.array([5, 7], pa.int64())], [False])
    assert pairs(index, [pa.array([-(2**63), 4, 5, 6, 7, 8, 2**63 - 1, None], pa.int64())]) == [(2, 0), (4, 1)]


@pytest.mark.parametrize(
    ("keys", "is_unique", "per_key"), [([1, 2, None], True, 1.0), ([1, 1, 2, None], False, 1.5), ([None], True, 0.0), ([], True, 0.0)]
)
def test_an_index_knows_whether_keys_are_unique(keys: list[int | None], is_unique: bool, per_key: float) -> None:
    index = KeyIndex([pa.array(keys, pa.int64())], [False])
    assert (index.is_unique, index.rows_per_key) == (is_unique, per_key)


@pytest.mark.parametrize("keys", [[3, 1, 2], [3, 1, 3, 1, 1]])
def test_the_rows_of_a_key_and_the_ends_of_the_pairs(keys: list[int]) -> None:
    index = KeyIndex([pa.array(keys)], [False])
    groups = index.groups([pa.array([1, 9, 3])])
    counts = [keys.count(1), 0, keys.count(3)]
    assert index.pair_ends(groups).to_pylist() == [sum(counts[: i + 1]) for i in range(3)]
    assert index.rows_of(groups[0].as_py()).to_pylist() == [i for i, key in enumerate(keys) if key == 1]


def test_many_values_are_partitioned_into_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_index, "ROWS_AT_ONCE", 64)
    keys = [f"k{number % 150:05d}" for number in range(600)]
    index = KeyIndex([pa.array(keys)], [False])
    found = pairs(index, [pa.array(["k00007", "absent", None, "k00149"])])
    assert found == [(0, i) for i in range(7, 600, 150)] + [(3, i) for i in range(149, 600, 150)]
