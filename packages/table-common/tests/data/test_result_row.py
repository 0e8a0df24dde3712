"""Rows of results are compared with rows and tuples."""

from __future__ import annotations

from table_common.data import ResultRow, Row, RowKind


def _row() -> ResultRow:
    return ResultRow.of_names(["x", "r"], [1, ResultRow.of_names(["p", "q"], [2, "b"])])


def test_nested_rows_equal_rows_and_tuples() -> None:
    assert _row() == Row(1, Row(2, "b")) == _row()
    assert _row() == (1, (2, "b"))
    assert _row() == (1, (2, "b"))
    assert _row() == Row(r=Row(q="b", p=2), x=1)
    assert _row()[1] == Row(2, "b")
    assert {(1, (2, "b")): True}[_row()]


def test_other_rows_are_different() -> None:
    assert _row() != (1, (2, "c"))
    assert _row() != [1, (2, "b")]
    assert _row() != Row(x=1, s=Row(2, "b"))
    assert _row() != Row.of_kind(RowKind.DELETE, 1, Row(2, "b"))


def test_a_row_of_a_result_contains_values() -> None:
    assert 1 in _row()
    assert "x" not in _row()


def test_the_text_has_no_names_and_the_representation_has() -> None:
    row = ResultRow.of_names(["a", "b", "c"], [_row(), [_row()], {"k": _row()}])
    inner = "<Row(1, <Row(2, 'b')>)>"
    assert str(row) == f"<Row({inner}, [{inner}], {{'k': {inner}}})>"
    assert repr(_row()) == "Row(x=1, r=Row(p=2, q='b'))"
