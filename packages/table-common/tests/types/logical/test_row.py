"""ROW types, their fields, and quoted names."""

from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.types import IntType, RowField, RowType, VarCharType, parse_logical_type, quote_identifier, quote_string

ROW = RowType.of([("id", IntType(nullable=False)), ("na`me", VarCharType())], nullable=False)


def test_fields_are_in_order() -> None:
    assert ROW.field_names == ("id", "na`me")
    assert ROW.field_types == (IntType(nullable=False), VarCharType())


def test_the_text_quotes_names_and_is_parsed_back() -> None:
    assert str(ROW) == "ROW<`id` INT NOT NULL, `na``me` STRING> NOT NULL"
    assert parse_logical_type(ROW.serializable()) == ROW


def test_a_comment_is_part_of_a_field() -> None:
    row = RowType((RowField("id", IntType(), "it's the key"),))
    assert str(row) == "ROW<`id` INT 'it''s the key'>"
    assert parse_logical_type(row.serializable()) == row


def test_a_name_without_end_is_refused() -> None:
    with pytest.raises(ValidationException, match="the name of a field"):
        RowField("a\0b", IntType())


@pytest.mark.parametrize(("text", "quoted"), [("a", "`a`"), ("a`b", "`a``b`"), ("", "``")])
def test_a_back_tick_in_a_name_is_doubled(text: str, quoted: str) -> None:
    assert quote_identifier(text) == quoted


@pytest.mark.parametrize(("text", "quoted"), [("a", "'a'"), ("it's", "'it''s'"), ("\\", "'\\'")])
def test_a_quote_in_a_string_is_doubled(text: str, quoted: str) -> None:
    assert quote_string(text) == quoted
