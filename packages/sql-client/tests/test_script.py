from __future__ import annotations

from sql_client.script import Script
from table_common.exceptions import SourcePosition, ValidationException


def test_semicolons_in_texts_and_comments_separate_no_statements() -> None:
    script = Script("SELECT ';'; -- a; comment\n\nSELECT `;` ;;\n/* ; */")
    assert [statement.text for statement in script.statements()] == ["SELECT ';'", "SELECT `;`"]


def test_a_statement_has_the_numbers_of_its_lines() -> None:
    (_, second) = Script("SELECT 1;\n\nSELECT\n2;").statements()
    assert list(second.lines) == [3, 4]


def test_the_first_word_is_in_upper_case() -> None:
    (statement,) = Script("  set 'a' = 'b'").statements()
    assert statement.first_word == "SET"


def test_a_position_in_a_statement_is_converted_to_one_in_the_script() -> None:
    script = Script("SELECT 1;\n  SELECT x,\n    y;")
    (_, second) = script.statements()
    for offset, place in ((7, "line 2, column 10"), (14, "line 3, column 5")):
        error = ValidationException("wrong", position=SourcePosition.of_offset(second.text, offset, offset + 1))
        second.locate(error)
        assert str(error.position) == place


def test_a_position_in_another_text_is_not_converted() -> None:
    (statement,) = Script("\nSELECT * FROM v").statements()
    error = ValidationException("wrong", position=SourcePosition("SELECT nope", 1, 8))
    statement.locate(error)
    assert str(error.position) == "line 1, column 8"


def test_of_a_long_statement_the_lines_around_the_error_are_shown() -> None:
    text = "SELECT\n" + ",\n".join(f"c{number}" for number in range(1, 100))
    (statement,) = Script(text).statements()
    error = ValidationException("wrong", position=SourcePosition(text, 51, 1))
    statement.locate(error)
    lines = statement.listing(error).split("\n")
    assert lines[0] == lines[-1] == "    …"
    assert lines[1] == "   41  c40,"
    assert lines[-2] == "   61  c60,"
