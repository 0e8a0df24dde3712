import pickle
import random
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from table_runtime.streaming.state import hash_table
from table_runtime.streaming.state.key_slots import KeySlots, buckets_of


def slots_of(keys: KeySlots, *columns: pa.Array) -> list[int]:
    return [int(slot) for slot in keys.find_or_insert(columns, len(columns[0]))]


def test_new_keys_get_the_next_slots_in_the_order_in_which_they_come() -> None:
    keys = KeySlots([pa.int64()])
    assert slots_of(keys, pa.array([7, 5, 7, 9])) == [0, 1, 0, 2]
    assert slots_of(keys, pa.array([9, 1, 5])) == [2, 3, 1]
    assert keys.size == 4


def test_keys_that_are_not_there_are_found_nowhere_and_stay_out() -> None:
    keys = KeySlots([pa.string()])
    slots_of(keys, pa.array(["a"]))
    assert keys.find([pa.array(["b", "a", None])], 3).tolist() == [-1, 0, -1]
    assert keys.size == 1


def test_keys_of_several_columns_are_equal_in_all_of_them() -> None:
    keys = KeySlots([pa.int32(), pa.string()])
    assert slots_of(keys, pa.array([1, 1, None, 1], pa.int32()), pa.array(["a", "b", "a", "a"])) == [0, 1, 2, 0]


def test_without_columns_all_rows_have_one_key() -> None:
    keys = KeySlots([])
    assert keys.find([], 1).tolist() == [-1]
    assert keys.find_or_insert([], 3).tolist() == [0, 0, 0]


def test_the_keys_of_slots_are_read_back() -> None:
    keys = KeySlots([pa.int32(), pa.string(), pa.bool_()])
    columns = [pa.array([1, None, 3], pa.int32()), pa.array(["a", "b", None]), pa.array([True, None, False])]
    slots = keys.find_or_insert(columns, 3)
    assert [column.to_pylist() for column in keys.keys(slots)] == [[1, None, 3], ["a", "b", None], [True, None, False]]


@pytest.mark.parametrize("is_constant", [False, True])
def test_slots_are_those_of_a_dictionary(is_constant: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a constant hash every key meets every other one."""
    if is_constant:
        monkeypatch.setattr(hash_table, "hash_words", lambda words, width: np.zeros(words.shape[1], np.uint64))
    chance = random.Random(3)
    rows = 300 if is_constant else 30_000
    keys = KeySlots([pa.int64(), pa.string()])
    known: dict[Any, int] = {}
    for _ in range(3):
        rows_of_batch = [(chance.choice([None, chance.randrange(rows // 10)]), chance.choice(["a", "b", None])) for _ in range(rows)]
        expected = [known.setdefault(row, len(known)) for row in rows_of_batch]
        columns = [pa.array([row[0] for row in rows_of_batch], pa.int64()), pa.array([row[1] for row in rows_of_batch])]
        assert slots_of(keys, *columns) == expected
    assert keys.size == len(known)


NESTED: dict[pa.DataType, list[Any]] = {
    pa.list_(pa.string()): [["a"], [], None, ["a", None], ["a", "b"], ["\ud7ff", ""], ["a,b"]],
    pa.list_(pa.float64()): [[0.0], [-0.0], [float("nan")], [1e300, None]],
    pa.struct([("a", pa.decimal128(38, 2)), ("b", pa.timestamp("ns"))]): [
        {"a": Decimal("1.10"), "b": 1}, {"a": None, "b": None}, None, {"a": Decimal("-1.10"), "b": 2},
    ],
    pa.map_(pa.string(), pa.list_(pa.int64())): [[("x", [1]), ("y", None)], [], [("x", [1])], None],
}  # fmt: skip


@pytest.mark.parametrize("type_", NESTED, ids=str)
def test_buckets_of_nested_keys_depend_on_the_values_alone(type_: pa.DataType) -> None:
    values = NESTED[type_]
    expected = buckets_of([pa.array(values, type_)], len(values), 64).tolist()
    assert len(set(expected)) > 2
    for seed in range(10):
        order = random.Random(seed).sample(range(len(values)), len(values))
        assert buckets_of([pa.array([values[place] for place in order], type_)], len(order), 64).tolist() == [
            expected[place] for place in order
        ]
    slots = KeySlots([type_])
    found = slots.find_or_insert([pa.array(values[::-1], type_)], len(values))
    assert slots.buckets(found, 64).tolist() == expected[::-1]
    assert pickle.loads(pickle.dumps(slots)).buckets(found, 64).tolist() == expected[::-1]


def test_buckets_of_nested_keys_are_the_same_in_every_process() -> None:
    """They are in files, and rows of other processes come by them."""
    values = [[("x", 1), ("y", 2), ("z", 3)], [("z", 3), ("x", 1), ("y", 2)], [("y", 7)]]
    assert buckets_of([pa.array(values, pa.map_(pa.string(), pa.int64()))], 3, 1 << 40).tolist() == [
        880009884494,
        880009884494,
        789208219595,
    ]
