from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import conform, conform_array, to_arrow_schema, to_arrow_type
from table_common.arrow.time_digits import cut_to_precision, floor_to_precision, may_hide_digits
from table_common.types import RowType, parse_logical_type

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def floored(ticks: int | None, unit: str, precision: int) -> int | None:
    step = max(1, _PER_SECOND[unit] // 10**precision)
    return None if ticks is None else ticks // step * step


@pytest.mark.parametrize("unit", ["us", "ns"])
@pytest.mark.parametrize("precision", range(10))
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_times_are_rounded_down(unit: str, precision: int, zone: str | None) -> None:
    draw = random.Random(precision)
    ticks = [None, 0, 1, -1, 999, -999, 1000, -1000, *(draw.randint(-(10**15), 10**15) for _ in range(50))]
    array = pa.array([None, *ticks], pa.int64()).view(pa.timestamp(unit, zone))[1:]
    result = floor_to_precision(array, precision)
    assert result.type == array.type
    assert result.view(pa.int64()).to_pylist() == [floored(value, unit, precision) for value in ticks]


@pytest.mark.parametrize("precision", range(7))
def test_times_without_more_digits_are_the_same_array(precision: int) -> None:
    step = 10 ** (6 - precision)
    array = pa.array([None, 5 * step, -step, 0], pa.int64()).view(pa.timestamp("us"))
    assert floor_to_precision(array, precision) is array


@pytest.mark.parametrize(
    ("type_", "precision", "expected"), [(pa.time64("us"), 0, 1_000_000), (pa.time64("ns"), 7, 1_999_900), (pa.time32("ms"), 1, 1_999_900)]
)
def test_times_of_day_are_rounded_down(type_: pa.DataType, precision: int, expected: int) -> None:
    array = pa.array([1_999_999, None], pa.int32() if type_.bit_width == 32 else pa.int64()).view(type_)
    assert floor_to_precision(array, precision).view(pa.int32() if type_.bit_width == 32 else pa.int64()).to_pylist() == [expected, None]


def test_a_time_that_cannot_be_rounded_down_is_an_error() -> None:
    with pytest.raises(pa.ArrowInvalid, match="overflow"):
        floor_to_precision(pa.array([-(2**63) + 1], pa.int64()).view(pa.timestamp("ns")), 8)


@pytest.mark.parametrize("unit", _PER_SECOND)
@pytest.mark.parametrize("precision", range(10))
def test_the_unit_and_the_digits_change_together(unit: str, precision: int) -> None:
    target = to_arrow_type(parse_logical_type(f"TIMESTAMP({precision})"))
    ticks = [1_234_567_899, -1_234_567_899, None]
    found = cut_to_precision(pa.array(ticks, pa.int64()).view(pa.timestamp(unit)), target, precision)
    factor, divisor = _PER_SECOND[target.unit], _PER_SECOND[unit]
    expected = [None if value is None else floored(value * factor // divisor, target.unit, precision) for value in ticks]
    assert (found.type, found.view(pa.int64()).to_pylist()) == (target, expected)


@pytest.mark.parametrize(
    ("type_", "hides"),
    [
        ("TIMESTAMP(6)", False),
        ("TIMESTAMP_LTZ(9)", False),
        ("TIME(0)", True),
        ("TIMESTAMP(7)", True),
        ("ROW<a INT, b ARRAY<TIMESTAMP_LTZ(3)>>", True),
        ("MAP<STRING, TIMESTAMP(6)>", False),
        ("INTERVAL DAY TO SECOND(3)", False),
    ],
)
def test_which_types_may_hide_digits(type_: str, hides: bool) -> None:
    assert may_hide_digits(parse_logical_type(type_)) is hides


@pytest.mark.parametrize(
    ("wide", "narrow", "value", "expected"),
    [
        ("ARRAY<TIMESTAMP(6)>", "ARRAY<TIMESTAMP(3)>", [1_999, None, -1], [1_000, None, -1_000]),
        ("ROW<a INT, t TIMESTAMP_LTZ(6)>", "ROW<a INT, t TIMESTAMP_LTZ(3)>", {"a": 1, "t": 1_999}, {"a": 1, "t": 1_000}),
        ("MAP<STRING, TIMESTAMP(6)>", "MAP<STRING, TIMESTAMP(0)>", [("k", -1)], [("k", -1_000_000)]),
        ("MULTISET<TIMESTAMP(6)>", "MULTISET<TIMESTAMP(5)>", [(19, 2)], [(10, 2)]),
        ("ARRAY<ROW<t TIME(6)>>", "ARRAY<ROW<t TIME(2)>>", [None, {"t": 19_999}], [None, {"t": 10_000}]),
    ],
)
def test_times_inside_of_values_are_cut(wide: str, narrow: str, value: Any, expected: Any) -> None:
    source, target = (to_arrow_type(parse_logical_type(text)) for text in (wide, narrow))
    found = conform_array(pa.array([None, value, None], source), parse_logical_type(narrow), "Column 'c'")
    found.validate(full=True)
    assert found.equals(pa.array([None, expected, None], target))


def test_data_of_the_canonical_schema_is_cut_where_its_schema_is_not_trusted() -> None:
    row_type = RowType.of([("t", parse_logical_type("TIMESTAMP(3)"))], nullable=False)
    batch = pa.RecordBatch.from_arrays([pa.array([1_999], pa.timestamp("us"))], schema=to_arrow_schema(row_type))
    assert conform(batch, row_type) is batch
    assert conform(batch, row_type, trust_schema=False).column(0).cast("int64").to_pylist() == [1_000]
