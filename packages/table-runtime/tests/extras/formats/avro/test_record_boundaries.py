"""The ends of Avro records, which follow each other without a mark."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from table_runtime.formats.avro.generated_decoder import tree
from table_runtime.formats.avro.record_boundaries import LAST_BYTES, RecordEnds, compiled_ends, record_pattern


def ends(schemas: list[Any], data: bytes, records: int) -> list[int]:
    slots = count()
    nodes = [tree(schema, None, {}, slots) for schema in schemas]
    return compiled_ends(nodes)(data, data.translate(LAST_BYTES), records)


@pytest.mark.parametrize(
    ("schema", "records"),
    [
        ("null", [b"", b""]),
        ("boolean", [b"\0", b"\1"]),
        ("long", [b"\2", b"\x80\1", b"\x80\x80\1", b"\x80\x80\x80\1"]),
        ("double", [b"01234567"]),
        ("float", [b"0123"]),
        ("string", [b"\0", b"\4ab", b"\x82\1" + b"x" * 65]),
        ({"type": "fixed", "name": "f", "size": 3}, [b"abc"]),
        (["null", "double"], [b"\0", b"\x0201234567"]),
        (["long", "null"], [b"\2", b"\0\x80\1"]),
        (["null", {"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}]}], [b"\0", b"\2\6"]),
        ({"type": "array", "items": "int"}, [b"\0", b"\4\2\2\0", b"\3\4\2\2\0"]),
        ({"type": "map", "values": "boolean"}, [b"\0", b"\2\2a\1\0"]),
    ],
)
def test_ends(schema: Any, records: list[bytes]) -> None:
    expected, end = [], 0
    for record in records:
        end += len(record)
        expected.append(end)
    assert ends([schema], b"".join(records), len(records)) == expected


def test_damaged_data_has_no_ends() -> None:
    with pytest.raises(IndexError):
        ends(["long"], b"\x80", 1)
    with pytest.raises(ValueError, match="no such elements"):
        ends([{"type": "array", "items": "int"}], b"\xfe\xff\x03", 1)


FIELDS = ["long", ["null", "string"], ["double", "null"], {"type": "record", "name": "r", "fields": [{"name": "a", "type": "boolean"}]}]


def test_many_records_are_found_by_a_pattern() -> None:
    slots = count()
    nodes = [tree(schema, None, {}, slots) for schema in FIELDS]
    finder = RecordEnds(nodes)
    records = [b"\x80\x01\x02\x04ab\x00" + b"\n" * 8 + b"\x01", b"\x02\x00\x02\x00"] * 600
    data, expected = b"".join(records), [sum(map(len, records[: number + 1])) for number in range(1200)]
    finder._walk = lambda data, last, count: []  # not needed
    assert finder.find(data, 1200) == expected
    # A text of 64 bytes: from now on the walk is used.
    finder = RecordEnds(nodes)
    longer = b"\x02\x02\x80\x01" + b"x" * 64 + b"\x02\x00"
    assert finder.find(data + longer, 1201) == [*expected, len(data) + len(longer)]
    assert finder.find(data, 1200) == expected


def test_arrays_and_maps_have_no_pattern() -> None:
    assert record_pattern([tree({"type": "array", "items": "int"}, None, {}, count())]) is None
    assert record_pattern([]) == b""
