from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.arrow.to_internal import floor_divmod, internal_values, nanos_of_unit, unscaled_values
from table_common.data import GenericArrayData, StringData, TimestampData
from table_common.types import parse_logical_type


@pytest.mark.parametrize(
    ("array", "sql", "expected"),
    [
        (pa.array([1, None], pa.int32()), "INT", [1, None]),
        (pa.array(["a", None]), "STRING", [StringData.from_string("a"), None]),
        (pa.array([-1, None], pa.timestamp("us")), "TIMESTAMP(6)", [TimestampData.from_epoch_millis(-1, 999_000), None]),
        (pa.array([[1, None], None], pa.list_(pa.int32())), "ARRAY<INT>", [GenericArrayData([1, None]), None]),
    ],
)
def test_an_array_becomes_internal_structures(array: pa.Array, sql: str, expected: list[object]) -> None:
    assert internal_values(array, parse_logical_type(sql)) == expected


def test_a_slice_has_its_own_elements_only() -> None:
    array = pa.array([[1], [2, 3], [4]], pa.list_(pa.int32())).slice(1, 1)
    assert internal_values(array, parse_logical_type("ARRAY<INT>")) == [GenericArrayData([2, 3])]


def test_decimals_are_read_as_unscaled_integers() -> None:
    array = pa.array(["1.50", None, "-0.01"]).cast(pa.decimal128(5, 2))
    assert unscaled_values(array) == [150, None, -1]
    assert unscaled_values(array.slice(2)) == [-1]


def test_division_rounds_down_and_leaves_no_negative_remainder() -> None:
    quotient, remainder = floor_divmod(pa.array([-1, 0, 1_001, None], pa.int64()), 1_000)
    assert (quotient.to_pylist(), remainder.to_pylist()) == ([-1, 0, 1, None], [999, 0, 1, None])


def test_units_are_counted_in_nanoseconds() -> None:
    assert [nanos_of_unit(unit) for unit in ("s", "ms", "us", "ns")] == [10**9, 10**6, 10**3, 1]
