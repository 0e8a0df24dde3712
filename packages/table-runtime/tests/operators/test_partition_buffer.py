"""Buffered rows of a sink, by the folder of their partition."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import FileSinkProvider
from table_common.types import DateType, IntType, RowType, VarCharType
from table_runtime.batches import BATCH_ROWS
from table_runtime.operators.partition_buffer import PartitionBuffer

TYPE = RowType.of([("p", VarCharType()), ("id", IntType()), ("d", DateType())], nullable=False)
DAY = date(2020, 1, 2)


def buffer(keys: tuple[str, ...], *batches: list[tuple[Any, int, date | None]]) -> PartitionBuffer:
    result = PartitionBuffer(FileSinkProvider("t", "csv", TYPE, {}, keys))
    types = [pa.string(), pa.int32(), pa.date32()]
    for rows in batches:
        columns = [pa.array([row[i] for row in rows], type_) for i, type_ in enumerate(types)]
        result.add(pa.RecordBatch.from_arrays(columns, names=["p", "id", "d"]))
    return result


def values(parts: list[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for part in parts for row in part.to_pylist()]


def numbers(parts: list[pa.RecordBatch]) -> list[int]:
    return [row["id"] for row in values(parts)]


def test_rows_come_by_folder_in_the_order_of_the_input_without_the_keys() -> None:
    rows = buffer(("p",), [("b", 1, DAY), ("a", 2, None)], [("b", 3, DAY)])
    taken = {folder: values(parts) for folder, parts in rows.take()}
    assert taken == {"p=b": [{"id": 1, "d": DAY}, {"id": 3, "d": DAY}], "p=a": [{"id": 2, "d": None}]}


def test_several_keys_are_nested_folders() -> None:
    rows = buffer(("p", "d"), [("a", 1, DAY), ("a", 2, date(2021, 1, 1))])
    assert {folder: numbers(parts) for folder, parts in rows.take()} == {"p=a/d=2020-01-02": [1], "p=a/d=2021-01-01": [2]}


def test_null_and_the_empty_text_share_the_default_folder() -> None:
    ((folder, parts),) = buffer(("p",), [(None, 1, DAY), ("", 2, DAY)]).take()
    assert (folder.startswith("p=__"), numbers(parts)) == (True, [1, 2])


@pytest.mark.parametrize(
    ("share", "folders", "left"), [(0.5, ["p=a"], [4, 5]), (0.7, ["p=a", "p=b"], [5]), (1.0, ["p=a", "p=b", "p=c"], [])]
)
def test_the_largest_partitions_are_taken_until_the_share_is_reached(share: float, folders: list[str], left: list[int]) -> None:
    rows = buffer(("p",), [("a", 1, DAY), ("a", 2, DAY), ("a", 3, DAY), ("b", 4, DAY), ("c", 5, DAY)])
    assert [folder for folder, _ in rows.take(share)] == folders
    assert [number for _, parts in rows.take() for number in numbers(parts)] == left
    assert rows.nbytes == 0


def test_an_empty_buffer_has_no_partitions() -> None:
    assert list(buffer(("p",)).take()) == []


@pytest.mark.parametrize("texts", [["a"] * 9, ["a"] * 5 + [None] * 4 + ["b"] * 9 + ["", "a"]], ids=["one run", "runs"])
def test_texts_that_repeat_have_the_same_folders_as_others(texts: list[str | None]) -> None:
    together = buffer(("p", "d"), [(text, row, DAY) for row, text in enumerate(texts)])
    alone = buffer(("p", "d"), *([(text, row, DAY)] for row, text in enumerate(texts)))
    assert {folder: numbers(parts) for folder, parts in together.take()} == {folder: numbers(parts) for folder, parts in alone.take()}


def test_rows_that_remain_do_not_keep_the_batches_that_they_came_with() -> None:
    rows = buffer(("p",), [("a", number, DAY) for number in range(10_000)] + [("b", 1, DAY)])
    assert [folder for folder, _ in rows.take(0.5)] == ["p=a"]
    ((_, (part,)),) = rows.take()
    assert part.get_total_buffer_size() < 100


def test_large_batches_of_a_partition_are_not_copied_together() -> None:
    large = [("a", number, DAY) for number in range(BATCH_ROWS // 2)]
    ((_, parts),) = buffer(("p",), large, [("a", 1, DAY)], [("a", 2, DAY)]).take()
    assert [part.num_rows for part in parts] == [BATCH_ROWS // 2, 2]
