from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from table_common.arrow import conform, from_python_rows, to_arrow_schema, to_python_rows
from table_common.types import RowType
from table_testing.strategies import logical_types, row_types
from table_testing.value_strategies import values_of


@given(st.data())
def test_rows_come_back_from_arrow_as_they_were(data: st.DataObject) -> None:
    row_type = data.draw(row_types(logical_types(2), max_fields=3))
    assume("WITH TIME ZONE" not in str(row_type) and not _has_null_key(row_type))
    rows = data.draw(st.lists(st.tuples(*(values_of(t) for t in row_type.field_types)), max_size=4))
    batch = from_python_rows(rows, row_type)
    batch.validate(full=True)
    assert batch.schema.equals(to_arrow_schema(row_type), check_metadata=True)
    collected = list(to_python_rows([batch], row_type))
    assert from_python_rows(collected, row_type).equals(batch)
    # A FLOAT is collected as its shortest decimal, which is the same FLOAT, but another number of Python.
    assert collected == rows or "FLOAT" in str(row_type)
    if len(rows) > 1:
        assert list(to_python_rows([batch.slice(1)], row_type)) == collected[1:]


@given(st.data())
def test_conforming_again_changes_nothing(data: st.DataObject) -> None:
    row_type = data.draw(row_types(logical_types(2), max_fields=2))
    assume("WITH TIME ZONE" not in str(row_type) and not _has_null_key(row_type))
    batch = from_python_rows(data.draw(st.lists(st.tuples(*(values_of(t) for t in row_type.field_types)), max_size=3)), row_type)
    assert conform(batch, row_type).equals(batch)


def _has_null_key(row_type: RowType) -> bool:
    """NULL as the type of a key has no value, since a key is never NULL."""
    return any(word in str(row_type) for word in ("MAP<NULL", "MULTISET<NULL"))
