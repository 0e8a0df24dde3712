from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_common.arrow import from_python_rows
from table_common.types import IntType, RowType, parse_logical_type
from table_testing.strategies import leaf_types
from table_testing.value_strategies import values_of


@given(st.data())
def test_a_value_fits_its_type(data: st.DataObject) -> None:
    type_ = data.draw(leaf_types().filter(lambda drawn: str(drawn) not in ("DESCRIPTOR", "NULL") and "WITH TIME ZONE" not in str(drawn)))
    assert from_python_rows([(data.draw(values_of(type_)),)], RowType.of([("a", type_)])).num_rows == 1


@given(values_of(IntType(nullable=False)))
def test_a_type_that_is_not_null_has_no_none(value: object) -> None:
    assert value is not None


@given(values_of(parse_logical_type("ARRAY<DOUBLE NOT NULL> NOT NULL")))
def test_numbers_are_never_nan(values: list[float]) -> None:
    assert all(value == value for value in values)


def test_a_type_without_values_is_refused() -> None:
    with pytest.raises(Exception, match="There are no values of DESCRIPTOR"):
        values_of(parse_logical_type("DESCRIPTOR NOT NULL")).validate()
