"""Batches are made by position; what is shared is not copied, and what can be known of all columns at once is not asked of each."""

from __future__ import annotations

import pyarrow as pa
import pytest

from table_runtime import batches
from table_runtime.batches import append_columns, approximate_size, coalesce_batches, join_columns, repeated_rows_at_once, take_batch

LEFT = pa.schema([pa.field("a", pa.int32()), pa.field("b", pa.string(), nullable=False)])
RIGHT = pa.schema([pa.field("c", pa.int32())])
BOTH = pa.schema([*LEFT, *RIGHT])


def _left() -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([1, 2], pa.int32()), pa.array(["x", "y"])], schema=LEFT)


def _right() -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([3, None], pa.int32())], schema=RIGHT)


def test_columns_are_appended_in_the_schema() -> None:
    joined = append_columns(_left(), [pa.array([3, None], pa.int32())], BOTH)
    assert joined.schema == BOTH
    assert joined.to_pylist() == [{"a": 1, "b": "x", "c": 3}, {"a": 2, "b": "y", "c": None}]


def test_an_appended_column_gets_the_type_of_the_schema() -> None:
    assert append_columns(_left(), [pa.array([3, None], pa.int64())], BOTH).schema == BOTH


def test_appending_renames_the_columns_if_the_schema_has_other_names() -> None:
    schema = pa.schema([pa.field("x", pa.int32()), pa.field("y", pa.string()), *RIGHT])
    assert append_columns(_left(), _right().columns, schema).schema == schema


def test_metadata_of_a_batch_does_not_remain_when_columns_are_appended() -> None:
    batch = _left().replace_schema_metadata({"pandas": "{}"})
    assert append_columns(batch, _right().columns, BOTH).schema.metadata is None


@pytest.mark.parametrize(("left", "right"), [(_left(), _right()), (_right(), _left())])
def test_columns_of_two_batches_are_joined_in_order(left: pa.RecordBatch, right: pa.RecordBatch) -> None:
    schema = pa.schema([*left.schema, *right.schema])
    joined = join_columns(left, right, schema)
    assert joined.schema == schema
    assert joined.columns == [*left.columns, *right.columns]


def test_batches_without_columns_are_joined_by_their_number_of_rows() -> None:
    empty = batches.make_batch([], pa.schema([]), 2)
    assert join_columns(empty, empty, pa.schema([])).num_rows == 2


def test_taking_all_rows_in_order_copies_nothing() -> None:
    batch = _left()
    assert take_batch(batch, pa.array([0, 1])) is batch


@pytest.mark.parametrize("indices", [[1, 0], [0, 0, 1], [0], [0, None], [], [1, 1]])
def test_rows_are_taken_by_position(indices: list[int | None]) -> None:
    rows = _left().to_pylist()
    expected = [rows[i] if i is not None else {"a": None, "b": None} for i in indices]
    assert take_batch(_left(), pa.array(indices, pa.int64())).to_pylist() == expected


def test_a_batch_without_columns_keeps_the_number_of_rows_taken() -> None:
    assert take_batch(batches.make_batch([], pa.schema([]), 3), pa.array([2, 2])).num_rows == 2


def test_wide_rows_that_are_repeated_come_in_small_batches() -> None:
    batch = pa.record_batch({"s": ["x" * (1 << 20)]})
    assert repeated_rows_at_once(batch, 1) == batches.BATCH_ROWS
    assert repeated_rows_at_once(batch, 1000) == batches.BATCH_BYTES // batch.nbytes


def test_the_size_of_a_slice_of_a_large_batch_is_its_own() -> None:
    batch = pa.record_batch({"a": pa.arange(0, 1 << 20)})
    assert approximate_size(batch.slice(0, 8)) == 64


def test_a_large_batch_ends_a_run() -> None:
    large = pa.record_batch({"s": ["x" * (batches.LARGEST_RUN // 2)]})
    small = pa.record_batch({"s": ["x"]})
    assert [len(run) for run in coalesce_batches([small, large, large, small], 1 << 30)] == [3, 1]
