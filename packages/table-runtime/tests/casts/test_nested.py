"""Casts of arrays, maps and rows, element by element."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_type
from table_common.types import LogicalType, VarCharType, parse_logical_type
from table_runtime.casts import cast
from table_runtime.casts.nested import cast_elements, children_of_struct, compact, entry_types, nested_to_text
from table_runtime.evaluation_context import EvaluationContext

CASES = [
    ("ARRAY<INT>", "ARRAY<BIGINT>", [[1], None, [None, 2], []], [[1], None, [None, 2], []], ["[1]", None, "[NULL, 2]", "[]"]),
    ("MAP<INT, INT>", "MAP<BIGINT, BIGINT>", [[(1, None)], None, []], [[(1, None)], None, []], ["{1=NULL}", None, "{}"]),
    ("MULTISET<INT>", "MULTISET<BIGINT>", [[(1, 2), (3, 1)], None], [[(1, 2), (3, 1)], None], ["{1=2, 3=1}", None]),
    ("ROW<a INT, b INT>", "ROW<x BIGINT, y BIGINT>", [{"a": 1, "b": None}, None], [{"x": 1, "y": None}, None], ["(1, NULL)", None]),
    ("ARRAY<ROW<a INT>>", "ARRAY<ROW<z BIGINT>>", [[None, {"a": None}]], [[None, {"z": None}]], ["[NULL, (NULL)]"]),
]


def convert(values: Any, source: LogicalType, target: LogicalType) -> Any:
    return cast(values, source, target, EvaluationContext())


@pytest.mark.parametrize(("source", "target", "values", "expected", "texts"), CASES)
@pytest.mark.parametrize("start", [0, 1])
def test_elements_are_cast_by_position(source: str, target: str, values: Any, expected: Any, texts: Any, start: int) -> None:
    source_type, target_type = parse_logical_type(source), parse_logical_type(target)
    column = pa.array([values[0], *values], to_arrow_type(source_type)).slice(start)
    result = cast_elements(column, source_type, target_type, convert)
    assert result.type.equals(to_arrow_type(target_type))
    assert result.to_pylist() == [expected[0], *expected][start:]


@pytest.mark.parametrize(("source", "target", "values", "expected", "texts"), CASES)
@pytest.mark.parametrize("start", [0, 1])
def test_text_shows_null_elements(source: str, target: str, values: Any, expected: Any, texts: Any, start: int) -> None:
    source_type = parse_logical_type(source)
    column = pa.array([values[0], *values], to_arrow_type(source_type)).slice(start)
    result = nested_to_text(column, source_type, lambda elements, type_: convert(elements, type_, VarCharType()))
    assert result.to_pylist() == [texts[0], *texts][start:]


def test_elements_below_a_null_value_are_not_cast() -> None:
    # The list that is NULL still has an element in memory that no integer can be made of.
    values = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(["x", "7"]), mask=pa.array([True, False]))
    result = cast_elements(values, parse_logical_type("ARRAY<STRING>"), parse_logical_type("ARRAY<INT>"), convert)
    assert result.to_pylist() == [None, [7]]


def test_fields_of_a_null_row_are_null() -> None:
    values = pa.StructArray.from_arrays([pa.array([1, 2])], names=["a"], mask=pa.array([True, False]))
    assert [field.to_pylist() for field in children_of_struct(values)] == [[None, 2]]


def test_a_compact_array_has_no_offset_and_only_its_own_elements() -> None:
    values = compact(pa.array([[1, 2], [3], None], pa.list_(pa.int32())).slice(1))
    assert (values.offset, values.values.to_pylist(), values.to_pylist()) == (0, [3], [[3], None])


def test_the_entries_of_a_multiset_are_its_elements_and_their_counts() -> None:
    assert [str(part) for part in entry_types(parse_logical_type("MULTISET<STRING>"))] == ["STRING", "INT NOT NULL"]
    assert [str(part) for part in entry_types(parse_logical_type("MAP<STRING, DATE>"))] == ["STRING", "DATE"]


@pytest.mark.parametrize("type_", ["ARRAY<INT>", "MAP<STRING NOT NULL, INT>", "ROW<a INT>"])
def test_an_empty_slice_has_no_children_when_it_is_compact(type_: str) -> None:
    arrow_type = to_arrow_type(parse_logical_type(type_))
    value: Any = {"ARRAY<INT>": [1], "ROW<a INT>": {"a": 1}}.get(type_, [("k", 1)])
    result = compact(pa.array([value, value], arrow_type).slice(1, 0))
    assert result.type == arrow_type
    children = result.flatten() if pa.types.is_struct(arrow_type) else [result.values]
    assert [len(child) for child in children] == [0]
