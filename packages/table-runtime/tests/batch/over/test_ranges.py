"""Bounds of RANGE frames, compared with a search among the keys of the partition."""

from __future__ import annotations

import random
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.expressions import ValueLiteralExpression
from table_common.types import parse_logical_type
from table_runtime.batch.over.ranges import range_limits
from table_runtime.batch.over.sorted_rows import SortedRows
from table_runtime.columns.ordering import SortKey


def limits(keys: pa.Array, side: int, distance: Any, type_: str, *, order: SortKey = SortKey(1), parts: list[int] | None = None) -> Any:
    """Returns the start (``side`` -1) or end (1) of each row's frame."""
    rows = SortedRows(len(keys), [pa.array(parts or [0] * len(keys), pa.int64())], [keys], [order])
    literal = ValueLiteralExpression(distance, parse_logical_type(type_))
    return range_limits(rows, side, literal, is_upper=side > 0).to_pylist()


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("nulls_first", [True, False])
@pytest.mark.parametrize("side", [-1, 1])
def test_bounds_are_those_of_a_search_in_the_partition(ascending: bool, nulls_first: bool, side: int) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    source = random.Random(seed)
    keys: list[int | None] = []
    parts: list[int] = []
    for part in range(5):
        numbers = sorted((source.randint(-9, 9) for _ in range(source.randint(0, 9))), reverse=not ascending)
        nulls = [None] * source.randint(0, 2)
        added = [*nulls, *numbers] if nulls_first else [*numbers, *nulls]
        keys += added
        parts += [part] * len(added)

    def is_in_frame(row: int, other: int) -> bool:
        key, value = keys[row], keys[other]
        if key is None or value is None:
            return key is value
        towards = side if ascending else -side
        return value <= key + 3 if towards > 0 else value >= key - 3

    expected = []
    for row, part in enumerate(parts):
        inside = [other for other in range(len(keys)) if parts[other] == part and is_in_frame(row, other)]
        expected.append(inside[-1] + 1 if side > 0 else inside[0])
    order = SortKey(1, ascending, nulls_first)
    assert limits(pa.array(keys, pa.int32()), side, 3, "INT", order=order, parts=parts) == expected


@pytest.mark.parametrize(
    ("keys", "distance", "type_"),
    [
        (pa.array([1.0, 1.5, 2.25]), 0.5, "DOUBLE"),
        (pa.array([Decimal("1.00"), Decimal("1.50"), Decimal("2.25")], pa.decimal128(10, 2)), Decimal("0.50"), "DECIMAL(11, 2)"),
        (pa.array([date(2024, 1, 31), date(2024, 2, 29), date(2024, 4, 1)]), 1, "INTERVAL MONTH"),
        (pa.array([datetime(2024, 1, 1, 0), datetime(2024, 1, 1, 1), datetime(2024, 1, 1, 3)]), 3600 * 10**9, "INTERVAL HOUR"),
        (pa.array([date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 4)]), 86_400 * 10**9, "INTERVAL DAY"),
    ],
)
def test_the_end_of_a_frame_is_after_the_keys_within_the_distance(keys: pa.Array, distance: Any, type_: str) -> None:
    assert limits(keys, 1, distance, type_) == [2, 2, 3]


def test_limits_beyond_64_bits_do_not_overflow() -> None:
    keys = pa.array([-(2**63), 2**63 - 1], pa.int64())
    assert (limits(keys, -1, 5, "BIGINT"), limits(keys, 1, 5, "BIGINT")) == ([0, 1], [1, 2])


@pytest.mark.parametrize("keys", [[], [None, None]])
def test_null_keys_are_one_frame_and_no_rows_have_no_bounds(keys: list[None]) -> None:
    assert limits(pa.array(keys, pa.int64()), 1, 1, "INT") == [len(keys)] * len(keys)


def test_a_decimal_distance_has_a_digit_more_than_the_key() -> None:
    keys = pa.array([Decimal("-99.5"), Decimal("99.5")], pa.decimal128(3, 1))
    assert limits(keys, -1, Decimal("198.9"), "DECIMAL(4, 1)") == [0, 1]
    assert limits(keys, -1, Decimal("199.0"), "DECIMAL(4, 1)") == [0, 0]
