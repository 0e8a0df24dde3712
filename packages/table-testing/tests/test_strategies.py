from __future__ import annotations

from hypothesis import given

from table_common.types import LogicalType, RowType, is_deeper, types_in
from table_testing.strategies import field_names, leaf_types, logical_types, row_types


@given(field_names())
def test_a_name_is_not_empty(name: str) -> None:
    assert name


@given(leaf_types())
def test_a_leaf_has_no_types_inside(type_: LogicalType) -> None:
    assert [*types_in(type_)] == [type_]


@given(row_types(leaf_types()))
def test_the_names_of_a_row_are_unique(type_: RowType) -> None:
    assert len(set(type_.field_names)) == len(type_.fields)


@given(logical_types(max_depth=2))
def test_types_are_nested_at_most_as_deep_as_asked_for(type_: LogicalType) -> None:
    assert not is_deeper(type_, 3)
