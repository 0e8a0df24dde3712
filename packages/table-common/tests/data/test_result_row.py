"""Rows of results are compared with rows and tuples."""

from __future__ import annotations

import copy
import pickle

import pytest

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


def test_rows_made_together_equal_rows_made_one_by_one() -> None:
    kinds = [RowKind.INSERT, RowKind.DELETE]
    rows = ResultRow.of_rows(["a", "b"], [(1, "x"), (2, None)], kinds)
    assert rows == [ResultRow.of_names(["a", "b"], values, kind) for values, kind in zip([(1, "x"), (2, None)], kinds, strict=True)]
    assert [row.get_row_kind() for row in rows] == kinds
    assert ResultRow.of_rows(["a"], [(1,)])[0].get_row_kind() is RowKind.INSERT


def test_a_row_made_with_others_can_be_changed() -> None:
    values = (1, "x")
    row, other = ResultRow.of_rows(["a", "b"], [values, values])
    row["a"], row.b = 2, "y"
    assert (row, other) == ((2, "y"), (1, "x"))
    assert other[0:2] == [1, "x"]
    assert Row(1, "x") == Row.of_names(None, values) == other
    other.set_field_names(["c", "d"])
    assert row.get_field_names() == ("a", "b")


def test_a_row_made_with_others_can_be_pickled() -> None:
    (row,) = ResultRow.of_rows(["a"], [([1, None],)])
    assert pickle.loads(pickle.dumps(row)) == row


def test_many_rows_are_like_few() -> None:
    values = [(number, str(number)) for number in range(3_000)]
    rows = ResultRow.of_rows(["a", "b"], values)
    assert rows == values
    assert rows == [ResultRow.of_names(["a", "b"], row) for row in values]
    assert rows[1] == Row(a=1, b="1") == rows[1]
    assert repr(rows[2]) == "Row(a=2, b='2')"
    assert type(rows[2]).__name__ == "ResultRow"
    assert pickle.loads(pickle.dumps(rows[:2])) == copy.deepcopy(rows[:2]) == rows[:2]
    assert (rows[3].a, rows[3]["b"], rows[3].as_dict(), rows[3].get_row_kind()) == (3, "3", {"a": 3, "b": "3"}, RowKind.INSERT)


def test_one_of_many_rows_can_be_changed() -> None:
    rows = ResultRow.of_rows(["a"], [(number,) for number in range(3_000)])
    rows[0].set_row_kind(RowKind.DELETE)
    rows[1].set_field_names(["other"])
    rows[2].a = rows[2].a + 5
    rows[1].set_row_kind(RowKind.UPDATE_AFTER)
    assert [row.get_row_kind() for row in rows[:3]] == [RowKind.DELETE, RowKind.UPDATE_AFTER, RowKind.INSERT]
    assert [(row.get_field_names(), tuple(row)) for row in rows[:4]] == [(("a",), (0,)), (("other",), (1,)), (("a",), (7,)), (("a",), (3,))]
    with pytest.raises(ValueError, match="has 1 values, but got 2 names"):
        rows[5].set_field_names(["a", "b"])


@pytest.mark.parametrize("count", [0, 3, 2_000])
@pytest.mark.parametrize("kind", [None, RowKind.DELETE])
def test_rows_of_columns_equal_rows_of_tuples(count: int, kind: RowKind | None) -> None:
    columns = [list(range(count)), [str(number) for number in range(count)]]
    of_columns = ResultRow.of_columns(["a", "b"], columns, None if kind is None else [kind] * count)
    of_rows = ResultRow.of_rows(["a", "b"], zip(*columns, strict=True), None if kind is None else [kind] * count)
    assert of_columns == of_rows
    assert len(of_columns) == count
    assert [(row.a, row.b, row.get_row_kind()) for row in of_columns] == [(n, str(n), kind or RowKind.INSERT) for n in range(count)]
