from __future__ import annotations

import copy
import pickle

import pytest

from table_common.data import Row, RowKind


def test_values_are_reached_by_position() -> None:
    row = Row(1, "a")
    assert (row[0], row[1], row[-1], list(row), len(row)) == (1, "a", "a", [1, "a"], 2)


def test_values_are_reached_by_name() -> None:
    row = Row(id=1, name="a")
    assert (row.id, row["name"], row[0], row.get_fields_by_names(["name", "id"])) == (1, "a", 1, ["a", 1])


def test_a_row_of_names_makes_named_rows() -> None:
    person = Row("id", "name")
    assert person(1, "a") == Row(id=1, name="a")


def test_a_row_of_names_called_with_too_few_values_is_an_error() -> None:
    with pytest.raises(ValueError, match="id, name takes 2 values, but got 1"):
        Row("id", "name")(1)


def test_positions_and_names_cannot_be_mixed() -> None:
    with pytest.raises(ValueError, match="by position or by name"):
        Row(1, name="a")


def test_the_kind_is_insert_unless_set() -> None:
    row = Row(1)
    assert row.get_row_kind() is RowKind.INSERT
    row.set_row_kind(RowKind.DELETE)
    assert row.get_row_kind() is RowKind.DELETE


def test_rows_of_different_kinds_differ() -> None:
    assert Row.of_kind(RowKind.DELETE, 1) != Row(1)


def test_rows_with_and_without_names_differ() -> None:
    assert Row(a=1) != Row(1)


def test_equal_rows_have_equal_hashes() -> None:
    assert hash(Row(a=1)) == hash(Row(a=1))


def test_values_can_be_set() -> None:
    row = Row(a=1, b=2)
    row.a = 10
    row["b"] = 20
    row[1] += 1
    assert list(row) == [10, 21]


def test_an_unknown_name_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(KeyError, match="no field 'c'; its fields: a, b"):
        Row(a=1, b=2)["c"]
    with pytest.raises(AttributeError, match="no field 'c'"):
        _ = Row(a=1).c


def test_as_dict_reaches_into_lists_and_dicts_when_recursive() -> None:
    row = Row(a=1, b=Row(x=2), c=[Row(x=3)], d={"k": Row(x=4)})
    assert row.as_dict(True) == {"a": 1, "b": {"x": 2}, "c": [{"x": 3}], "d": {"k": {"x": 4}}}
    assert row.as_dict()["b"] == Row(x=2)


def test_as_dict_without_names_is_an_error() -> None:
    with pytest.raises(TypeError, match="without names"):
        Row(1).as_dict()


def test_names_can_be_given_later() -> None:
    row = Row(1, 2)
    row.set_field_names(["a", "b"])
    assert row == Row(a=1, b=2)


@pytest.mark.parametrize(("row", "text"), [(Row(1, "a"), "<Row(1, 'a')>"), (Row(a=1, b=None), "Row(a=1, b=None)")])
def test_repr_shows_names_where_there_are_any(row: Row, text: str) -> None:
    assert repr(row) == text


@pytest.mark.parametrize("row", [Row(1, [2]), Row(a=1), Row.of_kind(RowKind.UPDATE_BEFORE, x=1)])
def test_rows_survive_pickle_and_copy(row: Row) -> None:
    assert pickle.loads(pickle.dumps(row)) == row
    assert copy.deepcopy(row) == row


def test_a_row_with_names_contains_its_names_and_another_its_values() -> None:
    assert "a" in Row(a=1)
    assert 1 not in Row(a=1)
    assert 1 in Row(1)


def test_rows_with_the_same_names_are_equal_in_any_order() -> None:
    assert Row(a=1, b=2) == Row(b=2, a=1)
    assert Row(a=1, b=2) != Row(b=1, a=2)
    assert Row(a=1) != Row(b=1)
    assert Row(a=1) != Row(1)
