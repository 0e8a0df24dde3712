"""Maps as arrays of entries, for Arrow's parser."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from table_common.types import parse_logical_type
from table_runtime.formats.json.maps import KEY, VALUE, map_names, positions_of_equal_keys, with_entries


@pytest.mark.parametrize(
    ("type_", "names"),
    [
        ("ROW<a INT>", []),
        ("ROW<m MAP<STRING, INT>, r ROW<s MULTISET<STRING>>>", ["m", "s"]),
        ("ROW<l ARRAY<ROW<m MAP<INT, BYTES>>>, r ROW<m MAP<INT, DATE>>>", ["m"]),
        ("ROW<l ARRAY<MAP<STRING, INT>>>", None),
        ("ROW<m MAP<STRING, ARRAY<INT>>>", None),
        ("ROW<m MAP<STRING, INT>, r ROW<m INT>>", None),
    ],
)
def test_maps_of_single_values_are_found_by_name(type_: str, names: list[str] | None) -> None:
    assert map_names(parse_logical_type(type_)) == names


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ('{"m": { }}', []),
        ('{"m":{"a":1, "b" : "x,y}" ,"a":null}}', [("a", 1), ("b", "x,y}"), ("a", None)]),
        (r'{"x":"\"m\":{}", "m":{"\"m\":{":"\\"}}', [('"m":{', "\\")]),
        ('{"xm":{"a":1},"m":{"é":true}}', [("é", True)]),
    ],
)
def test_a_map_becomes_an_array_of_entries(text: str, entries: list[tuple[str, object]]) -> None:
    block = with_entries(text.encode(), ["m"])
    assert block is not None
    assert json.loads(block) == {**json.loads(text), "m": [{KEY: key, VALUE: value} for key, value in entries]}


@pytest.mark.parametrize("text", ['{"m":[]}', '{"m":{"a":{}}}', '{"m":{"a":[1]}}', '{"m":{"a":1,,"b":2}}', '{"m":{a:1}}', '{"m":{"a":1'])
def test_what_is_no_map_of_single_values_is_left_to_the_line_parser(text: str) -> None:
    assert with_entries(text.encode(), ["m"]) is None


def test_maps_with_a_key_twice_are_found() -> None:
    keys = pa.array(["a", "b", "a", "a", "c", "c"])
    maps = pa.ListArray.from_arrays(pa.array([0, 3, 4, 6], pa.int32()), keys)
    assert positions_of_equal_keys(maps, keys) == [0, 2]
    assert positions_of_equal_keys(pa.ListArray.from_arrays(pa.array([0, 2, 3], pa.int32()), keys[:3]), keys[:3]) == []
