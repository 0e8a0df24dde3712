from __future__ import annotations

import pickle

import pytest

from table_common.data import GenericArrayData, GenericMapData, StringData
from table_common.exceptions import ValidationException

A, B = StringData.from_string("a"), StringData.from_string("b")


def test_size() -> None:
    assert (GenericMapData({A: 1, B: None}).size(), len(GenericMapData({}))) == (2, 0)


def test_key_array() -> None:
    assert GenericMapData({A: 1, B: None}).key_array() == GenericArrayData([A, B])


def test_value_array() -> None:
    assert GenericMapData({A: 1, B: None}).value_array() == GenericArrayData([1, None])


def test_constructor_copies_the_entries() -> None:
    entries = {A: 1}
    value = GenericMapData(entries)
    entries[B] = 2
    assert value.size() == 1


@pytest.mark.parametrize("entries", [{"a": 1}, {A: "x"}])
def test_constructor_refuses_what_is_no_internal_structure(entries: dict[object, object]) -> None:
    with pytest.raises(ValidationException, match="of a GenericMapData takes internal structures"):
        GenericMapData(entries)


def test_get() -> None:
    value = GenericMapData({A: 1})
    assert (value.get(A), value.get(B), A in value, B in value) == (1, None, True, False)


def test_to_dict() -> None:
    assert GenericMapData({A: 1}).to_dict() == {A: 1}


def test_maps_are_equal_whatever_the_order() -> None:
    left, right = GenericMapData({A: 1, B: 2}), GenericMapData({B: 2, A: 1})
    assert left == right
    assert hash(left) == hash(right)


def test_repr_shows_the_entries() -> None:
    assert repr(GenericMapData({A: 1})) == "GenericMapData({StringData('a'): 1})"


def test_maps_survive_pickling() -> None:
    value = GenericMapData({A: GenericArrayData([1])})
    assert pickle.loads(pickle.dumps(value)) == value
