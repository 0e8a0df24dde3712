"""Buffered rows of a sink, by the folder of their partition."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from table_common.connector import FileSinkProvider
from table_common.types import DateType, IntType, RowType, VarCharType
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


def test_rows_come_by_folder_in_the_order_of_the_input_without_the_keys() -> None:
    rows = buffer(("p",), [("b", 1, DAY), ("a", 2, None)], [("b", 3, DAY)])
    taken = {folder: batch.to_pylist() for folder, batch in rows.take()}
    assert taken == {"p=b": [{"id": 1, "d": DAY}, {"id": 3, "d": DAY}], "p=a": [{"id": 2, "d": None}]}


def test_several_keys_are_nested_folders() -> None:
    rows = buffer(("p", "d"), [("a", 1, DAY), ("a", 2, date(2021, 1, 1))])
    assert {folder: batch.column(0).to_pylist() for folder, batch in rows.take()} == {"p=a/d=2020-01-02": [1], "p=a/d=2021-01-01": [2]}


def test_null_and_the_empty_text_share_the_default_folder() -> None:
    ((folder, batch),) = buffer(("p",), [(None, 1, DAY), ("", 2, DAY)]).take()
    assert (folder.startswith("p=__"), batch.column(0).to_pylist()) == (True, [1, 2])


@pytest.mark.parametrize(
    ("share", "folders", "left"), [(0.5, ["p=a"], [4, 5]), (0.7, ["p=a", "p=b"], [5]), (1.0, ["p=a", "p=b", "p=c"], [])]
)
def test_the_largest_partitions_are_taken_until_the_share_is_reached(share: float, folders: list[str], left: list[int]) -> None:
    rows = buffer(("p",), [("a", 1, DAY), ("a", 2, DAY), ("a", 3, DAY), ("b", 4, DAY), ("c", 5, DAY)])
    assert [folder for folder, _ in rows.take(share)] == folders
    assert [number for _, batch in rows.take() for number in batch.column(0).to_pylist()] == left
    assert rows.nbytes == 0


def test_an_empty_buffer_has_no_partitions() -> None:
    assert list(buffer(("p",)).take()) == []
