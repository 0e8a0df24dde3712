from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_runtime.batch.joins import hash_join, key_index
from table_runtime.batch.joins.hash_join import HashJoin
from table_runtime.batch.joins.join_output import JoinKind, PairFilter
from table_runtime.batch.joins.nested_loop_join import NestedLoopJoin
from table_runtime.run.memory import account

Row = tuple[Any, ...]
KEYS: dict[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "int": (pa.int32(), lambda n: n),
    "wide int": (pa.int64(), lambda n: n * 10**15),
    "text": (pa.string(), str),
    "float": (pa.float64(), lambda n: -0.0 if n == 0 else float(n)),
    "list": (pa.list_(pa.int32()), lambda n: [n, None]),
}
LESS = PairFilter(lambda batch: pc.fill_null(pc.less(batch.column(2), batch.column(6)), False), frozenset([2, 6]))


def expected(kind: JoinKind, left: list[Row], right: list[Row], matches: Callable[[Row, Row], bool], widths: tuple[int, int]) -> list[Row]:
    rows: list[Row] = []
    partners: set[int] = set()
    for row in left:
        found = [(i, other) for i, other in enumerate(right) if matches(row, other)]
        partners |= {i for i, _ in found}
        if not kind.is_left_only and not kind.is_right_only:
            rows += [row + other for _, other in found]
        if (kind.keeps_left and not found) or (kind.is_left_only and (kind is JoinKind.SEMI) == bool(found)):
            rows.append(row + ((None,) * widths[1] if kind.keeps_left else ()))
    if kind.is_right_only:
        return [other for i, other in enumerate(right) if (i in partners) == (kind is JoinKind.RIGHT_SEMI)]
    if kind.keeps_right:
        rows += [(None,) * widths[0] + other for i, other in enumerate(right) if i not in partners]
    return rows


def schema_of(kind: JoinKind, left: pa.Schema, right: pa.Schema) -> pa.Schema:
    return right if kind.is_right_only else left if kind.is_left_only else pa.schema([*left, *right])


def inputs(rng: random.Random, make_key: Callable[[int], Any]) -> tuple[list[Row], list[Row]]:
    def key() -> Any:
        return None if rng.random() < 0.15 else make_key(rng.randint(0, 6))

    left = [(key(), rng.choice([None, 1, 2]), rng.randint(0, 9), [1]) for _ in range(rng.choice([0, 1, 30]))]
    right = [(key(), rng.choice([None, 1, 2]), rng.randint(0, 9)) for _ in range(rng.choice([0, 1, 5, 30]))]
    return left, right


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", JoinKind)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [None, 200])
def test_a_hash_join_gives_what_comparing_all_pairs_gives(
    harness: Any, kind: JoinKind, key: str, seed: int, share: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account, "FIXED", share)
    key_type, make_key = KEYS[key]
    rng = random.Random(f"{key} {seed}")
    left, right = inputs(rng, make_key)
    count, has_condition, null_equal = rng.choice([1, 2]), rng.random() < 0.5, rng.random() < 0.3
    left_source = harness.source([("k", key_type), ("n", pa.int32()), ("v", pa.int32()), ("p", pa.list_(pa.int32()))], left)
    right_source = harness.source([("k", key_type), ("n", pa.int32()), ("w", pa.int32())], right)
    schema = schema_of(kind, left_source.schema, right_source.schema)

    def equal(one: Any, other: Any) -> bool:
        return one == other and (null_equal or one is not None)

    def matches(one: Row, other: Row) -> bool:
        return all(equal(one[i], other[i]) for i in range(count)) and (not has_condition or one[2] < other[2])

    join = HashJoin(
        left_source,
        right_source,
        kind,
        schema,
        lambda batch: batch.columns[:count],
        lambda batch: batch.columns[:count],
        [key_type, pa.int32()][:count],
        null_equal=[null_equal] * count,
        condition=LESS if has_condition else None,
    )
    assert sorted(map(repr, harness.rows(join))) == sorted(map(repr, expected(kind, left, right, matches, (4, 3))))


@pytest.mark.parametrize("kind", JoinKind)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [None, 200])
def test_a_nested_loop_join_gives_what_comparing_all_pairs_gives(
    harness: Any, kind: JoinKind, seed: int, share: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account, "FIXED", share)
    monkeypatch.setattr("table_runtime.batch.joins.nested_loop_join.PAIRS_AT_ONCE", 8)
    left, right = inputs(random.Random(seed), lambda n: n)
    left_source = harness.source([("k", pa.int32()), ("n", pa.int32()), ("v", pa.int32()), ("p", pa.list_(pa.int32()))], left)
    right_source = harness.source([("k", pa.int32()), ("n", pa.int32()), ("w", pa.int32())], right)
    schema = schema_of(kind, left_source.schema, right_source.schema)
    join = NestedLoopJoin(left_source, right_source, kind, schema, LESS)
    wanted = expected(kind, left, right, lambda one, other: one[2] < other[2], (4, 3))
    assert sorted(map(repr, harness.rows(join))) == sorted(map(repr, wanted))


