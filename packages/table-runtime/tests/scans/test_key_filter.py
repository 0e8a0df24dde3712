"""A filter never drops a key, whatever its form; how much else it lets pass depends on the form."""

from __future__ import annotations

import datetime
import math
import random
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.scans import key_filter as module
from table_runtime.scans.key_filter import KeyFilter, can_filter, key_filter

CHOSEN = random.Random(5)
WIDE = sorted({CHOSEN.randint(-(2**62), 2**62) for _ in range(60_000)})
FORMS = [
    pytest.param(pa.array([3, 5, None, 90], pa.int32()), pa.array([3, 4, 5, 89, 90, 91, None, -7], pa.int32()), id="bits"),
    pytest.param(pa.array(WIDE[::2], pa.int64()), pa.array([*WIDE, None], pa.int64()), id="bits found by hash"),
    pytest.param(pa.array([-(2**63), 2**63 - 1], pa.int64()), pa.array([-(2**63), 0, 2**63 - 1], pa.int64()), id="the widest bounds"),
    pytest.param(pa.array(["a", "c", None]), pa.array(["a", "b", "c", None, ""]), id="texts"),
    pytest.param(pa.array([f"k{i:06}" for i in range(30_000)]), pa.array(["k000000", "k029999", "k03", "a"]), id="bounds of texts"),
    pytest.param(pa.array([Decimal("1.5"), Decimal("-2.0")]), pa.array([Decimal("1.5"), Decimal("1.0"), Decimal("-2.0")]), id="decimals"),
    pytest.param(
        pa.array([datetime.date(2020, 1, 1), datetime.date(9999, 12, 31)]),
        pa.array([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), datetime.date(9999, 12, 31)]),
        id="dates",
    ),
    pytest.param(pa.array([0.0, 1.5, None]), pa.array([-0.0, 0.0, 1.5, 2.0, math.nan, None]), id="doubles"),
    pytest.param(
        pa.array([-0.0, 1e300, *map(float, WIDE[::2])]), pa.array([0.0, -0.0, math.inf, *map(float, WIDE), None]), id="many doubles"
    ),
    pytest.param(pa.array([math.nan, None]), pa.array([1.0, None]), id="NaN alone"),
    pytest.param(pa.array([], pa.int64()), pa.array([1, None], pa.int64()), id="no keys"),
    pytest.param(pa.array([None], pa.string()), pa.array(["a", None]), id="NULL alone"),
]


@pytest.mark.parametrize(("keys", "values"), FORMS)
def test_every_key_passes_and_null_does_not(keys: pa.Array, values: pa.Array) -> None:
    made = KeyFilter(keys)
    mask = made.mask(values)
    wanted = set(keys.to_pylist()) - {None}
    assert mask.null_count == 0
    for value, passes in zip(values.to_pylist(), mask.to_pylist(), strict=True):
        assert passes or value not in wanted
        assert not (passes and value is None)


def test_few_other_values_pass_a_filter_found_by_hash() -> None:
    made = KeyFilter(pa.array(WIDE[::2], pa.int64()))
    assert made.mask(pa.array(WIDE[1::2], pa.int64())).true_count < len(WIDE) // 6


@pytest.mark.parametrize("scale", [1.0, 0.25, 1 / 3])
def test_few_other_doubles_pass(scale: float) -> None:
    made = KeyFilter(pa.array([scale * number for number in range(0, 60_000, 2)]))
    assert made.mask(pa.array([scale * number for number in range(1, 60_000, 2)])).true_count < 60_000 // 6


@pytest.mark.parametrize("listed", [module.MOST_LISTED, 0])
def test_random_integers(listed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LISTED", listed)
    for _ in range(50):
        span = CHOSEN.choice([5, 1_000, 10**9, 2**62])
        keys = [CHOSEN.randint(-span, span) for _ in range(CHOSEN.randint(0, 300))]
        values = keys + [CHOSEN.randint(-span, span) for _ in range(300)]
        mask = KeyFilter(pa.array(keys, pa.int64())).mask(pa.array(values, pa.int64())).to_pylist()
        assert all(mask[: len(keys)])


def test_ranges_without_a_key_are_known() -> None:
    made = KeyFilter(pa.array([10, 20, 30], pa.int32()))
    assert [made.has_between(*bounds) for bounds in ((0, 9), (10, 10), (11, 19), (15, 25), (31, 40), (0, 99))] == [
        False,
        True,
        False,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize("bounds", [("a", "b"), (None, None), (1.5, 1.6), (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2))])
def test_bounds_of_another_type_say_nothing(bounds: tuple[Any, Any]) -> None:
    assert KeyFilter(pa.array([10], pa.int32())).has_between(*bounds)


def test_a_filter_that_drops_little_is_given_up() -> None:
    made = KeyFilter(pa.array(range(1_000), pa.int64()))
    made.mask(pa.array([i % 1_100 for i in range(module.TRIAL_ROWS)], pa.int64()))
    assert not made.is_useful
    other = KeyFilter(pa.array(range(1_000), pa.int64()))
    other.mask(pa.array(range(module.TRIAL_ROWS), pa.int64()))
    assert other.is_useful


def test_too_many_keys_are_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEYS", 3)
    assert key_filter([pa.array([1, 2]), pa.array([3, 4])], pa.int64()) is None
    assert key_filter([pa.array([1, 2])], pa.int64()) is not None
    assert key_filter([], pa.int64()) is not None


@pytest.mark.parametrize("type_", [pa.float32(), pa.bool_(), pa.list_(pa.int32()), pa.null()])
def test_keys_that_arrow_compares_otherwise_are_no_filter(type_: pa.DataType) -> None:
    assert not can_filter(type_)
