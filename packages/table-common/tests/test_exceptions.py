from __future__ import annotations

import pickle

import pytest

from table_common.exceptions import (
    CatalogException,
    SourcePosition,
    SqlParserException,
    TableError,
    TableRuntimeException,
    ValidationException,
    closest,
)


def test_a_position_counts_lines_and_columns_from_1() -> None:
    position = SourcePosition.of_offset("SELECT a\nFROM t", 14, 15)
    assert (position.line, position.column, position.length) == (2, 6, 1)
    assert str(position) == "line 2, column 6"


def test_a_position_is_underlined_to_the_end_of_its_line() -> None:
    assert SourcePosition.of_offset("ab cd\nef", 3, 8).excerpt() == "  ab cd\n     ^^"


def test_a_wide_character_before_the_position_moves_the_caret() -> None:
    assert SourcePosition.of_offset("'日' x", 4, 5).excerpt() == "  '日' x\n       ^"


def test_a_long_line_is_cut_around_the_position() -> None:
    source, caret = SourcePosition.of_offset("a" * 500 + "!" + "b" * 500, 500, 501).excerpt().splitlines()
    assert len(source) == 162
    assert source[len(caret) - 1] == "!"


def test_an_error_shows_message_position_and_hint() -> None:
    error = ValidationException("No.", position=SourcePosition.of_offset("x", 0, 1), hint="try y")
    assert str(error) == "No.\nat line 1, column 1:\n  x\n  ^\nhint: try y"


def test_the_first_position_stays() -> None:
    first = SourcePosition.of_offset("x", 0, 1)
    error = ValidationException("No.", position=first)
    assert error.at(SourcePosition.of_offset("y", 0, 1)).position is first


def test_control_characters_are_escaped_where_an_error_is_shown() -> None:
    assert str(TableError("a\x1b[2Jb")) == r"a\x1b[2Jb"


def test_a_long_message_is_shortened_in_the_middle() -> None:
    message = TableError("a" * 5_000 + "z").message
    assert len(message) < 2_100
    assert message.startswith("aaa")
    assert message.endswith("z")
    assert "characters are left out" in message


def test_an_unknown_name_suggests_close_names_and_lists_the_others() -> None:
    error = CatalogException.unknown("Table", "custmer", ["orders", "customer"], where="catalog c")
    assert error.message == "Table 'custmer' does not exist in catalog c. Did you mean 'customer'? Available: customer, orders."
    assert isinstance(error, CatalogException)


def test_at_most_20_names_are_listed() -> None:
    error = ValidationException.unknown("Option", "x", [f"option{number:02}" for number in range(30)])
    assert error.message.endswith("option19 and 10 more.")


def test_the_closest_names_are_found_in_any_case_best_first() -> None:
    assert closest("VARCHR", ["char", "varchar", "int"]) == ["varchar", "char"]
    assert closest("q", ["varchar"]) == []


@pytest.mark.parametrize("error", [ValidationException("a", hint="b"), TableRuntimeException("c")])
def test_an_error_is_pickled_with_hint_and_position(error: TableError) -> None:
    copy = pickle.loads(pickle.dumps(error.at(SourcePosition.of_offset("text", 1, 2))))
    assert (type(copy), str(copy), copy.hint) == (type(error), str(error), error.hint)


def test_each_class_has_the_category_of_its_stage() -> None:
    assert (SqlParserException("x").category, CatalogException("x").category, TableRuntimeException("x").category) == (
        "parse",
        "validation",
        "execution",
    )


def test_each_kind_of_error_has_a_code_that_does_not_change() -> None:
    assert {kind.__name__: kind.code for kind in (TableError, *_kinds(TableError)) if kind.__module__ == "table_common.exceptions"} == {
        "TableError": "TABLE",
        "ValidationException": "VALIDATION",
        "WrongKindException": "VALIDATION",
        "SqlParserException": "SQL_SYNTAX",
        "CatalogException": "CATALOG",
        "CatalogConflictException": "CATALOG_CONFLICT",
        "TableException": "NOT_SUPPORTED",
        "TableRuntimeException": "RUNTIME",
        "JobCancelledException": "CANCELLED",
        "JobTimeoutException": "TIMEOUT",
        "TableInternalError": "INTERNAL",
    }


def _kinds(kind: type[TableError]) -> list[type[TableError]]:
    return [one for child in kind.__subclasses__() for one in (child, *_kinds(child))]