def test_a_cross_join_pairs_all_rows(harness: Any) -> None:
    left, right = harness.source([("a", pa.int32())], [(1,), (2,)]), harness.source([("b", pa.int32())], [(3,), (4,)])
    join = NestedLoopJoin(left, right, JoinKind.INNER, pa.schema([*left.schema, *right.schema]), None)
    assert harness.rows(join) == [(1, 3), (1, 4), (2, 3), (2, 4)]


def test_keys_with_too_many_combinations_are_made_dense(harness: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_index, "LARGEST_CODE", 3)
    fields = [("a", pa.int32()), ("b", pa.int32()), ("c", pa.int32())]
    rows = [(i % 3, i % 5, i % 7) for i in range(20)]
    left, right = harness.source(fields, rows), harness.source(fields, rows)
    join = HashJoin(left, right, JoinKind.SEMI, left.schema, lambda b: b.columns, lambda b: b.columns, [pa.int32()] * 3)
    assert harness.rows(join) == rows


def test_an_inner_join_with_nothing_does_not_read_the_other_side(harness: Any, endless: Any) -> None:
    right = harness.source([("b", pa.int64())], [])
    schema = pa.schema([*endless.schema, *right.schema])
    join = HashJoin(endless, right, JoinKind.INNER, schema, lambda b: b.columns, lambda b: b.columns, [pa.int64()])
    assert harness.rows(join) == []


@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_hash_join_whose_rows_have_many_partners_gives_all_pairs(
    harness: Any, monkeypatch: pytest.MonkeyPatch, kind: JoinKind, seed: int
) -> None:
    monkeypatch.setattr(hash_join, "PAIRS_AT_ONCE", 8)  # fewer than one row has
    rng = random.Random(seed)
    fields = [("k", pa.int64()), ("n", pa.int64())]
    left, right = ([(rng.choice([1, 1, 1, 2, 3 + side]), n) for n in range(40)] for side in range(2))
    schema = pa.schema([*fields, *fields])
    join = HashJoin(
        harness.source(fields, left),
        harness.source(fields, right),
        kind,
        schema,
        lambda b: b.columns[:1],
        lambda b: b.columns[:1],
        [pa.int64()],
    )
    assert sorted(harness.rows(join), key=str) == sorted(expected(kind, left, right, lambda a, b: a[0] == b[0], (2, 2)), key=str)


@pytest.mark.parametrize("kind", [JoinKind.SEMI, JoinKind.ANTI])
def test_a_row_with_many_partners_is_decided_by_few(harness: Any, kind: JoinKind) -> None:
    fields = [("k", pa.int64()), ("n", pa.int64())]
    left, right = [(1, n) for n in range(300)], [(1, n % 100) for n in range(2000)]
    tested: list[int] = []

    def differs(batch: pa.RecordBatch) -> pa.Array:
        tested.append(batch.num_rows)
        return pc.not_equal(batch.column(1), batch.column(3))

    join = HashJoin(
        harness.source(fields, left),
        harness.source(fields, right),
        kind,
        pa.schema(fields),
        lambda b: b.columns[:1],
        lambda b: b.columns[:1],
        [pa.int64()],
        condition=PairFilter(differs, frozenset([1, 3])),
    )
    assert sorted(harness.rows(join)) == (left if kind is JoinKind.SEMI else [])
    assert sum(tested) < len(left) * len(right) // 20


def test_the_pairs_of_a_join_are_made_as_they_are_taken(harness: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_join, "PAIRS_AT_ONCE", 100)
    made: list[int] = []
    condition = PairFilter(lambda batch: (made.append(batch.num_rows), pa.array([True] * batch.num_rows))[1], frozenset([0]))
    fields = [("k", pa.int64())]
    source = harness.source(fields, [(1,)] * 1000, batch_rows=1000)
    schema = pa.schema([*fields, *fields])
    join = HashJoin(source, source, JoinKind.INNER, schema, lambda b: b.columns, lambda b: b.columns, [pa.int64()], condition=condition)
    batches = join.batches(harness.context)
    next(batches)
    batches.close()
    assert sum(made) <= 10 * 100
    assert max(made) <= 100
