"""The code that walks over records: which lists it fills, and what it refuses."""

from __future__ import annotations

import io
from itertools import count
from typing import Any

import pytest

from table_common.types import LogicalType, parse_logical_type
from table_runtime.formats.avro.generated_decoder import Node, compiled, tree


def walked(schema: Any, type_: str | None, data: bytes) -> tuple[Node, list[list[Any]]]:
    slots = count()
    node = tree(schema, parse_logical_type(type_) if type_ is not None else None, {}, slots)
    end, lists = compiled([node], next(slots), {})(data, (None,), io.BytesIO(data))
    assert end == len(data)
    return node, lists


def test_a_row_has_a_list_of_its_presence_and_one_for_each_field() -> None:
    schema = ["null", {"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "string"}]}]
    node, lists = walked(schema, "ROW<a INT, b STRING>", bytes([2, 14, 2, ord("x")]))
    assert ([child.slot for child in node.children], lists) == ([1, 2], [[True], [14], [b"x"]])
    assert walked(schema, "ROW<a INT, b STRING>", bytes([0]))[1] == [[None], [None], [None]]


def test_an_array_has_a_list_of_lengths_and_one_of_elements() -> None:
    schema = {"type": "array", "items": "int"}
    assert walked(schema, "ARRAY<INT>", bytes([4, 2, 4, 0]))[1] == [[2], [2, 4]]
    assert walked(schema, "ARRAY<INT>", bytes([0]))[1] == [[0], []]


def test_what_is_not_read_is_skipped() -> None:
    schema = {"type": "map", "values": {"type": "array", "items": "double"}}
    data = bytes([2, 2, ord("k"), 2, *bytes(8), 0, 0])
    assert all(not values for values in walked(schema, None, data)[1])


@pytest.mark.parametrize("schema", [["null", "int", "string"], {"type": "array", "items": "null"}])
def test_other_values_are_left_to_fastavro(schema: Any) -> None:
    type_: LogicalType = parse_logical_type("ARRAY<INT>")
    assert tree(schema, type_, {}, count()).kind == "nested"


@pytest.mark.parametrize(("data", "problem"), [(bytes([8, 0]), "branch"), (bytes([2, 0xFE, 0x7F, 0]), "elements")])
def test_damaged_bytes_are_an_error(data: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        walked(["null", {"type": "array", "items": "int"}], "ARRAY<INT>", data)
