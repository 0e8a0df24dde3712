from __future__ import annotations

import bisect
import datetime
import random
from typing import Any, Literal

import pyarrow as pa
import pytest

from table_runtime.columns.sorted_search import search_sorted

SIDES = pytest.mark.parametrize("side", ["left", "right"])
DAY = datetime.date(2024, 2, 29)
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "tiny integers": (pa.int8(), list(range(-128, 128))),
    "integers": (pa.int64(), [-(2**63), -(2**53) - 1, -(2**53), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1]),
    "unsigned integers": (pa.uint64(), [0, 1, 2**63, 2**64 - 1]),
    "numbers": (pa.float64(), [float("-inf"), -1.5, 0.0, 1e-300, 1.5, float("inf")]),
    "booleans": (pa.bool_(), [False, True]),
    "texts": (pa.string(), ["", "a", "a\0", "aa", "b", "ab" * 50, "ä", "語", "\U0001f600"]),
    "bytes": (pa.binary(), [b"", b"\0", b"\0\0", b"a", b"\xff"]),
    "fixed bytes": (pa.binary(2), [b"\0\0", b"\0a", b"aa", b"\xff\xff"]),
    "dates": (pa.date32(), [DAY - datetime.timedelta(days=40_000), DAY, DAY + datetime.timedelta(days=1)]),
    "times": (pa.time32("ms"), [datetime.time(0), datetime.time(12, 30), datetime.time(23, 59, 59)]),
    "timestamps": (pa.timestamp("us"), [datetime.datetime(1, 1, 1), datetime.datetime(1969, 12, 31), datetime.datetime(9999, 12, 31)]),
}


def expected(ordered: list[Any], values: list[Any], side: Literal["left", "right"]) -> list[int | None]:
    find = bisect.bisect_left if side == "left" else bisect.bisect_right
    return [None if value is None else find(ordered, value) for value in values]


@SIDES
@pytest.mark.parametrize("name", VALUES)
def test_positions_are_those_of_a_binary_search(name: str, side: Literal["left", "right"]) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    type_, candidates = VALUES[name]
    for count in (0, 1, 2, 3, 7, 8, 9, 100):
        key = str.encode if type_ == pa.string() else None
        ordered = sorted(chance.choices(candidates, k=count), key=key)
        values = [*candidates, None, *chance.choices([*candidates, None], k=20)]
        wanted = expected(ordered if key is None else list(map(str.encode, ordered)), _bytes(values) if key else values, side)
        found = search_sorted(pa.array(ordered, type_), pa.array(values, type_), side)
        assert found.type == pa.int64()
        assert found.to_pylist() == wanted


def _bytes(values: list[Any]) -> list[Any]:
    return [None if value is None else value.encode() for value in values]


@SIDES
@pytest.mark.parametrize("type_", [pa.int32(), pa.string()])
def test_slices_are_searched_as_what_they_show(type_: pa.DataType, side: Literal["left", "right"]) -> None:
    ordered = pa.array([9, 1, 2, 2, 5, 0]).cast(type_).slice(1, 4)
    values = pa.array([7, None, 2, 0, 6, 7]).cast(type_).slice(1, 4)
    assert search_sorted(ordered, values, side).to_pylist() == ([None, 1, 0, 4] if side == "left" else [None, 3, 0, 4])


def test_integers_of_another_width_are_not_cut() -> None:
    assert search_sorted(pa.array([0, 100, 127], pa.int8()), pa.array([128, -129, 100])).to_pylist() == [3, 0, 1]


@SIDES
def test_all_values_may_be_null_and_none_may_be_there(side: Literal["left", "right"]) -> None:
    assert search_sorted(pa.array([1, 2]), pa.nulls(2, pa.int64()), side).to_pylist() == [None, None]
    assert search_sorted(pa.array(["a"]), pa.array([], pa.string()), side).to_pylist() == []
    assert search_sorted(pa.array([], pa.string()), pa.array(["a"]), side).to_pylist() == [0]
