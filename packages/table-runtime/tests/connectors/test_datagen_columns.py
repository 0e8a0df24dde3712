"""Generated columns: ranges, lengths, NULLs, sequences, and the same values for the same seed."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.types import parse_logical_type
from table_runtime.connectors.datagen_columns import ColumnPlan, default_range, generate, value_range

COUNT = 500


def plan_of(type_: str, *parts: ColumnPlan, low: Any = None, high: Any = None, **more: Any) -> ColumnPlan:
    low, high = (None if bound is None else Decimal(str(bound)) for bound in (low, high))
    return ColumnPlan("fields.a", parse_logical_type(type_), low=low, high=high, parts=parts, **more)


@pytest.fixture
def seed() -> int:
    seed = random.randrange(2**62)
    print(f"seed {seed}")
    return seed


INTERVAL = timedelta(days=3_650_000)


@pytest.mark.parametrize(
    ("type_", "low", "high", "least", "greatest"),
    [
        ("TINYINT", None, None, -128, 127),
        ("TINYINT", 127, 127, 127, 127),
        ("SMALLINT", -5, 5, -5, 5),
        ("INT", None, 7, -(2**31), 7),
        ("BIGINT", None, None, -(2**63), 2**63 - 1),
        ("BIGINT", 2**62, 2**63 - 1, 2**62, 2**63 - 1),
        ("FLOAT", None, None, 0.0, 1.0),
        ("DOUBLE", -2.5, -2, -2.5, -2.0),
        ("DECIMAL(3, 1)", None, None, Decimal("-99.9"), Decimal("99.9")),
        ("DECIMAL(3, 1)", 0.19, 0.31, Decimal("0.2"), Decimal("0.3")),
        ("DECIMAL(3, 1)", -0.31, -0.19, Decimal("-0.3"), Decimal("-0.2")),
        ("DECIMAL(38, 0)", None, None, Decimal(-(10**38) + 1), Decimal(10**38 - 1)),
        ("INTERVAL DAY TO SECOND(3)", None, None, timedelta(0), INTERVAL),
        ("INTERVAL DAY TO SECOND(3)", 5, 6, timedelta(milliseconds=5), timedelta(milliseconds=6)),
        ("INTERVAL DAY TO SECOND(6)", 5, 6, timedelta(milliseconds=5), timedelta(milliseconds=6)),
        ("INTERVAL SECOND(0)", -1000, 1000, timedelta(seconds=-1), timedelta(seconds=1)),
    ],
)
def test_values_are_in_their_range(seed: int, type_: str, low: Any, high: Any, least: Any, greatest: Any) -> None:
    column = generate(plan_of(type_, low=low, high=high), 0, COUNT, seed)
    assert column.type == to_arrow_type(parse_logical_type(type_))
    assert column.null_count == 0
    assert all(least <= value <= greatest for value in column.to_pylist())


def test_all_values_of_a_small_range_come() -> None:
    assert set(generate(plan_of("INT", low=-1, high=1), 0, COUNT, 7).to_pylist()) == {-1, 0, 1}
    assert set(generate(plan_of("BOOLEAN"), 0, COUNT, 7).to_pylist()) == {True, False}


def test_intervals_with_nanoseconds_are_as_long_as_others() -> None:
    column = generate(plan_of("INTERVAL DAY TO SECOND(9)", low=5, high=5), 0, 2, 7)
    assert column.view(pa.int64()).to_pylist() == [5_000_000, 5_000_000]


def test_months_of_intervals_are_in_their_range(seed: int) -> None:
    months = generate(plan_of("INTERVAL YEAR TO MONTH", low=-3, high=2), 0, COUNT, seed)
    numbers = [int(str(value)) if not hasattr(value, "as_py") else value.as_py() for value in months]
    assert {min(numbers), max(numbers)} == {-3, 2}


@pytest.mark.parametrize("type_", ["STRING", "VARCHAR(7)", "BYTES"])
@pytest.mark.parametrize(("length", "var_len", "lengths"), [(7, False, {7}), (7, True, set(range(1, 8))), (0, False, {0}), (0, True, {0})])
def test_texts_have_the_length_asked_for(type_: str, length: int, var_len: bool, lengths: set[int]) -> None:
    values = generate(plan_of(type_, length=length, var_len=var_len), 0, COUNT, 7).to_pylist()
    assert {len(value) for value in values} == lengths
    if type_ != "BYTES":
        assert set("".join(values)) <= set("0123456789abcdef")


@pytest.mark.parametrize("type_", ["INT", "STRING", "ARRAY<INT>", "ROW<x INT>", "MAP<INT, STRING>", "MULTISET<INT>"])
def test_null_comes_as_often_as_asked_for(type_: str) -> None:
    number = plan_of("INT")
    parts = {"ARRAY<INT>": (number,), "ROW<x INT>": (number,), "MAP<INT, STRING>": (number, plan_of("STRING")), "MULTISET<INT>": (number,)}
    for rate, least, greatest in ((0.0, 0, 0), (0.5, 100, 400), (1.0, COUNT, COUNT)):
        column = generate(plan_of(type_, *parts.get(type_, ()), length=2, null_rate=rate), 0, COUNT, 7)
        assert least <= column.null_count <= greatest
        column.validate(full=True)


def test_elements_of_collections_are_generated_by_their_own_plans() -> None:
    letter, number = plan_of("STRING", length=1), plan_of("INT", low=0, high=9)
    arrays = generate(plan_of("ARRAY<INT>", number, length=3), 0, COUNT, 7).to_pylist()
    assert {len(array) for array in arrays} == {3}
    assert {value for array in arrays for value in array} == set(range(10))
    rows = generate(plan_of("ROW<x INT, y STRING>", number, letter), 0, COUNT, 7).to_pylist()
    assert all(0 <= row["x"] <= 9 and len(row["y"]) == 1 for row in rows)


def test_a_key_comes_once_in_a_map() -> None:
    maps = generate(
        plan_of("MAP<INT, STRING>", plan_of("INT", low=0, high=2), plan_of("STRING", length=1), length=5), 0, COUNT, 7
    ).to_pylist()
    assert all(len(dict(entries)) == len(entries) for entries in maps)
    assert {len(entries) for entries in maps} <= {1, 2, 3}
    sets = generate(plan_of("MULTISET<INT>", plan_of("INT", low=0, high=2), length=5), 0, COUNT, 7).to_pylist()
    assert {count for entries in sets for _, count in entries} == {1}


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("TINYINT", [12, 13, 14]),
        ("DOUBLE", [12.0, 13.0, 14.0]),
        ("DECIMAL(5, 2)", [Decimal("12.00"), Decimal("13.00"), Decimal("14.00")]),
        ("STRING", ["12", "13", "14"]),
    ],
)
def test_a_sequence_goes_on_from_row_to_row(type_: str, expected: list[Any]) -> None:
    column = generate(plan_of(type_, start=10), 2, 3, 7)
    assert column.type == to_arrow_type(parse_logical_type(type_))
    assert column.to_pylist() == expected


@pytest.mark.parametrize("type_", ["INT", "DOUBLE", "STRING", "DECIMAL(20, 3)", "BOOLEAN", "BIGINT"])
def test_a_seed_gives_the_same_values_and_another_one_others(type_: str) -> None:
    plan = plan_of(type_, length=9)
    assert generate(plan, 100, 50, 7).equals(generate(plan, 100, 50, 7))
    assert not generate(plan, 100, 50, 7).equals(generate(plan, 100, 50, 8))
    assert not generate(plan, 100, 50, 7).equals(generate(plan, 200, 50, 7))


@pytest.mark.parametrize("type_", ["TIMESTAMP(3)", "TIMESTAMP(9)", "TIMESTAMP_LTZ(6)"])
def test_times_are_now_or_not_longer_ago_than_asked_for(type_: str) -> None:
    before = int(datetime.now(UTC).timestamp() * 1000) - 1
    column = generate(plan_of(type_, max_past=timedelta(hours=1)), 0, COUNT, 7)
    now = generate(plan_of(type_), 0, COUNT, 7)
    after = int(datetime.now(UTC).timestamp() * 1000) + 1
    per_milli = 1000 if column.type.unit == "us" else 1_000_000
    ticks = column.view(pa.int64()).to_pylist()
    assert all((before - 3_600_000) * per_milli <= tick <= after * per_milli for tick in ticks)
    assert len(set(ticks)) > COUNT // 2
    assert all(before * per_milli <= tick <= after * per_milli for tick in now.view(pa.int64()).to_pylist())


def test_times_have_no_more_digits_than_their_precision() -> None:
    ticks = generate(plan_of("TIMESTAMP(1)", max_past=timedelta(days=1)), 0, COUNT, 7).view(pa.int64()).to_pylist()
    assert all(tick % 100_000 == 0 for tick in ticks)


def test_no_rows_are_an_empty_column() -> None:
    number = plan_of("INT")
    for plan in (
        number,
        plan_of("STRING", length=3),
        plan_of("ARRAY<INT>", number, length=3),
        plan_of("MAP<INT, INT>", number, number, length=3),
    ):
        assert len(generate(plan, 0, 0, 7)) == 0


@pytest.mark.parametrize("type_", ["STRING", "BOOLEAN", "DATE", "ARRAY<INT>"])
def test_a_type_that_is_no_number_has_no_range(type_: str) -> None:
    assert value_range(parse_logical_type(type_)) is None
    assert default_range(parse_logical_type(type_)) is None


@pytest.mark.parametrize("type_", ["TINYINT", "FLOAT", "DECIMAL(5, 3)", "INTERVAL DAY TO SECOND(9)", "INTERVAL MONTH"])
def test_the_default_is_inside_of_the_range(type_: str) -> None:
    limits, default = value_range(parse_logical_type(type_)), default_range(parse_logical_type(type_))
    assert limits is not None
    assert default is not None
    assert limits[0] <= default[0] < default[1] <= limits[1]
