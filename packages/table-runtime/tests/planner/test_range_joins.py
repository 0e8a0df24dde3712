"""Joins on a key and a range give the rows that comparing all pairs of each key gives."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.batch.joins import hash_join, range_index
from table_runtime.batch.joins.range_index import RangeIndex
from table_runtime.run.memory import account as memory_account

KINDS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
CONDITIONS = (
    "b.{c} BETWEEN a.{c} AND a.{c} + {d}",
    "a.{c} BETWEEN b.{c} - {d} AND b.{c}",
    "a.{c} BETWEEN b.{c} AND b.{c} + {d}",
    "b.{c} > a.{c} AND b.{c} <= a.{c} + {d}",
    "a.{c} < b.{c} AND b.i <> a.i",
    "b.{c} >= a.{c}",
    "a.{c} >= b.{c} AND a.{c} < b.{c} + {d} AND a.i > b.i - 20",
    "b.{c} < a.{c} - {d}",
    "b.{c} > a.{c} AND b.i < a.i",
)
DISTANCES = {"n": "3", "w": "4000000000000000000", "h": "3", "t": "INTERVAL '3' SECOND", "d": "INTERVAL '3' DAY"}


def _table(rng: random.Random, rows: int) -> pa.Table:
    def column(values: list[int], type_: Any) -> pa.Array:
        return pa.array([None if rng.random() < 0.1 else rng.choice(values) for _ in range(rows)], type_)

    extreme = [-(2**63), -(2**63) + 1, -(2**62), -1, 0, 1, 2**62, 2**63 - 2, 2**63 - 1]
    return pa.table(
        {
            "i": pa.array(range(rows), pa.int64()),
            "k": column(list(range(3)), pa.int32()),
            "s": column(list(range(2)), pa.int64()).cast(pa.string()),
            "n": column(list(range(-10, 10)), pa.int64()),
            "w": column(extreme, pa.int64()),
            "h": column(list(range(-10, 10)), pa.int32()),
            "t": column([n * 1_000_000 for n in range(-9, 9)], pa.int64()).cast(pa.timestamp("us")),
            "d": column(list(range(-10, 10)), pa.int32()).cast(pa.date32()),
        }
    )


@pytest.mark.parametrize("seed", range(6))
def test_a_range_join_gives_the_pairs_of_all_comparisons(env: Any, query: Any, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    used = []
    matches = RangeIndex.matches
    monkeypatch.setattr(RangeIndex, "matches", lambda *args: used.append(matches(*args)) or used[-1])
    monkeypatch.setattr(hash_join, "PAIRS_AT_ONCE", rng.choice([7, 100, 1 << 18]))
    monkeypatch.setattr(range_index, "FAR_APART", rng.choice([0, 1 << 18]))
    for name in "ab":
        env.create_temporary_view(name, env.from_arrow(_table(rng, rng.choice([40, 90]))))
    for _ in range(12):
        column = rng.choice(list(DISTANCES))
        condition = rng.choice(CONDITIONS).format(c=column, d=DISTANCES[column])
        key = rng.choice(["a.k = b.k", "a.k = b.k AND a.s = b.s"])
        if rng.random() < 0.3:
            sql = f"SELECT i FROM a WHERE {rng.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM b WHERE {key} AND {condition})"
        else:
            sql = f"SELECT a.i, b.i FROM a {rng.choice(KINDS)} b ON {key} AND {condition}"
        monkeypatch.setattr(memory_account, "FIXED", rng.choice([None, 2_000]))
        results = []
        for fewest in (0, 1 << 60):
            monkeypatch.setattr(hash_join, "FEWEST_ROWS_PER_KEY", fewest)
            try:
                results.append(Counter(query(sql)))
            except Exception as error:  # a sum beyond BIGINT is an error of both
                results.append(type(error))  # type: ignore[arg-type]
        assert results[0] == results[1], (seed, sql)
    assert any(one is not None for one in used)


def test_a_band_join_compares_only_the_pairs_of_the_band(env: Any, query: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 2_000
    data = pa.table({"k": pa.array([0] * rows), "n": pa.array(range(rows))})
    env.create_temporary_view("t", env.from_arrow(data))
    pairs = []
    found = RangeIndex.matches

    def counting(*args: Any) -> Any:
        result = found(*args)
        pairs.append(sum(result.counts.to_pylist()))  # type: ignore[union-attr]
        return result

    monkeypatch.setattr(RangeIndex, "matches", counting)
    for condition in ("b.n BETWEEN a.n AND a.n + 2", "a.n BETWEEN b.n AND b.n + 2", "b.n >= a.n AND b.n < a.n + 3"):
        pairs.clear()
        assert query(f"SELECT COUNT(*) FROM t a JOIN t b ON a.k = b.k AND {condition}") == [(3 * rows - 3,)]
        assert sum(pairs) == 3 * rows - 3


def test_a_bound_that_fails_for_a_row_without_a_partner_is_no_error(env: Any, query: Any) -> None:
    rows = [(0, number) for number in range(100)]
    env.create_temporary_view("a", env.from_elements(rows, ["k", "n"]))
    env.create_temporary_view("b", env.from_elements([*rows, (1, 2**63 - 1)], ["k", "n"]))
    for condition in ("a.n >= b.n + 98", "b.n + 98 <= a.n"):
        assert query(f"SELECT COUNT(*) FROM a JOIN b ON a.k = b.k AND {condition}") == [(3,)]
        assert query(f"SELECT COUNT(*) FROM b JOIN a ON a.k = b.k AND {condition}") == [(3,)]
