from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from table_common.data import RowKind
from table_common.types import IntType, RowType, parse_logical_type
from table_testing.internal_value_strategies import internal_values_of, row_data_of


@given(st.data())
def test_an_internal_value_is_read_by_the_getter_of_its_type(data: st.DataObject) -> None:
    row_type = parse_logical_type("ROW<a DECIMAL(20, 3), b TIMESTAMP(9), c TIME(6), d ARRAY<STRING NOT NULL>, e INTERVAL SECOND(3)>")
    assert isinstance(row_type, RowType)
    row = data.draw(row_data_of(row_type))
    for position, field in enumerate(row_type.fields):
        row.create_field_getter(field.type, position)(row)


@given(row_data_of(RowType.of([("a", IntType())])))
def test_rows_have_a_kind(row: object) -> None:
    assert row.get_row_kind() in set(RowKind)  # type: ignore[attr-defined]  # a row


@given(internal_values_of(IntType(nullable=False)))
def test_an_integer_fits_its_type(value: int) -> None:
    assert -(2**31) <= value < 2**31
