"""``from_elements``: rows with names give their values to the columns of these names, rows without by position."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

from table_api import DataTypes, Row, TableEnvironment
from table_api.operations import ValuesQueryOperation
from table_common.exceptions import ValidationException
from table_common.expressions import ValueLiteralExpression

Named = namedtuple("Named", "b a")  # a class of the plainest kind
FIELDS = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.BIGINT())])


def columns(env: TableEnvironment, elements: list[Any], schema: Any = None) -> dict[str, list[Any]]:
    """Returns the constants of the table by column."""
    operation = env.from_elements(elements, schema).query_operation
    assert isinstance(operation, ValuesQueryOperation)
    rows = [[cell.value if isinstance(cell, ValueLiteralExpression) else str(cell) for cell in row] for row in operation.rows]
    return {name: [row[i] for row in rows] for i, name in enumerate(operation.resolved_schema.column_names)}


@pytest.mark.parametrize("element", [{"b": 1, "a": 2}, Row(b=1, a=2), Named(1, 2)], ids=["dict", "Row", "named tuple"])
@pytest.mark.parametrize("schema", [["a", "b"], FIELDS], ids=["names", "types"])
def test_names_go_to_their_columns(env: TableEnvironment, element: Any, schema: Any) -> None:
    assert columns(env, [element], schema) == {"a": [2], "b": [1]}


@pytest.mark.parametrize("element", [{"b": 1, "a": 2}, Row(b=1, a=2), Named(1, 2)], ids=["dict", "Row", "named tuple"])
def test_without_a_schema_columns_are_called_as_the_rows_say(env: TableEnvironment, element: Any) -> None:
    assert columns(env, [element]) == {"b": [1], "a": [2]}


def test_dicts_of_different_order_do_not_mix(env: TableEnvironment) -> None:
    assert columns(env, [{"b": 1, "a": 2}, {"a": 3, "b": 4}]) == {"b": [1, 4], "a": [2, 3]}


def test_a_name_that_a_row_lacks_is_null(env: TableEnvironment) -> None:
    assert columns(env, [{"a": 1}, {"a": 2, "b": 3}]) == {"a": [1, 2], "b": [None, 3]}


@pytest.mark.parametrize(
    "schema", [["a", "c"], DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("c", DataTypes.INT())])]
)
@pytest.mark.parametrize("element", [{"b": 1, "a": 2}, Row(b=1, a=2), Named(1, 2)], ids=["dict", "Row", "named tuple"])
def test_a_name_that_is_no_column_is_refused(env: TableEnvironment, element: Any, schema: Any) -> None:
    with pytest.raises(ValidationException, match=r"Column 'b' does not exist in row 1\. .*Available: a, c"):
        env.from_elements([element], schema)


def test_a_named_tuple_can_be_renamed_as_a_whole(env: TableEnvironment) -> None:
    assert columns(env, [Named(1, 2)], ["x", "y"]) == {"x": [1], "y": [2]}


def test_rows_with_and_without_names_need_a_schema(env: TableEnvironment) -> None:
    with pytest.raises(ValidationException, match="Row 2 has no names, but other rows have"):
        env.from_elements([{"a": 1}, (2,)])


def test_rows_with_and_without_names_mix_under_a_schema(env: TableEnvironment) -> None:
    assert columns(env, [{"b": 1, "a": 2}, (3, 4)], ["a", "b"]) == {"a": [2, 3], "b": [1, 4]}


def test_rows_inside_rows_are_merged_by_name(env: TableEnvironment) -> None:
    table = env.from_elements([(Row(x=1, y="s"),), (Row(y="t", x=2),)], ["r"])
    assert str(table.get_resolved_schema().column_types[0]) == "ROW<`x` BIGINT, `y` STRING>"


def test_a_field_that_a_row_type_lacks_is_refused(env: TableEnvironment) -> None:
    schema = DataTypes.ROW([DataTypes.FIELD("r", FIELDS)])
    with pytest.raises(ValidationException, match="Column 'z' does not exist in the type ROW"):
        env.from_elements([({"a": 1, "z": 2},)], schema)


def test_a_dict_is_one_value_of_a_map(env: TableEnvironment) -> None:
    table = env.from_elements([{"a": 1}], DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()))
    assert table.get_resolved_schema().column_names == ("value",)
