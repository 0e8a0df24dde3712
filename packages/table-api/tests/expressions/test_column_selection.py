"""Selections of columns: with_columns, without_columns and ranges."""

from __future__ import annotations

import pytest

from table_api.expressions import Expression, col, concat, range_, with_all_columns, with_columns, without_columns
from table_api.expressions.column_selection import expand_selections
from table_api.expressions.unresolved import Call, Reference
from table_common.exceptions import ValidationException


def _names(*expressions: Expression) -> list[str]:
    columns = expand_selections([expression.unresolved for expression in expressions], ["a", "b", "c", "d"])
    return [column.path[0] for column in columns if isinstance(column, Reference)]


def test_with_columns_takes_ranges_names_and_positions() -> None:
    assert _names(with_columns(range_("b", "c"), "a", 4)) == ["b", "c", "a", "d"]


def test_with_all_columns_takes_all_also_in_a_call() -> None:
    assert _names(with_all_columns()) == ["a", "b", "c", "d"]
    (call,) = expand_selections([concat(with_all_columns()).unresolved], ["a", "b"])
    assert isinstance(call, Call)
    assert call.args == (Reference(("a",)), Reference(("b",)))


def test_range_counts_positions_from_1() -> None:
    assert _names(with_columns(range_(2, 3))) == ["b", "c"]


def test_without_columns_keeps_the_others() -> None:
    assert _names(without_columns(col("b"), range_(3, 4))) == ["a"]


def test_selection_of_an_unknown_column_suggests() -> None:
    with pytest.raises(ValidationException, match="'ab' does not exist"):
        _names(with_columns("ab"))


def test_backward_range_is_refused() -> None:
    with pytest.raises(ValidationException, match="backwards"):
        _names(with_columns(range_("c", "a")))


def test_selection_expands_among_arguments() -> None:
    (call,) = expand_selections([col("a").concat(with_columns("b", "c")).unresolved], ["a", "b", "c"])
    assert str(Expression(call)) == "CONCAT(a, b, c)"
