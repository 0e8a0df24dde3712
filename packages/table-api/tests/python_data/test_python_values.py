"""What Python values become in a plan."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import DataTypes
from table_api.python_data.python_values import elements_operation
from table_common.exceptions import ValidationException


@pytest.mark.parametrize(
    ("value", "data_type", "text"),
    [
        ([], DataTypes.ARRAY(DataTypes.INT()), "ARRAY<INT>"),
        ({}, DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()), "MAP<STRING, INT>"),
        ([[]], DataTypes.ARRAY(DataTypes.ARRAY(DataTypes.DATE())), "ARRAY<ARRAY<DATE>>"),
    ],
)
def test_empty_collections_are_values_of_their_type(value: object, data_type: Any, text: str, session: Any) -> None:
    operation = elements_operation(session, [(value,)], DataTypes.ROW([DataTypes.FIELD("a", data_type)]), True)
    assert str(operation.resolved_schema.columns[0].data_type) == text
    assert "ARRAY_SLICE" in repr(operation)


def test_a_text_is_no_schema(session: Any) -> None:
    with pytest.raises(ValidationException, match="The schema of from_elements is a ROW type or a list of names, but got 'ROW<a INT>'"):
        elements_operation(session, [(1,)], "ROW<a INT>", True)
