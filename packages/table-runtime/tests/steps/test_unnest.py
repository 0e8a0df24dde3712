"""UNNEST over lists, maps and counted elements."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_runtime.steps.pipeline import Pipeline
from table_runtime.steps.unnest import Elements, Unnest

NUMBERS = pa.list_(pa.int32())
ROWS: list[tuple[Any, ...]] = [(1, [10, 20]), (2, None), (3, []), (4, [None]), (5, [30])]


def unnest(harness: Any, type_: pa.DataType, rows: Any, elements: Elements, added: list[pa.DataType], **options: bool) -> Any:
    source = harness.source([("id", pa.int32()), ("c", type_)], rows)
    fields = [pa.field(f"x{i}", added_type) for i, added_type in enumerate(added)]
    schema = pa.schema([*source.schema, *fields])
    operator = Pipeline.over(source, Unnest(schema, lambda batch: [(batch, [batch.column(1)])], elements, **options))
    return [(row[0], *row[2:]) for row in harness.rows(operator)]


@pytest.fixture(params=[1, 2, 10], ids=lambda n: f"batches of {n}")
def batched(harness: Any, request: Any, monkeypatch: Any) -> Any:
    source = harness.source
    monkeypatch.setattr(type(harness), "source", lambda self, fields, rows: source(fields, rows, batch_rows=request.param))
    return harness


def test_each_element_is_a_row(batched: Any) -> None:
    assert unnest(batched, NUMBERS, ROWS, Elements.VALUES, [pa.int32()]) == [(1, 10), (1, 20), (4, None), (5, 30)]


def test_rows_without_elements_are_kept_where_asked(batched: Any) -> None:
    found = unnest(batched, NUMBERS, ROWS, Elements.VALUES, [pa.int32()], keeps_empty=True)
    assert sorted(found, key=str) == sorted([(1, 10), (1, 20), (2, None), (3, None), (4, None), (5, 30)], key=str)


def test_positions_begin_anew_in_each_list(batched: Any) -> None:
    found = unnest(batched, NUMBERS, [(1, [7, 8]), (2, []), (3, [9, 9])], Elements.VALUES, [pa.int32(), pa.int32()], with_ordinality=True)
    assert found == [(1, 7, 1), (1, 8, 2), (3, 9, 1), (3, 9, 2)]


def test_fields_of_rows_become_columns(batched: Any) -> None:
    type_ = pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())]))
    rows = [(1, [{"a": 1, "b": "x"}, None])]
    assert unnest(batched, type_, rows, Elements.ROWS, [pa.int32(), pa.string()]) == [(1, 1, "x"), (1, None, None)]


def test_maps_give_keys_and_values(batched: Any) -> None:
    type_ = pa.map_(pa.string(), pa.int32())
    rows = [(1, [("a", 1), ("b", None)]), (2, None), (3, [("c", 3)])]
    assert unnest(batched, type_, rows, Elements.ENTRIES, [pa.string(), pa.int32()]) == [(1, "a", 1), (1, "b", None), (3, "c", 3)]


def test_counted_elements_come_as_often_as_their_count(batched: Any) -> None:
    type_ = pa.map_(pa.string(), pa.int32())
    rows = [(1, [("a", 2), ("b", 1)]), (2, []), (3, [("c", 3)])]
    found = unnest(batched, type_, rows, Elements.COUNTED, [pa.string(), pa.int32()], with_ordinality=True)
    assert found == [(1, "a", 1), (1, "a", 2), (1, "b", 3), (3, "c", 1), (3, "c", 2), (3, "c", 3)]


def test_no_rows_give_no_rows(harness: Any) -> None:
    assert unnest(harness, NUMBERS, [], Elements.VALUES, [pa.int32()], keeps_empty=True) == []
