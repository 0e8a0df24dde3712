import math
import random

import pyarrow as pa
import pytest

from table_common.arrow import RemainingRows, apply_changes


def changelog(*changes: tuple[int, int | None, float]) -> pa.Table:
    kinds, first, second = zip(*changes, strict=True)
    columns = [pa.array(first, pa.int32()), pa.array(second, pa.float64()), pa.array(kinds, pa.int8())]
    return pa.Table.from_arrays(columns, names=["a", "b", "$row_kind"])


def test_retractions_take_back_equal_rows_and_the_others_stay_in_their_order() -> None:
    changes = changelog((0, 1, 1.0), (0, 2, 2.0), (1, 1, 1.0), (2, 1, 5.0), (0, 3, 3.0), (3, 2, 2.0))
    assert apply_changes(changes, 2).to_pydict() == {"a": [1, 3], "b": [5.0, 3.0]}


def test_each_retraction_removes_one_equal_row() -> None:
    assert apply_changes(changelog((0, 1, 1.0), (0, 1, 1.0), (3, 1, 1.0)), 2).num_rows == 1


def test_null_and_nan_are_equal_to_themselves() -> None:
    assert apply_changes(changelog((0, None, math.nan), (3, None, math.nan)), 2).num_rows == 0


def test_a_retraction_of_nothing_is_ignored() -> None:
    assert apply_changes(changelog((3, 1, 1.0), (0, 1, 1.0)), 2).num_rows == 1


def test_nested_values_are_compared_whole() -> None:
    rows = pa.table({"a": pa.array([[1, None], [1, None], [2]]), "$row_kind": pa.array([0, 3, 0], pa.int8())})
    assert apply_changes(rows, 1).to_pydict() == {"a": [[2]]}


def test_a_table_of_insertions_is_returned_as_it_is() -> None:
    table = pa.table({"a": [1, 2]})
    assert apply_changes(table, 1) is table


def test_rows_remain_whatever_the_batches_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RemainingRows, "_FEW_ROWS", 3)
    monkeypatch.setattr(RemainingRows, "_MANY_CHUNKS", 4)
    seed = 20260101
    print(f"seed {seed}")
    chance = random.Random(seed)
    present: list[tuple[int, float]] = []
    changes: list[tuple[int, int | None, float]] = []
    expected = []
    for _ in range(300):
        if present and chance.random() < 0.45:
            row = chance.choice(present)
            present.reverse()
            present.remove(row)  # the last one that is equal
            present.reverse()
            changes.append((3, *row))
        else:
            row = (chance.randrange(4), float(chance.randrange(2)))
            present.append(row)
            changes.append((0, *row))
        expected.append(list(present))
    for size, worth in ((1, 1000), (7, 1000), (300, 1000), (7, 1), (60, 1), (300, 1)):
        monkeypatch.setattr(RemainingRows, "_WORTH_NUMBERS", worth)
        remaining = RemainingRows(changelog((0, 1, 1.0)).schema.remove(2))
        for start in range(0, 300, size):
            remaining.add(changelog(*changes[start : start + size]))
            last = min(start + size, 300) - 1
            if start % 5 == 0 or last == 299:
                assert [tuple(row.values()) for row in remaining.table().to_pylist()] == expected[last]


def test_insertions_need_no_kinds() -> None:
    remaining = RemainingRows(pa.schema([("a", pa.int64())]))
    remaining.add(pa.record_batch({"a": [1, 2]}))
    assert remaining.table().to_pydict() == {"a": [1, 2]}


@pytest.mark.parametrize(
    "type_",
    [
        pa.bool_(),
        pa.int64(),
        pa.float32(),
        pa.string(),
        pa.binary(),
        pa.decimal128(20, 2),
        pa.date32(),
        pa.time64("us"),
        pa.timestamp("us", "UTC"),
        pa.duration("ms"),
        pa.null(),
        pa.list_(pa.int32()),
        pa.struct([("a", pa.int32())]),
        pa.map_(pa.string(), pa.int32()),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_many_changes_of_a_type_cancel_each_other(type_: pa.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RemainingRows, "_WORTH_NUMBERS", 1)
    values = {
        pa.bool_(): [True, False, None],
        pa.string(): ["a", "", None],
        pa.binary(): [b"a", b"", None],
        pa.list_(pa.int32()): [[1], [], None],
        pa.struct([("a", pa.int32())]): [{"a": 1}, {"a": None}, None],
        pa.map_(pa.string(), pa.int32()): [[("a", 1)], [], None],
        pa.dictionary(pa.int32(), pa.string()): ["a", "b", None],
        pa.null(): [None, None, None],
        pa.float32(): [1.5, math.nan, None],
    }
    column = pa.array([*values.get(type_, [1, 2, None])] * 2, type_)
    changes = pa.table(
        {"a": pa.chunked_array([column[:2], column[2:]]), "n": [0, 1, 2, 0, 1, 2], "$row_kind": pa.array([0, 0, 0, 3, 1, 3], pa.int8())}
    )
    assert apply_changes(changes, 2).num_rows == 0


def test_zeros_of_both_signs_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    for worth in (1, 1000):
        monkeypatch.setattr(RemainingRows, "_WORTH_NUMBERS", worth)
        assert apply_changes(changelog((0, 1, 0.0), (3, 1, -0.0)), 2).num_rows == 0
