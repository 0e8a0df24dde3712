from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from table_runtime.columns.ordering import SortKey, sort_indices
from table_runtime.streaming.changes.sort_keys import sort_keys

NAN = float("nan")
CHOICES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "integers": (pa.int32(), [None, -1, 0, 3]),
    "floats": (pa.float64(), [None, NAN, 0.0, -0.0, 1.5, float("inf"), float("-inf")]),
    "texts": (pa.string(), [None, "", "a", "B", "é", "😀"]),
    "bytes": (pa.binary(), [None, b"", b"\xff", b"a"]),
    "booleans": (pa.bool_(), [None, False, True]),
    "arrays": (pa.list_(pa.float64()), [None, [], [None], [1.0], [1.0, None], [1.0, 2.0], [NAN], [NAN, 1.0], [-0.0], [0.0, 1.0]]),
    "rows": (
        pa.struct([("x", pa.float64()), ("y", pa.string())]),
        [None, {"x": None, "y": "a"}, {"x": NAN, "y": "a"}, {"x": 1.0, "y": None}, {"x": 1.0, "y": "b"}],
    ),
    "times": (pa.timestamp("ms"), [None, 0, -1, 1_000_000]),
}


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("nulls_first", [True, False])
@pytest.mark.parametrize("name", CHOICES)
def test_the_order_is_that_of_a_sort(name: str, nulls_first: bool, ascending: bool) -> None:
    type_, choices = CHOICES[name]
    chance = random.Random(5)
    rows = pa.RecordBatch.from_arrays([pa.array([chance.choice(choices) for _ in range(60)], type_)], names=["a"])
    keys = (SortKey(0, ascending, nulls_first),)
    values = sort_keys(rows, keys)
    expected = sort_indices([rows.column(0)], keys).to_pylist()
    assert sorted(range(60), key=lambda i: (values[i], i)) == expected


def test_equal_values_have_equal_keys() -> None:
    rows = pa.RecordBatch.from_arrays([pa.array([[0.0], [-0.0], [NAN], [NAN], [1.0]])], names=["a"])
    zero, negative, nan, other, one = sort_keys(rows, (SortKey(0, False, True),))
    assert zero == negative
    assert nan == other
    assert one not in (zero, nan)


def test_several_keys_and_none() -> None:
    rows = pa.RecordBatch.from_pydict({"a": [1, 1, 0], "b": ["x", "y", "z"]})
    values = sort_keys(rows, (SortKey(0, True, True), SortKey(1, False, True)))
    assert sorted(range(3), key=lambda i: values[i]) == [2, 1, 0]
    assert sort_keys(rows, ()) == [(), (), ()]
