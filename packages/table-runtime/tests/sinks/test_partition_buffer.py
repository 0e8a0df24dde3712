"""Buffered rows of a sink, by the folder of their partition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.connector import FileSinkProvider
from table_common.types import DateType, IntType, RowType, VarCharType, parse_logical_type
from table_runtime.columns.batches import BATCH_ROWS
from table_runtime.sinks.partition_buffer import PartitionBuffer

TYPE = RowType.of([("p", VarCharType()), ("id", IntType()), ("d", DateType())], nullable=False)
DAY = date(2020, 1, 2)


def batch(rows: Sequence[tuple[Any, int, date | None]]) -> pa.RecordBatch:
    types = [pa.string(), pa.int32(), pa.date32()]
    return pa.RecordBatch.from_arrays([pa.array([row[i] for row in rows], type_) for i, type_ in enumerate(types)], names=["p", "id", "d"])


def buffer(keys: tuple[str, ...], *batches: Sequence[tuple[Any, int, date | None]]) -> PartitionBuffer:
    result = PartitionBuffer(FileSinkProvider("t", "csv", TYPE, {}, keys))
    for rows in batches:
        result.add(batch(rows))
    return result


def numbers(rows: pa.RecordBatch) -> list[int]:
    return [row["id"] for row in rows.to_pylist()]


def test_rows_come_by_folder_in_the_order_of_the_input_without_the_keys() -> None:
    rows = buffer(("p",), [("b", 1, DAY), ("a", 2, None)], [("b", 3, DAY)])
    taken = {folder: part.to_pylist() for folder, part in rows.take()}
    assert taken == {"p=b": [{"id": 1, "d": DAY}, {"id": 3, "d": DAY}], "p=a": [{"id": 2, "d": None}]}


def test_several_keys_are_nested_folders() -> None:
    rows = buffer(("p", "d"), [("a", 1, DAY), ("a", 2, date(2021, 1, 1))])
    assert {folder: numbers(part) for folder, part in rows.take()} == {"p=a/d=2020-01-02": [1], "p=a/d=2021-01-01": [2]}


def test_null_and_the_empty_text_share_the_default_folder() -> None:
    ((folder, part),) = buffer(("p",), [(None, 1, DAY), ("", 2, DAY)]).take()
    assert (folder.startswith("p=__"), numbers(part)) == (True, [1, 2])


@pytest.mark.parametrize(
    ("share", "folders", "left"), [(0.5, ["p=a"], [4, 5]), (0.7, ["p=a", "p=b"], [5]), (1.0, ["p=a", "p=b", "p=c"], [])]
)
def test_the_largest_partitions_are_taken_until_the_share_is_reached(share: float, folders: list[str], left: list[int]) -> None:
    rows = buffer(("p",), [("a", 1, DAY), ("a", 2, DAY), ("a", 3, DAY), ("b", 4, DAY), ("c", 5, DAY)])
    assert [folder for folder, _ in rows.take(share)] == folders
    assert [number for _, part in rows.take() for number in numbers(part)] == left
    assert rows.nbytes == 0


def test_an_empty_buffer_has_no_partitions() -> None:
    assert list(buffer(("p",)).take()) == []


@pytest.mark.parametrize("texts", [["a"] * 9, ["a"] * 5 + [None] * 4 + ["b"] * 9 + ["", "a"]], ids=["one run", "runs"])
def test_texts_that_repeat_have_the_same_folders_as_others(texts: list[str | None]) -> None:
    together = buffer(("p", "d"), [(text, row, DAY) for row, text in enumerate(texts)])
    alone = buffer(("p", "d"), *([(text, row, DAY)] for row, text in enumerate(texts)))
    assert {folder: numbers(part) for folder, part in together.take()} == {folder: numbers(part) for folder, part in alone.take()}


@pytest.mark.parametrize(
    ("type_", "values"), [("DOUBLE", [0.0, -0.0, 0.0]), ("DOUBLE", [float("nan")] * 3), ("INT", [7, 7, 7]), ("INT", [7, 8, 7])]
)
def test_numbers_that_are_equal_have_one_folder_if_their_texts_are_equal(type_: str, values: list[float]) -> None:
    row_type = RowType.of([("p", parse_logical_type(type_)), ("id", IntType())], nullable=False)
    columns = [pa.array(values, to_arrow_type(parse_logical_type(type_))), pa.array([1, 2, 3], pa.int32())]
    rows = PartitionBuffer(FileSinkProvider("t", "csv", row_type, {}, ("p",)))
    rows.add(pa.RecordBatch.from_arrays(columns, names=["p", "id"]))
    folders: dict[str, list[int]] = {}
    for number, value in enumerate(values, 1):
        folders.setdefault(f"p={'NaN' if value != value else value}", []).append(number)
    assert {folder: numbers(part) for folder, part in rows.take()} == folders


def test_rows_that_remain_do_not_keep_the_batches_that_they_came_with() -> None:
    rows = buffer(("p",), [("a", number, DAY) for number in range(10_000)] + [("b", 1, DAY)])
    assert [folder for folder, _ in rows.take(0.5)] == ["p=a"]
    ((_, part),) = rows.take()
    assert part.get_total_buffer_size() < 100


def test_rows_that_are_enough_for_a_batch_are_returned_at_once() -> None:
    rows = PartitionBuffer(FileSinkProvider("t", "csv", TYPE, {}, ("p",)))
    assert rows.add(batch([("a", 1, DAY), ("b", 2, DAY)])) == []
    size = rows.nbytes
    ((folder, part),) = rows.add(batch([("a", number, DAY) for number in range(2, BATCH_ROWS // 2 + 1)] + [("b", 3, DAY)]))
    assert (folder, part.column("id").to_pylist()) == ("p=a", list(range(1, BATCH_ROWS // 2 + 1)))
    assert [(folder, numbers(part)) for folder, part in rows.take()] == [("p=b", [2, 3])]
    assert (size > 0, rows.nbytes) == (True, 0)


def test_a_large_batch_of_a_partition_is_not_copied() -> None:
    large = batch([("a", number, DAY) for number in range(BATCH_ROWS // 2)])
    ((_, part),) = PartitionBuffer(FileSinkProvider("t", "csv", TYPE, {}, ("p",))).add(large)
    assert part.column("id").buffers()[1].address == large.column("id").buffers()[1].address
