from __future__ import annotations

import pickle

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import ListView, MapView


def test_a_list_keeps_the_order_of_its_values() -> None:
    view = ListView[int]()
    view.add(2)
    view.add_all([1, 2])
    assert list(view.get()) == [2, 1, 2]


def test_remove_removes_the_first_equal_value_and_returns_whether_it_existed() -> None:
    view = ListView[int]()
    view.add_all([1, 2, 1])
    assert view.remove(1)
    assert list(view.get()) == [2, 1]
    assert not view.remove(3)


def test_a_cleared_list_is_empty() -> None:
    view = ListView[int]()
    view.add(1)
    view.clear()
    assert list(view.get()) == []


def test_a_map_returns_none_for_an_unknown_key() -> None:
    view = MapView[str, int]()
    view.put("a", 1)
    view.put_all({"b": 2})
    assert (view.get("a"), view.get("b"), view.get("c")) == (1, 2, None)
    assert view.contains("a")
    assert not view.contains("c")


def test_a_map_lists_keys_values_and_pairs_in_the_same_order() -> None:
    view = MapView[str, int]()
    view.put_all({"a": 1, "b": 2})
    assert list(zip(view.keys(), view.values(), strict=True)) == list(view.items())


def test_removing_an_unknown_key_changes_nothing() -> None:
    view = MapView[str, int]()
    view.put("a", 1)
    view.remove("b")
    view.remove("a")
    assert view.is_empty()


def test_views_are_equal_by_content_and_survive_pickling() -> None:
    view = ListView[int]()
    view.add(1)
    assert pickle.loads(pickle.dumps(view)) == view


def test_an_iterator_of_a_map_removes_the_entry_that_it_returned_last() -> None:
    view = MapView({"a": 1, "b": 2, "c": 3})
    entries = iter(view.items())
    for _, value in entries:
        if value != 2:
            entries.remove()
    assert view == MapView({"b": 2})


def test_an_iterator_of_a_map_removes_an_entry_once() -> None:
    keys = iter(MapView({"a": 1}))
    with pytest.raises(ValidationException, match="there is none"):
        keys.remove()
    assert next(keys) == "a"
    keys.remove()
    with pytest.raises(ValidationException, match="there is none"):
        keys.remove()


def test_an_iterator_of_a_map_leaves_out_entries_that_were_removed_meanwhile() -> None:
    view = MapView({"a": 1, "b": 2})
    values = view.values()
    assert next(values) == 1
    view.remove("b")
    assert list(values) == []
