"""Classes whose objects are stored as values of a SQL type."""

from __future__ import annotations

from typing import Any

import pytest

from table_api import DataTypes, TableEnvironment
from table_api.python_data.user_defined_type import serialized_cells
from table_api.types import UserDefinedType
from table_common.exceptions import ValidationException
from table_common.types import DataType


class PointType(UserDefinedType):
    @classmethod
    def sql_type(cls) -> DataType:
        return DataTypes.ARRAY(DataTypes.DOUBLE())

    def serialize(self, obj: Any) -> list[float]:
        return [obj.x, obj.y]

    def deserialize(self, datum: list[float]) -> Point:
        return Point(*datum)


class Point:
    __UDT__ = PointType()

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y


def test_objects_and_values_are_converted() -> None:
    type_ = PointType()
    assert type_.to_sql_type(Point(1.0, 2.0)) == [1.0, 2.0]
    assert type_.from_sql_type([1.0, 2.0]).y == 2.0
    assert (type_.to_sql_type(None), type_.from_sql_type(None)) == (None, None)


def test_a_type_is_described() -> None:
    type_ = PointType()
    assert (type_.type_name(), type_.module(), type_.java_udt(), type_.need_conversion()) == ("point", __name__, "", True)
    assert (str(type_.nullable()), str(type_.not_null())) == ("ARRAY<DOUBLE>", "ARRAY<DOUBLE> NOT NULL")
    with pytest.raises(ValidationException, match="cannot be bridged to int"):
        type_.bridged_to("int")


def test_rows_store_objects() -> None:
    rows: list[tuple[Any, ...]] = [(1, Point(1.0, 2.0)), (2, None)]
    assert serialized_cells(rows) == [[1, [1.0, 2.0]], [2, None]]
    assert serialized_cells(rows[1:]) is not None
    plain = [(1, "a")]
    assert serialized_cells(plain) is plain


def test_from_elements_takes_objects(env: TableEnvironment) -> None:
    table = env.from_elements([(1, Point(1.0, 2.0))], ["id", "p"])
    assert str(table.get_resolved_schema().to_row_type()) == "ROW<`id` BIGINT, `p` ARRAY<DOUBLE>> NOT NULL"
