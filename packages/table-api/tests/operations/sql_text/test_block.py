"""Blocks of SQL: the text of a query from its clauses."""

from __future__ import annotations

import pytest

from table_api.operations.sql_text.block import bare, unique


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a + 1)", "a + 1"),
        ("(a) + (b)", "(a) + (b)"),
        ("(a = ')')", "a = ')'"),
        ("(`(` = 1)", "`(` = 1"),
        ("(\nSELECT 1\n)", "(\nSELECT 1\n)"),
        ("a", "a"),
    ],
)
def test_only_parentheses_around_the_whole_expression_are_removed(text: str, expected: str) -> None:
    assert bare(text) == expected


def test_repeated_names_get_numbers() -> None:
    assert unique(["a", "b", "a", "a"])[:3] == ["a", "b", "a0"]
    assert len(set(unique(["a", "b", "a", "a"]))) == 4


def test_a_number_does_not_make_a_name_that_another_column_has() -> None:
    names = unique(["a", "a", "a0"])
    assert names[2] == "a0"
    assert len(set(names)) == 3
