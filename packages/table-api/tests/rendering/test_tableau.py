from __future__ import annotations

import io

from table_api.rendering import TableauStyle
from table_common.catalog import ResolvedSchema
from table_common.data import Row, RowKind
from table_common.types import parse_logical_type

SCHEMA = ResolvedSchema.physical([("id", parse_logical_type("INT")), ("name", parse_logical_type("STRING"))])


def _print(style: TableauStyle, *rows: Row) -> str:
    output = io.StringIO()
    style.print(SCHEMA, rows, output)
    return output.getvalue()


def test_columns_are_as_wide_as_their_content() -> None:
    assert _print(TableauStyle(), Row(1, "a"), Row(None, "bcdefg")) == (
        "+--------+--------+\n"
        "|     id |   name |\n"
        "+--------+--------+\n"
        "|      1 |      a |\n"
        "| <NULL> | bcdefg |\n"
        "+--------+--------+\n"
        "2 rows in set\n"
    )


def test_rows_of_a_changelog_show_their_kind_and_widths_follow_types() -> None:
    printed = _print(TableauStyle(10, by_type=True, row_kinds=True), Row.of_kind(RowKind.UPDATE_AFTER, 1, "a"))
    assert printed == (
        "+----+-------------+------------+\n"
        "| op |          id |       name |\n"
        "+----+-------------+------------+\n"
        "| +U |           1 |          a |\n"
        "+----+-------------+------------+\n"
        "1 row in set\n"
    )


def test_nothing_is_an_empty_set() -> None:
    assert _print(TableauStyle()) == "Empty set\n"


def test_long_text_is_cut() -> None:
    assert "| abcdefg... |\n" in _print(TableauStyle(10), Row(1, "abcdefghijklmn"))


def test_wide_characters_take_two_columns() -> None:
    assert _print(TableauStyle(), Row(1, "日本"), Row(2, "ab")).splitlines()[3:5] == ["|  1 | 日本 |", "|  2 |   ab |"]


def test_wide_characters_are_cut_at_a_whole_one() -> None:
    assert "|  日本語... |\n" in _print(TableauStyle(10), Row(1, "日本語日本語"))


def test_control_characters_of_a_value_are_escaped() -> None:
    assert _print(TableauStyle(), Row(1, "a\x1b[2J\nb\u202e")).splitlines()[3] == r"|  1 | a\x1b[2J\nb\u202e |"


def test_control_characters_of_a_column_name_are_escaped() -> None:
    output = io.StringIO()
    schema = ResolvedSchema.physical([("a\x9b2J", parse_logical_type("INT"))])
    TableauStyle().print(schema, [Row(1)], output)
    assert output.getvalue().splitlines()[:2] == ["+---------+", r"| a\x9b2J |"]


def test_control_characters_of_raw_text_are_escaped() -> None:
    assert _print(TableauStyle(raw=True), Row("a\x1b[2J\n\tb", None)) == "a\\x1b[2J\n\tb\n"


def test_raw_text_has_no_table_around_it() -> None:
    assert _print(TableauStyle(raw=True), Row("line 1\nline 2", None)) == "line 1\nline 2\n"


def test_rows_of_a_changelog_are_written_as_they_come() -> None:
    output = io.StringIO()
    seen: list[int] = []

    def rows() -> object:
        yield Row(1, "a")
        seen.append(len(output.getvalue()))
        yield Row(2, "b")
        seen.append(len(output.getvalue()))

    TableauStyle(by_type=True).print(SCHEMA, rows(), output)  # type: ignore[arg-type]  # a generator is an iterable
    assert 0 < seen[0] < seen[1]
