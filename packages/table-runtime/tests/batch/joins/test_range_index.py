"""The candidates of a range index."""

from __future__ import annotations

import datetime
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from table_common.exceptions import TableRuntimeException
from table_runtime.batch.joins import range_index
from table_runtime.batch.joins.range_index import RangeBound, RangeBounds, RangeIndex, is_ranged

GROUPS = pa.array([0, 0, 0, 1, None], pa.int64())


@pytest.fixture(autouse=True, params=[range_index.FAR_APART, 0], ids=["", "in order"])
def far_apart(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_index, "FAR_APART", request.param)


def _index(values: list[int | None], *bounds: tuple[RangeBound, int]) -> tuple[RangeIndex, Any]:
    """Returns an index over values plus each bound's distance, and the function to the rows of one probe value."""
    column = pa.array(values, pa.int64())
    left = lambda batch: [batch.column(0)] * len(bounds)  # noqa: E731
    found = RangeBounds(tuple(bound for bound, _ in bounds), left, lambda batch: [])
    columns = [pa.array([None if v is None else v + distance for v in values], pa.int64()) for _, distance in bounds]
    index = RangeIndex(found, GROUPS.slice(0, len(column)), columns)

    def rows(group: int | None, value: int | None) -> list[int]:
        matches = index.matches(pa.array([group], pa.int64()), pa.record_batch({"v": pa.array([value], pa.int64())}))
        assert matches is not None
        probes, found_rows = matches.pairs()
        assert set(probes.to_pylist()) <= {0}
        assert found_rows.to_pylist() == matches.first_rows().to_pylist()
        return sorted(found_rows.to_pylist())

    return index, rows


@pytest.mark.parametrize("scale", [1, 2**60])
def test_a_bound_includes_equal_values_or_not(scale: int) -> None:
    values: list[int | None] = [-scale, 0, scale, 0, 0]
    for is_lower, includes_equal, expected in (
        (True, True, [1, 2]),
        (True, False, [2]),
        (False, True, [0, 1]),
        (False, False, [0]),
    ):
        _, rows = _index(values, (RangeBound(is_lower, includes_equal), 0))
        assert rows(0, 0) == expected
        assert rows(1, 0) == ([3] if includes_equal else [])
        assert rows(None, 0) == rows(0, None) == []


def test_a_column_at_a_constant_distance_bounds_the_same_range() -> None:
    _, rows = _index([1, 5, 9], (RangeBound(True, True), 3), (RangeBound(False, True), 0))
    assert rows(0, 6) == [1]  # v + 3 >= 6 and v <= 6


def test_bounds_beyond_all_values_give_all_rows_or_none() -> None:
    _, rows = _index([1, 5, 9], (RangeBound(True, True), 0))
    assert (rows(0, -(2**63)), rows(0, 2**63 - 1)) == ([0, 1, 2], [])


def test_rows_with_null_are_no_candidates() -> None:
    _, rows = _index([1, None, 9], (RangeBound(True, True), 0))
    assert rows(0, 0) == [0, 2]


def test_a_bound_that_fails_gives_no_candidates_but_none() -> None:
    def fail(batch: pa.RecordBatch) -> list[pa.Array]:
        raise TableRuntimeException("overflow")

    index = RangeIndex(RangeBounds((RangeBound(True, True),), fail, fail), GROUPS, [pa.array(range(5))])
    assert index.matches(pa.array([0]), pa.record_batch({"v": [1]})) is None


def test_distances_beyond_64_bits_give_no_index() -> None:
    bounds = RangeBounds((RangeBound(True, True), RangeBound(False, True)), lambda batch: [], lambda batch: [])
    columns = [[pa.array([-(2**63)]), pa.array([2**63 - 1])]]
    assert RangeIndex.of_batches(bounds, pa.array([0]), columns) is None


def test_times_are_ranged_and_texts_are_not() -> None:
    assert is_ranged(pa.array([datetime.date(2020, 1, 1)]).type)
    assert not is_ranged(pa.string())
    assert not is_ranged(pa.float64())


def test_rows_in_any_order_find_their_candidates() -> None:
    random = Random(5)
    values = [random.choice([None, *range(50)]) for _ in range(400)]
    groups = [random.choice([None, 0, 1, 2]) for _ in values]
    left = lambda batch: [batch.column(0), batch.column(0)]  # noqa: E731
    bounds = RangeBounds((RangeBound(True, True), RangeBound(False, False)), left, lambda batch: [])
    columns = [pa.array([None if v is None else v + distance for v in values], pa.int64()) for distance in (0, -5)]
    index = RangeIndex(bounds, pa.array(groups, pa.int64()), columns)
    sought = [(random.choice([None, 0, 1, 2]), random.choice([None, *range(-10, 60)])) for _ in range(300)]
    keys, numbers = zip(*sought, strict=True)
    matches = index.matches(pa.array(keys, pa.int64()), pa.record_batch({"v": pa.array(numbers, pa.int64())}))
    assert matches is not None
    pairs = sorted(zip(*(column.to_pylist() for column in matches.pairs()), strict=True))
    expected = [
        (probe, row)
        for probe, (key, number) in enumerate(sought)
        for row, (group, value) in enumerate(zip(groups, values, strict=True))
        if key is not None and key == group and number is not None and value is not None and value >= number and value - 5 < number
    ]
    assert pairs == expected
