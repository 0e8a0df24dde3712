"""Record batches by position: rows without columns, wide rows, runs of batches, and positions that are NULL."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pyarrow as pa
import pytest

from table_common.exceptions import TableInternalError
from table_runtime.columns import batches as module
from table_runtime.columns.batches import (
    BATCH_ROWS,
    cast_array,
    cast_to_schema,
    coalesce_batches,
    concat_arrays,
    empty_batch,
    join_columns,
    make_batch,
    rechunk,
    rows_at_once,
    split_table,
    take_arrays,
    take_batch,
)

SCHEMA = pa.schema([("a", pa.int32()), ("b", pa.string())])


def batch_of(*values: int | None) -> pa.RecordBatch:
    return pa.record_batch([pa.array(values, pa.int32()), pa.array([str(value) for value in values], pa.string())], schema=SCHEMA)


def test_a_batch_without_columns_keeps_its_rows() -> None:
    for rows in (0, 3):
        batch = make_batch([], pa.schema([]), rows)
        assert (batch.num_rows, batch.num_columns) == (rows, 0)


def test_columns_get_the_types_of_the_schema() -> None:
    column = pa.array(["x", "y", "x"]).dictionary_encode()
    batch = make_batch([pa.array([1, 2, 3], pa.int32()), column], SCHEMA, 3)
    assert batch.schema == SCHEMA
    assert batch.column(1).to_pylist() == ["x", "y", "x"]
    same = pa.array([1], pa.int32())
    assert cast_array(same, pa.int32()) is same


@pytest.mark.parametrize("of_left", [0.2, 0.5, 0.8])
def test_the_time_to_join_wide_batches_grows_with_their_columns(of_left: float) -> None:
    def seconds(width: int) -> float:
        field = pa.array([1, 2])
        left = int(width * of_left)
        sides = [pa.record_batch([field] * count, [f"{count} {i}" for i in range(count)]) for count in (left, width - left)]
        schema = pa.schema([*sides[0].schema, *sides[1].schema])
        best = 1e9
        for _ in range(5):
            start = time.process_time()
            joined = join_columns(*sides, schema)
            best = min(best, time.process_time() - start)
        assert joined.schema == schema
        return best

    assert seconds(8000) < 50 * max(seconds(800), 1e-4)  # columns that are added one by one take 100 times as long


def test_a_column_of_another_length_is_an_internal_error() -> None:
    with pytest.raises(TableInternalError, match="A column of 2 values was made for 3 rows"):
        make_batch([pa.array([1, 2], pa.int32()), pa.array(["x", "y", "z"])], SCHEMA, 3)


def test_a_value_that_does_not_fit_the_schema_is_an_error() -> None:
    with pytest.raises(pa.ArrowInvalid):
        cast_to_schema(pa.record_batch({"a": [2**40]}), pa.schema([("a", pa.int32())]))


def test_an_empty_batch_has_the_schema() -> None:
    nested = pa.schema([("m", pa.map_(pa.string(), pa.int32())), ("r", pa.struct([("x", pa.list_(pa.date32()))]))])
    assert empty_batch(nested).schema == nested
    assert empty_batch(nested).num_rows == 0


def test_the_nullability_of_nested_fields_is_that_of_the_schema() -> None:
    target = pa.schema([("r", pa.struct([pa.field("x", pa.int32(), nullable=False)]))])
    batch = cast_to_schema(pa.record_batch({"r": pa.array([{"x": 1}], pa.struct([("x", pa.int32())]))}), target)
    assert batch.schema == target


def test_fewer_wide_rows_are_taken_at_once() -> None:
    wide = pa.array(["x" * 1_000_000] * 4)
    assert rows_at_once([wide]) == 67
    assert rows_at_once([wide, pa.chunked_array([wide])]) == 33
    assert rows_at_once([pa.array([1, 2])]) == BATCH_ROWS
    assert rows_at_once([]) == rows_at_once([pa.array([], pa.int32())]) == BATCH_ROWS
    assert rows_at_once([pa.array(["x" * (1 << 27)])]) == 1


def test_no_chunks_are_an_empty_array_of_the_type() -> None:
    assert concat_arrays([], pa.date32()).type == pa.date32()
    one = pa.array([1])
    assert concat_arrays([one], pa.int64()) is one
    assert concat_arrays([one, one], pa.int64()).to_pylist() == [1, 1]


def test_a_position_that_is_null_gives_null() -> None:
    columns = [pa.array([1, 2, 3]), pa.chunked_array([["x"], ["y", "z"]]), pa.chunked_array([["x", "y", "z"]]), pa.nulls(3)]
    taken = take_arrays(columns, pa.array([2, None, 0]))
    assert [column.to_pylist() for column in taken] == [[3, None, 1], ["z", None, "x"], ["z", None, "x"], [None] * 3]
    assert all(isinstance(column, pa.Array) for column in taken)


def test_no_positions_give_no_rows_of_the_schema() -> None:
    assert take_batch(batch_of(1, 2), pa.array([], pa.int64())).schema == SCHEMA
    no_chunks = pa.chunked_array([], pa.string())
    assert take_arrays([no_chunks], pa.array([], pa.int64()))[0].to_pylist() == []


def test_rows_without_columns_are_taken_too() -> None:
    assert take_batch(make_batch([], pa.schema([]), 3), pa.array([0, 0, 2, 1])).num_rows == 4


@pytest.mark.parametrize("indices", [None, [6, 5, None, 3, 2, 1, 0]])
def test_a_table_is_split_into_batches_of_moderate_size(monkeypatch: pytest.MonkeyPatch, indices: list[int | None] | None) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 3)
    columns = [pa.chunked_array([[0, 1], [2, 3, 4, 5], [6]], pa.int32()), pa.chunked_array([list("abcdefg")])]
    found = list(split_table(columns, SCHEMA, 7, None if indices is None else pa.array(indices, pa.int64())))
    assert [batch.num_rows for batch in found] == [3, 3, 1]
    expected = list(range(7)) if indices is None else indices
    assert [value for batch in found for value in batch.column(0).to_pylist()] == expected
    assert [value for batch in found for value in batch.column(1).to_pylist()] == [None if i is None else "abcdefg"[i] for i in expected]


def test_a_table_without_columns_is_split_by_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 3)
    assert [batch.num_rows for batch in split_table([], pa.schema([]), 7, None)] == [3, 3, 1]
    assert list(split_table([], pa.schema([]), 0, None)) == []


def sizes(runs: Sequence[list[pa.RecordBatch]]) -> list[list[int]]:
    return [[batch.num_rows for batch in run] for run in runs]


def test_batches_are_put_together_until_there_are_enough_rows() -> None:
    given = [batch_of(*range(count)) for count in (1, 0, 1, 5, 0, 1)]
    assert sizes(list(coalesce_batches(given, 3))) == [[1, 1, 5], [1]]
    assert list(coalesce_batches([], 3)) == []
    assert list(coalesce_batches([batch_of()], 3)) == []


def test_large_batches_are_not_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_RUN", 2 * batch_of(1).nbytes)
    assert sizes(list(coalesce_batches([batch_of(1)] * 5, 100))) == [[1, 1], [1, 1], [1]]


def test_runs_are_smaller_where_memory_is_scarce_and_small_runs_do_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def scaled(size: int) -> int:
        asked.append(size)
        return size // 2

    monkeypatch.setattr(module, "BATCH_ROWS", 32)
    assert sizes(list(coalesce_batches([batch_of(1)] * 9, 8, scaled))) == [[1] * 4, [1] * 4, [1]]
    assert 8 in asked
    asked.clear()
    assert sizes(list(coalesce_batches([batch_of(1)], 8, scaled))) == [[1]]
    assert asked == []


def test_a_run_is_one_batch() -> None:
    only = batch_of(1)
    assert rechunk([only], SCHEMA) is only
    assert rechunk([batch_of(1, None), batch_of(), batch_of(3)], SCHEMA).column(0).to_pylist() == [1, None, 3]
    empty = make_batch([], pa.schema([]), 2)
    assert rechunk([empty, empty], pa.schema([])).num_rows == 4


def test_maps_with_cast_keys_are_concatenated() -> None:
    # pyarrow 25 ended the process here.
    maps = pa.array([[(1, 2.0)], None, [(3, None)]], pa.map_(pa.int32(), pa.float64()))
    wide = pa.map_(pa.int64(), pa.float64())
    nested = pa.array([[{"m": [(1, 2.0)]}], None], pa.list_(pa.struct([("m", maps.type)])))
    for array, type_ in ((maps, wide), (nested, pa.list_(pa.struct([("m", wide)])))):
        cast = cast_array(array, type_)
        twice = concat_arrays([cast, cast], type_)
        twice.validate(full=True)
        assert twice.to_pylist() == cast.to_pylist() * 2
