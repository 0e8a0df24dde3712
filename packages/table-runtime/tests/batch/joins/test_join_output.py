"""Result rows from candidate pairs."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from table_runtime.batch.joins.join_output import BuildSide, JoinKind, JoinOutput, PairFilter
from table_runtime.run.operator import Operator

LEFT = pa.record_batch({"a": pa.array([1, 2, 3], pa.int64()), "b": pa.array(["x", "y", "z"])})
RIGHT_FIELDS = [("c", pa.int64()), ("d", pa.string())]
RIGHT_ROWS = [(10, "p"), (20, "q"), (30, None), (40, "s")]
PAIRS = [(pa.array([0, 0, 2], pa.int64()), pa.array([0, 1, 1], pa.int64()))]
EXPECTED = {
    JoinKind.INNER: [(1, "x", 10, "p"), (1, "x", 20, "q"), (3, "z", 20, "q")],
    JoinKind.SEMI: [(1, "x"), (3, "z")],
    JoinKind.ANTI: [(2, "y")],
}
UNMATCHED_LEFT = [(2, "y", None, None)]
UNMATCHED_RIGHT = [(None, None, 30, None), (None, None, 40, "s")]


def _build_side(harness: Any, source: Operator, needed: Container[int]) -> BuildSide:
    return BuildSide(list(source.batches(harness.context)), source.schema, harness.context, needed)


def rows_of(batches: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]


def schema_of(kind: JoinKind) -> pa.Schema:
    right = [pa.field(*field) for field in RIGHT_FIELDS]
    return pa.schema(right) if kind.is_right_only else LEFT.schema if kind.is_left_only else pa.schema([*LEFT.schema, *right])


@pytest.mark.parametrize("kind", [kind for kind in JoinKind if not kind.is_right_only])
def test_each_kind_of_join(harness: Any, kind: JoinKind) -> None:
    build = _build_side(harness, harness.source(RIGHT_FIELDS, RIGHT_ROWS), range(2))
    output = JoinOutput(kind, schema_of(kind), build, None, 2)
    expected = list(EXPECTED.get(kind, EXPECTED[JoinKind.INNER])) + UNMATCHED_LEFT * kind.keeps_left
    assert rows_of(output.emit(LEFT, PAIRS)) == expected
    assert rows_of(output.finish()) == UNMATCHED_RIGHT * kind.keeps_right


@pytest.mark.parametrize(("kind", "expected"), [(JoinKind.RIGHT_SEMI, RIGHT_ROWS[:2]), (JoinKind.RIGHT_ANTI, RIGHT_ROWS[2:])])
def test_right_rows_come_after_all_left_rows(harness: Any, kind: JoinKind, expected: list[Any]) -> None:
    build = _build_side(harness, harness.source(RIGHT_FIELDS, RIGHT_ROWS), range(2))
    output = JoinOutput(kind, schema_of(kind), build, None, 2, [2, 3])
    assert rows_of(output.emit(LEFT, PAIRS)) == []
    assert rows_of(output.finish()) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(JoinKind.LEFT, [(3, "z", 20, "q"), (1, "x", None, None), (2, "y", None, None)]), (JoinKind.ANTI, [(1, "x"), (2, "y")])],
)
def test_pairs_that_the_condition_rejects_are_no_matches(harness: Any, kind: JoinKind, expected: list[Any]) -> None:
    build = _build_side(harness, harness.source(RIGHT_FIELDS, RIGHT_ROWS), range(2))
    condition = PairFilter(lambda batch: pc.greater(batch.column(0), 2), frozenset([0]))
    assert rows_of(JoinOutput(kind, schema_of(kind), build, condition, 2).emit(LEFT, PAIRS)) == expected


def test_columns_come_in_the_order_of_the_output(harness: Any) -> None:
    build = _build_side(harness, harness.source(RIGHT_FIELDS, RIGHT_ROWS), {1})
    schema = pa.schema([("d", pa.string()), ("a", pa.int64())])
    output = JoinOutput(JoinKind.FULL, schema, build, None, 2, [3, 0])
    assert rows_of(output.emit(LEFT, PAIRS)) == [("p", 1), ("q", 1), ("q", 3), (None, 2)]
    assert rows_of(output.finish()) == [(None, None), ("s", None)]


def test_columns_that_nothing_needs_are_null(harness: Any) -> None:
    build = _build_side(harness, harness.source(RIGHT_FIELDS, RIGHT_ROWS), {0})
    assert (build.rows, build.columns[0].to_pylist(), build.columns[1].null_count) == (4, [10, 20, 30, 40], 4)


def test_an_empty_side_has_no_matches(harness: Any) -> None:
    build = _build_side(harness, harness.source(RIGHT_FIELDS, []), range(2))
    output = JoinOutput(JoinKind.FULL, schema_of(JoinKind.FULL), build, None, 2)
    assert rows_of(output.emit(LEFT, [])) == [(*row, None, None) for row in ((1, "x"), (2, "y"), (3, "z"))]
    assert rows_of(output.finish()) == []
