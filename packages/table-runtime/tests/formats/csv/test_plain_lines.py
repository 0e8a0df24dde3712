from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from table_common.configuration import ReadableConfig
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType, parse_logical_type
from table_runtime.formats.csv.blocks import whole_records
from table_runtime.formats.csv.plain_lines import complete_lines, divided_block, plain_lines, split_fields
from table_runtime.formats.csv.records import CsvDialect, read_records
from table_runtime.formats.csv.rows import CsvRows
from table_runtime.formats.skipped_rows import Ignored

PIECES = ["a", "b,", ",", '"', '""', '"x",', '"y,z"', "\n", "\n", "\r\n", "\\", "#", " ", "ä", "\udcff"]


def random_texts(seed: int, count: int) -> list[str]:
    chosen = random.Random(seed)
    return ["".join(chosen.choice(PIECES) for _ in range(chosen.randrange(1, 30))) for _ in range(count)]


def mask_of(*lines: bytes, **dialect: Any) -> list[bool]:
    found: list[bool] = plain_lines(pa.array(lines, pa.binary()), CsvDialect(**dialect)).to_pylist()
    return found


def test_lines_with_quotes_at_the_ends_of_fields_are_plain() -> None:
    assert mask_of(b"", b"a,b", b'"a,b",c', b'"a""b"', b'"",""', b'a,"b"\r', b'"",x') == [True] * 7


def test_lines_with_other_quotes_or_line_breaks_are_not_plain() -> None:
    assert mask_of(b'"a', b'a"b"', b'"a"b', b'"a" ,b', b"a\nb", b"a\rb", b"\xff", b'a,b"') == [False] * 8


def test_lines_with_escapes_or_comments_are_not_plain() -> None:
    assert mask_of(b"a\\,b", b"#a", b"a", escape="\\", comments=True) == [False, False, True]
    assert mask_of(b'"a', b"b;c", delimiter=";", quote=None) == [True, True]


def test_a_block_is_divided_into_the_records_that_the_grammar_says() -> None:
    for escape in (None, "\\"):
        dialect = CsvDialect(escape=escape)
        for text in random_texts(7, 600):
            data = text.encode(errors="surrogateescape")
            divided = divided_block(data, dialect, 2)
            if divided is None:
                assert "\r" in text.replace("\r\n", "")
                continue
            found = dict(divided.others)
            plain = dict(zip(divided.numbers.to_pylist(), divided.lines.to_pylist(), strict=True))
            assert not found.keys() & plain.keys(), text
            for record in read_records(text, dialect, final=True):
                number = text.count("\n", 0, record.start)
                if text[record.start] in "\r\n":
                    assert number not in found.keys() | plain.keys(), text
                elif number in found:
                    other = found.pop(number)
                    assert (other.fields, other.problem) == (record.fields, record.problem), text
                else:
                    line = plain.pop(number).decode()
                    (same,) = read_records(line, dialect, final=True)
                    assert (same.fields, same.problem) == (record.fields, ""), text
            assert not found, text
            assert not plain, text


def test_the_end_of_the_last_complete_record_is_found() -> None:
    dialect = CsvDialect()
    for text in random_texts(8, 600):
        end = complete_lines(text.encode(errors="surrogateescape"), dialect)
        if end is not None:
            records = list(read_records(text, dialect, final=False))
            assert end == len(text[: records[-1].end if records else 0].encode(errors="surrogateescape")), text


def test_a_quote_that_is_never_closed_does_not_hide_the_lines_before() -> None:
    data = b'a,b\n"c,d\ne,f\n'
    assert whole_records(data, CsvDialect(), final=False) == (len(b"a,b\n"), True)


def rows_of(ignore: bool) -> CsvRows:
    row_type = RowType.of([("a", parse_logical_type("INT")), ("b", parse_logical_type("STRING"))], nullable=False)
    return CsvRows(row_type, row_type, ReadableConfig({"ignore-parse-errors": str(ignore).lower()}))


def damaged_lines() -> list[bytes]:
    chosen = random.Random(9)
    damages = [b"only one", b"1,2,3", b'4,"open', b'5,"x"y', b"x,6", b"\xff,7", b'8,a"b']
    return [chosen.choice(damages) if chosen.random() < 0.1 else b'%d,"n%d"' % (number, number) for number in range(500)]


def test_damaged_lines_of_messages_and_blocks_give_what_each_gives_alone() -> None:
    rows, lines = rows_of(ignore=True), [line for line in damaged_lines() if b"open" not in line]
    expected: list[tuple[Any, ...]] = []
    alone = Ignored()
    for line in lines:
        columns, _ = rows.parse_messages(pa.array([line], pa.binary()), str, alone)
        expected += zip(*(column.to_pylist() for column in columns), strict=True)
    together = Ignored()
    columns, positions = rows.parse_messages(pa.array(lines, pa.binary()), str, together)
    assert list(zip(*(column.to_pylist() for column in columns), strict=True)) == expected
    assert positions is not None
    assert positions.to_pylist() == sorted(positions.to_pylist())
    block = Ignored()
    columns, count = rows.parse_block(b"\n".join(lines), plain=False, where=str, ignored=block)
    assert list(zip(*(column.to_pylist() for column in columns), strict=True)) == expected
    assert count == len(expected)
    assert (alone.rows, alone.values) == (together.rows, together.values) == (block.rows, block.values)


def test_lines_with_another_number_of_fields_are_split() -> None:
    lines = pa.array([b"a,b,", b"c,d,\r", b"e,f,g", b"h", b'"i",j,', b"n,\xc3\xa4,"], pa.binary())
    columns, mask = split_fields(lines, CsvDialect(null="n"), 2, [1, 0], fewer=False)
    assert mask.to_pylist() == [True, True, False, False, False, True]
    assert [column.to_pylist() for column in columns] == [["b", "d", "ä"], ["a", "c", None]]
    columns, mask = split_fields(lines, CsvDialect(null="n"), 2, [1], fewer=True)
    assert (columns[0].to_pylist(), mask.to_pylist()) == (["b", "d", None, "ä"], [True, True, False, True, False, True])


def test_a_delimiter_at_the_end_of_all_lines_is_no_field() -> None:
    for ignore in (True, False):
        ignored = Ignored()
        columns, count = rows_of(ignore).parse_block(b"1,a,\n2,b,\r\n3,c,\n", plain=True, where=str, ignored=ignored)
        assert ([column.to_pylist() for column in columns], count, ignored.total) == ([[1, 2, 3], ["a", "b", "c"]], 3, 0)


def test_the_first_damaged_line_is_named() -> None:
    with pytest.raises(TableRuntimeException, match="line 2: the record cannot be read: it has 1 fields"):
        rows_of(ignore=False).parse_block(b"1,a\n2,b\nonly one\n1,2,3\n", plain=True, where=lambda line: f"line {line}", ignored=Ignored())
    with pytest.raises(TableRuntimeException, match="message 1: the record cannot be read: a quote is opened"):
        rows_of(ignore=False).parse_messages(pa.array([b"1,a", b'2,"b'], pa.binary()), lambda at: f"message {at}", Ignored())
