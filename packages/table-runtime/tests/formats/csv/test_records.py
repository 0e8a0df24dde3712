"""The grammar of CSV records: fields, quotes, escapes, comments, and texts that end early."""

from __future__ import annotations

import random

import pytest

from table_common.configuration import ReadableConfig
from table_runtime.formats.csv.records import CsvDialect, read_records

PLAIN = CsvDialect()
UNQUOTED = CsvDialect(quote=None)
ESCAPED = CsvDialect(escape="\\")


def fields(text: str, dialect: CsvDialect = PLAIN) -> list[list[str] | str]:
    """Returns the fields of each record, or what is wrong with it."""
    return [record.problem or record.fields for record in read_records(text, dialect, final=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\nc", [["a", "b"], ["c"]]),
        ("a\r\nb\rc\n", [["a"], ["b"], ["c"]]),
        ("a\n\nb\n", [["a"], [""], ["b"]]),
        ("", []),
        (",\n", [["", ""]]),
        ('"a,b","c\n\r\nd"\n', [["a,b", "c\n\r\nd"]]),
        ('"a""b",""\n', [['a"b', ""]]),
        ('"a" \t,b\n', [["a", "b"]]),
        ('a"b,c"\n', [['a"b', 'c"']]),
        (' "a"\n', [[' "a"']]),
        ('""""\n', [['"']]),
    ],
)
def test_a_field_begins_with_a_quote_or_ends_at_the_delimiter(text: str, expected: list[list[str]]) -> None:
    assert fields(text) == expected


def test_a_quote_that_is_never_closed_spoils_its_line_only() -> None:
    assert fields('1,"a\n2,b\n') == ["a quote is opened and never closed", ["2", "b"]]


def test_text_behind_a_closing_quote_is_named() -> None:
    assert fields('"a"b,c\nd,e\n') == ["the closing quote is followed by 'b' instead of ',' or the end of the line", ["d", "e"]]


def test_without_a_quote_character_quotes_are_text() -> None:
    assert fields('"a,b"\n', UNQUOTED) == [['"a', 'b"']]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\\,b,c\n", [["a,b", "c"]]),
        ("a\\\nb\n", [["a\nb"]]),
        ("\\n\\t\\r\\0\\x\\\\\n", [["\n\t\r\0x\\"]]),
        ('"a\\"b""c"\n', [['a"b"c']]),
        ('"\\""""\n', [['""']]),
        ("a\\", ["the record ends with an escape character"]),
    ],
)
def test_an_escape_character_takes_the_meaning_of_the_next(text: str, expected: list[list[str] | str]) -> None:
    assert fields(text, ESCAPED) == expected


def test_comments_begin_a_line_behind_blanks_and_hold_no_fields() -> None:
    commented = CsvDialect(comments=True)
    assert fields('# "open\na\n \t# b\n#\nc#d\n', commented) == [["a"], ["c#d"]]
    assert fields("# a\n") == [["# a"]]


def test_a_tab_may_be_the_delimiter_behind_a_closing_quote() -> None:
    assert fields('"a"\t"b" \t\n', CsvDialect(delimiter="\t")) == [["a", "b", ""]]


@pytest.mark.parametrize("character", ["|", ".", "^", "]", "-", "*"])
def test_any_character_may_be_the_delimiter_or_the_quote(character: str) -> None:
    assert fields(f'a{character}"b{character}"\n', CsvDialect(delimiter=character)) == [["a", f"b{character}"]]
    assert fields(f"{character}a,b{character},c\n", CsvDialect(quote=character)) == [["a,b", "c"]]


@pytest.mark.parametrize(
    ("text", "sure"),
    [("a\nb", 1), ("a\nb\r", 1), ("a\r\nb\n", 2), ('a\n"b\n', 1), ('a\n"b"', 1), ('a\n"b"\r', 1), ('a\n"b"\n', 2), ("a", 0)],
)
def test_a_record_whose_end_is_not_sure_waits_for_more_text(text: str, sure: int) -> None:
    assert len(list(read_records(text, PLAIN, final=False))) == sure


def test_positions_cut_the_text_into_its_records() -> None:
    text = 'a,"b\n"\n# c\r\nd'
    assert [text[r.start : r.end] for r in read_records(text, CsvDialect(comments=True), final=True)] == ['a,"b\n"\n', "d"]


def test_a_text_that_comes_in_parts_gives_the_records_of_the_whole() -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    random_ = random.Random(seed)
    for _ in range(500):
        dialect = random_.choice([PLAIN, UNQUOTED, ESCAPED, CsvDialect(comments=True)])
        text = "".join(random_.choice('a,",\n\r\\# ') for _ in range(random_.randrange(12)))
        whole = [record.fields for record in read_records(text, dialect, final=True) if not record.problem]
        cut = random_.randrange(len(text) + 1)
        sure = list(read_records(text[:cut], dialect, final=False))
        found = [record.fields for record in sure if not record.problem]
        assert whole[: len(found)] == found, (text, cut, dialect)


def test_the_dialect_is_that_of_the_options() -> None:
    options = {"field-delimiter": ";", "quote-character": "'", "escape-character": "\\", "allow-comments": "true", "null-literal": "-"}
    assert CsvDialect.of(ReadableConfig(options)) == CsvDialect(";", "'", "\\", True, "-")
    assert CsvDialect.of(ReadableConfig({"disable-quote-character": "true"})) == UNQUOTED
