"""Values of lines with the same template as columns."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from table_common.types import RowType, parse_logical_type
from table_runtime.formats.json.shapes import ShapeParser
from table_runtime.formats.text.forms import JSON_SQL


def column(type_: str, values: list[str]) -> Any:
    """Returns the values of those lines that are decoded, and the number of the others."""
    row_type = RowType.of([("a", parse_logical_type(type_))], nullable=False)
    lines = pa.array([f'{{"a":{value}}}'.encode() for value in values], pa.binary())
    parts = ShapeParser(row_type, JSON_SQL, find_missing=False, fewest=1).parse(lines)
    found = sorted(
        (int(position), repr(item))
        for part in parts
        for position, item in zip(part.positions, part.columns[0], strict=True)
        if position >= 0
    )
    return [text.split(": ")[-1].rstrip(">") for _, text in found], len(values) - len(found)


@pytest.mark.parametrize(
    ("type_", "values", "expected", "left"),
    [
        ("INT", ["1", "null", "-7", "0", "-0"], ["1", "None", "-7", "0", "0"], 0),
        ("INT", ["1", "1.5", "01", "0x1", "2147483648"], ["1"], 4),
        ("TINYINT", ["127", "5"], ["127", "5"], 0),
        ("TINYINT", ["128", "5"], ["5"], 1),
        ("DOUBLE", ["1.5", "1e5", "1.e5", ".5", "5.", "inf", "nan", "1E+5", "null"], ["1.5", "100000.0", "100000.0", "None"], 5),
        ("BOOLEAN", ["true", "false", "null", "tru", "1"], ["True", "False", "None"], 2),
        ("STRING", ["1.50", "true", "null", "01", "tru"], ["'1.50'", "'true'", "None"], 2),
        ("DATE", ["null", "1"], ["None"], 1),
        ("INT", ['"7"', '" 8 "', '"x"'], ["7", "8"], 1),
        ("ROW<f INT>", ["null", '{"f":1}', '{"f":null}'], ["None", "{'f': 1}", "{'f': None}"], 0),
    ],
)  # fmt: skip
def test_values(type_: str, values: list[str], expected: list[str], left: int) -> None:
    if type_.startswith("ROW"):
        row_type = RowType.of([("a", parse_logical_type(type_))], nullable=False)
        lines = pa.array([f'{{"a":{value}}}'.encode() for value in values], pa.binary())
        parts = ShapeParser(row_type, JSON_SQL, find_missing=False, fewest=1).parse(lines)
        found = sorted(
            (int(at), str(item.as_py())) for part in parts for at, item in zip(part.positions, part.columns[0], strict=True) if at >= 0
        )
        assert [text for _, text in found] == expected
        return
    assert column(type_, values) == (expected, left)


def test_elements_of_arrays_and_entries_of_maps_are_in_the_order_of_the_lines() -> None:
    row_type = RowType.of([("a", parse_logical_type("ARRAY<STRING>")), ("m", parse_logical_type("MAP<STRING, INT>"))], nullable=False)
    lines = pa.array([b'{"a":["x%d","y%d"],"m":{"k":%d,"l%d":0}}' % (n, n, n, n) for n in range(3)], pa.binary())
    (part,) = ShapeParser(row_type, JSON_SQL, find_missing=False, fewest=1).parse(lines)
    assert part.columns[0].to_pylist() == [[f"x{n}", f"y{n}"] for n in range(3)]
    assert part.columns[1].to_pylist() == [[("k", n), (f"l{n}", 0)] for n in range(3)]


@pytest.mark.parametrize(
    ("type_", "values", "expected", "lost", "left"),
    [
        ("INT", ['"7"', '"x"', '"8"'], [7, None, 8], [1], 0),
        ("INT", ["7", "x", "8"], [7, 8], [], 1),
        ("INT", ["7", "3000000000", "8"], [7, 8], [], 1),
        ("ARRAY<DATE>", ['["1970-01-02","x"]', '["x","y"]'], [[date(1970, 1, 2), None], [None, None]], [0, 1, 1], 0),
        ("ROW<f TIME(0), g BOOLEAN>", ['{"f":"x","g":"true"}', '{"f":"x","g":"false"}'], [{"f": None, "g": True}, {"f": None, "g": False}], [0, 1], 0),
        ("ROW<f BYTES, g BOOLEAN>", ['{"f":"YQ","g":true}', '{"f":"YQ","g":1}'], [{"f": None, "g": True}], [0], 1),
        ("MAP<STRING, INT>", ['{"a":"1"}', '{"a":"x"}'], [[("a", 1)], [("a", None)]], [1], 0),
        ("MAP<INT, INT>", ['{"1":"1"}', '{"x":"1"}'], [[(1, 1)]], [], 1),
    ],
)  # fmt: skip
def test_texts_that_cannot_be_read_are_null_and_counted_if_errors_are_ignored(
    type_: str, values: list[str], expected: list[Any], lost: list[int], left: int
) -> None:
    row_type = RowType.of([("a", parse_logical_type(type_))], nullable=False)
    lines = pa.array([f'{{"a":{value}}}'.encode() for value in values], pa.binary())
    (part,) = ShapeParser(row_type, JSON_SQL, find_missing=False, fewest=1, ignore_errors=True).parse(lines)
    used = pa.array(part.positions >= 0)
    assert part.columns[0].filter(used).to_pylist() == expected
    assert sorted(part.lost.tolist()) == lost
    assert len(lines) - len(expected) == left
