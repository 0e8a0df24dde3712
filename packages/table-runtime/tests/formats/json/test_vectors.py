"""Blocks of JSON lines by Arrow's parser: what it reads as the line parser does, and what it must not read."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from table_common.types import RowType, parse_logical_type
from table_runtime.formats.json.vectors import VectorParser, lines_that_look_like_objects


def parse(type_: str, block: bytes) -> list[Any] | None:
    parser = VectorParser.of(RowType.of([("a", parse_logical_type(type_))], nullable=False))
    assert parser is not None
    parsed = parser.parse(block)
    return None if parsed is None or parsed.unsure else parsed.columns[0].to_pylist()


@pytest.mark.parametrize(
    ("type_", "block", "expected"),
    [
        ("INT", b'{"a":1}\n\n {"b":2} \n{"a":null}', [1, None, None]),
        ("DATE", b'{"a":"2020-02-29"}\n', [date(2020, 2, 29)]),
        ("DECIMAL(5, 2)", b'{"a":"1.25"}\n{"a":7.1}', [Decimal("1.25"), Decimal("7.10")]),
        ("ARRAY<ROW<x INT>>", b'{"a":[{"x":1},null,{}]}', [[{"x": 1}, None, {"x": None}]]),
        ("STRING", b'{"a":"\\u00e9\\n"}\r\n', ["é\n"]),
        ("TINYINT", b'{"a":-128}', [-128]),
        ("INT", b'{"a":"1"}\n', [1]),
        ("ARRAY<DATE>", b'{"a":["2020-02-29",null]}\n{"a":[]}', [[date(2020, 2, 29), None], []]),
        (
            "ROW<x TIMESTAMP(3)>",
            b'{"a":{"x":"2020-01-01 00:00:00.1239"}}\n{"a":null}',
            [{"x": datetime(2020, 1, 1, 0, 0, 0, 123_000)}, None],
        ),
        ("ARRAY<BYTES>", b'{"a":["YQ==","","YWI=","YWJj"]}', [[b"a", b"", b"ab", b"abc"]]),
        ("DECIMAL(5, 2)", b'{"a":1.005}', [Decimal("1.01")]),
        ("MAP<STRING, INT>", b'{"a":{"x":1, "\\n{": null}}\n{"a":{ }}\n{"a":null}', [[("x", 1), ("\n{", None)], [], None]),
        ("ROW<m MAP<INT, DATE>>", b'{"a":{"m":{"1":"2020-02-29"}}}', [{"m": [(1, date(2020, 2, 29))]}]),
        ("MULTISET<STRING>", b'{"a":{"x":2}}', [[("x", 2)]]),
        ("INT", b"\n", []),
    ],
)
def test_what_all_lines_have_is_read(type_: str, block: bytes, expected: list[Any]) -> None:
    assert parse(type_, block) == expected


@pytest.mark.parametrize(
    ("type_", "block"),
    [
        ("INT", b'{"a":1} {"a":2}\n'),
        ("INT", b'{"a":\n1}\n'),
        ("INT", b'[{"a":1}]\n'),
        ("INT", b'{"a":1.5}\n'),
        ("INT", b'{"a":99999999999}\n'),
        ("DOUBLE", b'{"a":NaN}\n'),
        ("DOUBLE", b'{"a":[-Inf]}\n'),
        ("DATE", b'{"a":"2020-02-30"}\n'),
        ("DECIMAL(5, 2)", b'{"a":"1234.5"}\n'),
        ("DECIMAL(5, 2)", b'{"a":1e-10000000}\n'),
        ("ARRAY<DECIMAL(5, 2)>", b'{"a":[1, 2E-3000000]}\n'),
        ("STRING", b'{"a":1}\n'),
        ("STRING", b'{"a":"\xff"}\n'),
        ("INT", b""),
        ("INT", b'{"a":1}\n{"a":2\n'),
    ],
)
def test_what_a_line_must_be_looked_at_for_is_not_read(type_: str, block: bytes) -> None:
    assert parse(type_, block) is None


@pytest.mark.parametrize("type_", ["ARRAY<MAP<STRING, INT>>", "MAP<STRING, ARRAY<INT>>", "ROW<i MAP<STRING, INT>>", "ROW<x ROW<>>"])
def test_a_row_with_a_type_that_arrow_reads_in_another_way_has_no_parser(type_: str) -> None:
    assert VectorParser.of(RowType.of([("i", parse_logical_type("INT")), ("a", parse_logical_type(type_))])) is None


def test_a_row_without_columns_has_no_parser() -> None:
    assert VectorParser.of(RowType.of([])) is None


@pytest.mark.parametrize(
    ("block", "count"),
    [
        (b"{}\n{}\n", 2),
        (b"{}\n{}", 2),
        (b"{}\n\n{} \n\n", 2),
        (b"{}\r\n{}\r\n", 2),
        (b"", 0),
        (b" \n", 0),
        (b"{}\nx\n", None),
        (b"{\n}\n", None),
        (b'{"a": NaN}', None),
        (b'{"a":"NaN"}', 1),
        (b"\xff{}", None),
    ],
)
def test_lines_are_counted_if_each_looks_like_an_object(block: bytes, count: int | None) -> None:
    assert lines_that_look_like_objects(block) == count
