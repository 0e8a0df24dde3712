"""Large columns are cut by ranges of values: the order, and what a join finds, are the same as in one go."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.batch.joins import key_index
from table_runtime.batch.joins.key_index import KeyIndex
from table_runtime.columns import ordering, range_partition
from table_runtime.columns.ordering import SortKey, sort_indices, sort_pieces

KINDS: dict[str, tuple[pa.DataType, Any]] = {
    "numbers": (pa.int64(), lambda number: number),
    "text": (pa.string(), lambda number: f"{number}"),
    "floats": (pa.float64(), lambda number: [float("nan"), -0.0, 0.0, number / 7][number % 4]),
    "booleans": (pa.bool_(), lambda number: number % 2 == 0),
    "decimals": (pa.decimal128(38, 2), lambda number: Decimal(number) / 100 + 10**30),
    "bytes": (pa.binary(), lambda number: b"%d" % number),
    "lists": (pa.list_(pa.int64()), lambda number: [number % 3, number]),
}


def column(rng: random.Random, kind: str, rows: int) -> pa.Array:
    type_, make = KINDS[kind]
    different, nulls = rng.choice([1, 3, 50, 10**6]), rng.choice([0, 0.3, 1])
    return pa.array([None if rng.random() < nulls else make(rng.randrange(different)) for _ in range(rows)], type=type_)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_rows_sorted_in_pieces_are_in_the_same_order(monkeypatch: pytest.MonkeyPatch, kind: str, seed: int) -> None:
    rng = random.Random(seed)
    columns: list[Any] = [column(rng, one, 2000) for one in (kind, rng.choice(list(KINDS)))]
    if seed % 2:
        columns = [pa.chunked_array([one.slice(0, 700), one.slice(700)]) for one in columns]
    keys = [SortKey(index, rng.random() < 0.5, rng.random() < 0.5) for index in range(2)]
    wanted = sort_indices(columns, keys).to_pylist()
    monkeypatch.setattr(ordering, "ROWS_AT_ONCE", 64)
    monkeypatch.setattr(range_partition, "SLICE_ROWS", 100)
    assert sort_indices(columns, keys).to_pylist() == wanted


def test_no_piece_of_different_values_is_larger_than_what_is_sorted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordering, "ROWS_AT_ONCE", 256)
    values = pa.array(random.Random(1).sample(range(100_000), 5000))
    assert max(len(piece()) for piece in sort_pieces([values], [SortKey(0)])) <= 256


@pytest.mark.parametrize("kind", ["numbers", "text", "decimals", "bytes"])
@pytest.mark.parametrize("seed", range(4))
def test_an_index_of_many_keys_finds_what_comparing_all_pairs_finds(monkeypatch: pytest.MonkeyPatch, kind: str, seed: int) -> None:
    monkeypatch.setattr(key_index, "ROWS_AT_ONCE", 16)
    monkeypatch.setattr(key_index, "DENSE_MINIMUM", 0)
    monkeypatch.setattr(range_partition, "SLICE_ROWS", 50)
    rng = random.Random(seed)
    type_, make = KINDS[kind]
    different = rng.choice([3, 100, 10**6])
    rows, probes = ([None if rng.random() < 0.1 else make(rng.randrange(different)) for _ in range(200)] for _ in range(2))
    index = KeyIndex([pa.array(rows, type=type_)], [False])
    groups = index.groups([pa.array(probes, type=type_)])
    positions, found = index.pairs(groups)
    pairs = list(zip(range(len(found)) if positions is None else positions.to_pylist(), found.to_pylist(), strict=True))
    wanted = [(i, j) for i, probe in enumerate(probes) for j, row in enumerate(rows) if probe is not None and probe == row]
    assert sorted(pairs) == wanted
    assert index.pair_ends(groups)[-1].as_py() == len(wanted)


def test_keys_in_a_narrow_range_are_found_by_address() -> None:
    index = KeyIndex([pa.array([7, 3, 7, None, 5])], [False])
    groups = index.groups([pa.array([5, 7, 4, None, 100])])
    positions, found = index.pairs(groups)
    assert positions is not None
    assert list(zip(positions.to_pylist(), found.to_pylist(), strict=True)) == [(0, 4), (1, 0), (1, 2)]
