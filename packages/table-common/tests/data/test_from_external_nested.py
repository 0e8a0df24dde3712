from __future__ import annotations

import pytest

from table_common.data import DataStructureConverter, GenericRowData, RuntimeConverter
from table_common.exceptions import ValidationException
from table_common.types import DataType, parse_logical_type


def converter(type_text: str) -> DataStructureConverter:
    result = DataStructureConverter(DataType(parse_logical_type(type_text)))
    result.open(RuntimeConverter.Context.empty())
    return result


@pytest.mark.parametrize(
    ("type_text", "value", "message"),
    [
        ("ARRAY<INT>", [1, "x"], "^In element 2: 'x'"),
        ("ARRAY<INT NOT NULL>", [None], "^In element 1: None"),
        ("ARRAY<INT>", "abc", "it takes list, tuple"),
        ("MAP<STRING, INT>", {"a": "x"}, "^In the value of key 'a': 'x'"),
        ("MAP<STRING, INT>", {None: 1}, "^In a key: None"),
        ("MAP<STRING, INT>", [1], "it takes dict"),
        ("ROW<a INT, b ROW<c ARRAY<INT>>>", (1, ([1, "x"],)), "^In field 'b', field 'c', element 2: 'x'"),
        ("ROW<a INT>", {"z": 1}, "it has no field 'z'"),
        ("ROW<a INT>", (1, 2), "it takes 1 values, but got 2"),
        ("ROW<a INT>", GenericRowData.of(1, 2), "it takes 1 values"),
        ("ROW<a INT>", 5, "it takes Row, tuple, dict or an object with the fields as attributes"),
    ],
)
def test_the_error_of_an_invalid_nested_value_names_position_and_reason(type_text: str, value: object, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        converter(type_text).to_internal(value)
