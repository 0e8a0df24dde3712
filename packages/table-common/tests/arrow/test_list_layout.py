import pyarrow as pa

from table_common.arrow.list_layout import element_spans, referenced_elements

LISTS = pa.array([[1, 2], None, [], [3], [4, 5]], pa.list_(pa.int64()))


def test_spans_count_from_the_first_element_that_is_referred_to() -> None:
    assert element_spans(LISTS) == [(0, 2), None, (2, 2), (2, 3), (3, 5)]


def test_a_slice_refers_to_its_own_elements_only() -> None:
    part = LISTS.slice(3, 1)
    assert referenced_elements(part, part.values).to_pylist() == [3]
    assert element_spans(part) == [(0, 1)]


def test_no_lists_refer_to_no_elements() -> None:
    part = LISTS.slice(2, 0)
    assert referenced_elements(part, part.values).to_pylist() == []
    assert element_spans(part) == []


def test_keys_and_items_of_a_map_are_cut_alike() -> None:
    maps = pa.array([[("a", 1)], [("b", 2), ("c", None)]], pa.map_(pa.string(), pa.int64())).slice(1)
    assert referenced_elements(maps, maps.keys).to_pylist() == ["b", "c"]
    assert referenced_elements(maps, maps.items).to_pylist() == [2, None]
    assert element_spans(maps) == [(0, 2)]
