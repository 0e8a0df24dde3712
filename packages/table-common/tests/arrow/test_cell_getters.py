from __future__ import annotations

import pyarrow as pa
import pytest

from table_common.arrow import columnar_rows
from table_common.arrow.cell_getters import fields_of, plain_type
from table_common.exceptions import TableRuntimeException
from table_common.types import IntType, RowType, VarCharType, parse_logical_type

ROW = RowType.of([("a", IntType()), ("b", VarCharType())], nullable=False)
(FIRST, SECOND) = columnar_rows(pa.record_batch({"a": pa.array([1, None], pa.int32()), "b": ["x", "y"]}), ROW)


def test_a_cell_is_read_by_the_getter_of_its_type() -> None:
    assert FIRST.get_int(0) == 1
    assert str(SECOND.get_string(1)) == "y"


def test_null_has_no_value() -> None:
    assert SECOND.is_null_at(0)
    with pytest.raises(TableRuntimeException, match="The value at position 0 is NULL"):
        SECOND.get_int(0)


def test_the_getter_of_another_type_is_refused() -> None:
    with pytest.raises(TableRuntimeException, match="The value is of type STRING, not"):
        FIRST.get_int(1)


def test_the_fields_of_rows_are_columns_and_of_other_arrays_an_error() -> None:
    struct = pa.array([{"a": 1}], pa.struct([("a", pa.int32())]))
    assert [array.to_pylist() for array in fields_of(struct, parse_logical_type("ROW<a INT>")).arrays] == [[1]]
    with pytest.raises(TableRuntimeException):
        fields_of(pa.array([1]), IntType())


def test_a_type_that_is_not_distinct_is_plain() -> None:
    assert plain_type(IntType()) == IntType()
