"""Frames as ranges of positions."""

from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.expressions import ValueLiteralExpression
from table_common.types import BigIntType
from table_runtime.batch.over.frames import Bound, Frame, make_frames
from table_runtime.batch.over.sorted_rows import SortedRows
from table_runtime.columns.ordering import SortKey


def distance(rows: int) -> ValueLiteralExpression:
    return ValueLiteralExpression(rows, BigIntType(nullable=False))


def ranges(frame: Frame) -> list[tuple[int, int]]:
    """The frame of each row; partitions have the rows 0 to 3 and 4 to 5, the order keys of the rows 1 and 2 are equal."""
    partition, keys = pa.array([1, 1, 1, 1, 2, 2]), pa.array([None, 5, 5, 8, 1, 9], pa.int64())
    frames = make_frames(SortedRows(6, [partition], [keys], [SortKey(0)]), frame)
    bounds = list(zip(frames.lower.to_pylist(), frames.upper.to_pylist(), strict=True))
    return [bounds[i] for i in (range(6) if frames.of_row is None else frames.of_row.to_pylist())]


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (Bound(-1), Bound(0), [(0, 1), (0, 2), (0, 3), (0, 4), (4, 5), (4, 6)]),
        (Bound(-1, distance(1)), Bound(1, distance(1)), [(0, 2), (0, 3), (1, 4), (2, 4), (4, 6), (4, 6)]),
        (Bound(-1), Bound(1), [(0, 4)] * 4 + [(4, 6)] * 2),
        (Bound(-1, distance(2**63 - 1)), Bound(1, distance(2**63 - 1)), [(0, 4)] * 4 + [(4, 6)] * 2),
    ],
)
def test_rows_count_within_their_partition(lower: Bound, upper: Bound, expected: list[tuple[int, int]]) -> None:
    assert ranges(Frame(False, lower, upper)) == expected


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (Bound(-1), Bound(0), [(0, 1), (0, 3), (0, 3), (0, 4), (4, 5), (4, 6)]),
        (Bound(0), Bound(0), [(0, 1), (1, 3), (1, 3), (3, 4), (4, 5), (5, 6)]),
        (Bound(-1, distance(3)), Bound(0), [(0, 1), (1, 3), (1, 3), (1, 4), (4, 5), (5, 6)]),
        (Bound(0), Bound(1, distance(2**63 - 1)), [(0, 1), (1, 4), (1, 4), (3, 4), (4, 6), (5, 6)]),
    ],
)
def test_a_range_includes_equal_order_keys(lower: Bound, upper: Bound, expected: list[tuple[int, int]]) -> None:
    assert ranges(Frame(True, lower, upper)) == expected


def test_a_frame_beyond_its_partition_has_no_rows() -> None:
    assert all(low == high for low, high in ranges(Frame(False, Bound(1, distance(9)), Bound(1, distance(12)))))
    assert all(low >= high for low, high in ranges(Frame(False, Bound(-1, distance(12)), Bound(-1, distance(9)))))
