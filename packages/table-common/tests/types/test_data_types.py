from __future__ import annotations

from collections.abc import Callable

import pytest

from table_common.exceptions import ValidationException
from table_common.functions import ListView, MapView
from table_common.types import DataType, DataTypes, IntType
from table_common.types.extraction import extract_type


@pytest.mark.parametrize(
    ("data_type", "text"),
    [
        (DataTypes.NULL(), "NULL"),
        (DataTypes.CHAR(3), "CHAR(3)"),
        (DataTypes.VARCHAR(3, False), "VARCHAR(3) NOT NULL"),
        (DataTypes.STRING(), "STRING"),
        (DataTypes.BOOLEAN(nullable=False), "BOOLEAN NOT NULL"),
        (DataTypes.BINARY(2), "BINARY(2)"),
        (DataTypes.VARBINARY(2), "VARBINARY(2)"),
        (DataTypes.BYTES(), "BYTES"),
        (DataTypes.DECIMAL(10, 2), "DECIMAL(10, 2)"),
        (DataTypes.TINYINT(), "TINYINT"),
        (DataTypes.SMALLINT(), "SMALLINT"),
        (DataTypes.INT().not_null(), "INT NOT NULL"),
        (DataTypes.BIGINT(), "BIGINT"),
        (DataTypes.FLOAT(), "FLOAT"),
        (DataTypes.DOUBLE(), "DOUBLE"),
        (DataTypes.DATE(), "DATE"),
        (DataTypes.TIME(), "TIME(0)"),
        (DataTypes.TIMESTAMP(3), "TIMESTAMP(3)"),
        (DataTypes.TIMESTAMP_LTZ(), "TIMESTAMP_LTZ(6)"),
        (DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(9), "TIMESTAMP_LTZ(9)"),
        (DataTypes.TIMESTAMP_WITH_TIME_ZONE(), "TIMESTAMP(6) WITH TIME ZONE"),
        (DataTypes.INTERVAL(DataTypes.YEAR(4), DataTypes.MONTH()), "INTERVAL YEAR(4) TO MONTH"),
        (DataTypes.INTERVAL(DataTypes.MONTH()), "INTERVAL MONTH"),
        (DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND(3)), "INTERVAL DAY(2) TO SECOND(3)"),
        (DataTypes.INTERVAL(DataTypes.HOUR(), DataTypes.MINUTE()), "INTERVAL HOUR TO MINUTE"),
        (DataTypes.INTERVAL(DataTypes.SECOND(9)), "INTERVAL SECOND(9)"),
        (DataTypes.ARRAY(DataTypes.INT()), "ARRAY<INT>"),
        (DataTypes.MULTISET("INT NOT NULL"), "MULTISET<INT NOT NULL>"),
        (DataTypes.MAP(DataTypes.STRING(), IntType()), "MAP<STRING, INT>"),
        (DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT(), "x")]), "ROW<`a` INT 'x'>"),
        (DataTypes.ROW([DataTypes.INT(), "STRING"]), "ROW<`f0` INT, `f1` STRING>"),
        (DataTypes.ROW(), "ROW<>"),
        (DataTypes.STRUCTURED("m.C", DataTypes.FIELD("a", DataTypes.INT())), "STRUCTURED<'m.C', `a` INT>"),
        (DataTypes.RAW("m.C", "s"), "RAW('m.C', 's')"),
        (DataTypes.VARIANT(), "VARIANT"),
        (DataTypes.BITMAP(), "BITMAP"),
        (DataTypes.DESCRIPTOR(), "DESCRIPTOR"),
        (DataTypes.of("ROW<a INT>"), "ROW<`a` INT>"),
    ],
)
def test_the_dsl_makes_the_type(data_type: DataType, text: str) -> None:
    assert str(data_type) == text


def test_a_class_given_becomes_the_conversion_class() -> None:
    class Money:
        pass

    data_type = DataTypes.RAW(Money)
    assert data_type.conversion_class is Money
    assert "Money" in str(data_type)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DataTypes.CHAR(0), "CHAR takes a length of at least 1"),
        (lambda: DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.MONTH()), "Interval 'DAY TO MONTH' does not exist"),
        (lambda: DataTypes.ROW([DataTypes.FIELD("a", "INT"), DataTypes.FIELD("a", "INT")]), "The field 'a' occurs more than once"),
        (lambda: DataTypes.ARRAY(3), "A type is a DataType, a LogicalType or SQL text, but got 3"),
    ],
)
def test_a_wrong_argument_is_a_validation_error(make: Callable[[], DataType], message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        make()


@pytest.mark.parametrize(
    ("data_type", "annotation"),
    [
        (DataTypes.LIST_VIEW(DataTypes.STRING()), ListView[str]),
        (DataTypes.MAP_VIEW("STRING", DataTypes.BIGINT()), MapView[str, int]),
    ],
)
def test_a_view_is_the_type_that_its_annotation_gives(data_type: DataType, annotation: object) -> None:
    extracted = extract_type(annotation, "x").type
    assert extracted is not None
    assert data_type.logical_type == extracted.not_null()
