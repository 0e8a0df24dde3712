from __future__ import annotations

import pickle

from hypothesis import assume, given
from hypothesis import strategies as st

from table_common.arrow import columnar_rows, from_python_rows, from_row_data, to_python_rows, to_row_data
from table_common.data import DataStructureConverter, GenericRowData, RowData, RuntimeConverter
from table_common.types import ArrayType, DataType, FloatType, RowField, RowType
from table_testing.internal_value_strategies import row_data_of
from table_testing.strategies import logical_types, row_types
from table_testing.value_strategies import values_of


def draw_row_type(data: st.DataObject) -> RowType:
    row_type = data.draw(row_types(logical_types(2), max_fields=3))
    # NULL as the type of a key has no value, since a key is never NULL.
    assume(not any(word in str(row_type) for word in ("WITH TIME ZONE", "MAP<NULL", "MULTISET<NULL")))
    return row_type.not_null()


def open_converter(row_type: RowType) -> DataStructureConverter:
    converter = DataStructureConverter(DataType(row_type).bridged_to(tuple))
    converter.open(RuntimeConverter.Context.empty())
    return converter


@given(st.data())
def test_python_values_come_back_by_way_of_row_data_and_arrow(data: st.DataObject) -> None:
    row_type = draw_row_type(data)
    rows = data.draw(st.lists(st.tuples(*(values_of(t) for t in row_type.field_types)), max_size=4))
    converter = open_converter(row_type)
    internal = [converter.to_internal(row) for row in rows]
    batch = from_row_data(internal, row_type)
    batch.validate(full=True)
    # The way without RowData makes the same data.
    assert batch.equals(from_python_rows(rows, row_type), check_metadata=True)
    assert [converter.to_external(row) for row in to_row_data([batch], row_type)] == rows
    assert [converter.to_external(row) for row in columnar_rows(batch, row_type)] == rows
    collected = list(to_python_rows([batch], row_type))
    assert from_python_rows(collected, row_type).equals(batch)
    # A FLOAT is collected as its shortest decimal, which is the same FLOAT, but another number of Python.
    assert collected == rows or "FLOAT" in str(row_type)


def test_the_collected_decimal_of_a_float_is_the_same_float() -> None:
    row_type = RowType((RowField("f", ArrayType(FloatType())),), nullable=False)
    batch = from_python_rows([([1.1754943508222875e-38, 0.10000000149011612, -3.4028234663852886e38],)], row_type)
    collected = list(to_python_rows([batch], row_type))
    assert collected[0][0][:2] == [1.1754944e-38, 0.1]
    assert from_python_rows(collected, row_type).equals(batch)


def test_the_collected_decimal_of_a_float_does_not_depend_on_the_other_rows() -> None:
    row_type = RowType((RowField("f", FloatType()),), nullable=False)
    alone = from_python_rows([(-6450122829332480.0,)], row_type)
    with_fraction = from_python_rows([(-6450122829332480.0,), (0.5,)], row_type)
    assert list(to_python_rows([alone], row_type)) == [(-6450123000000000.0,)]
    assert list(to_python_rows([with_fraction], row_type)) == [(-6450123000000000.0,), (0.5,)]


@given(st.data())
def test_internal_structures_come_back_from_arrow_as_they_were(data: st.DataObject) -> None:
    row_type = draw_row_type(data)
    rows = data.draw(st.lists(row_data_of(row_type), max_size=4))
    batch = from_row_data(rows, row_type, with_row_kinds=True)
    batch.validate(full=True)
    assert list(to_row_data([batch], row_type)) == rows
    views = list(columnar_rows(batch, row_type))
    assert views == rows
    getters = [RowData.create_field_getter(type_, position) for position, type_ in enumerate(row_type.field_types)]
    for view, row in zip(views, rows, strict=True):
        assert [getter(view) for getter in getters] == [getter(row) for getter in getters]
    assert from_row_data(views, row_type, with_row_kinds=True).equals(batch)
    if len(rows) > 1:
        assert list(columnar_rows(batch.slice(1), row_type)) == list(to_row_data([batch.slice(1)], row_type)) == rows[1:]


@given(st.data())
def test_rows_survive_pickling(data: st.DataObject) -> None:
    row_type = draw_row_type(data)
    row = data.draw(row_data_of(row_type))
    copy = pickle.loads(pickle.dumps(row))
    assert isinstance(copy, GenericRowData)
    assert copy == row
    assert hash(copy) == hash(row)
