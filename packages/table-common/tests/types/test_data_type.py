"""Data types: conversion classes, and the fields of rows."""

from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.types import DataType, DataTypes


def test_fields_are_added_to_a_row() -> None:
    row = DataTypes.ROW().add("a", DataTypes.INT()).add(DataTypes.FIELD("b", DataTypes.STRING()))
    assert row.names == ["a", "b"]
    assert str(row) == "ROW<`a` INT, `b` STRING>"


def test_other_types_have_no_fields() -> None:
    with pytest.raises(ValidationException, match="INT has no fields"):
        DataTypes.INT().add("a", DataTypes.INT())
    with pytest.raises(ValidationException, match="INT has no fields"):
        _ = DataTypes.INT().names


def test_a_field_needs_a_type() -> None:
    with pytest.raises(ValidationException, match=r"'a' needs a type.*\n.*add\('a'"):
        DataTypes.ROW().add("a")


def test_nullability_and_class_are_changed_in_copies() -> None:
    type_ = DataTypes.INT()
    assert (str(type_.not_null()), str(type_.not_null().nullable()), str(type_)) == ("INT NOT NULL", "INT", "INT")
    assert type_.bridged_to(int).conversion_class is int
    with pytest.raises(ValidationException, match=r"cannot be converted from or to the class 'builtins\.dict'"):
        type_.bridged_to(dict)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (DataTypes.INT(), "IntType(true)"),
        (DataTypes.DECIMAL(10, 2).not_null(), "DecimalType(10, 2, false)"),
        (DataTypes.STRING(), "VarCharType(2147483647, true)"),
        (DataTypes.TIMESTAMP(3), "TimestampType(3, true)"),
        (DataTypes.MAP(DataTypes.INT(), DataTypes.STRING(False)), "MapType(IntType(true), VarCharType(2147483647, false), true)"),
        (
            DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.BYTES(), "raw")]),
            "RowType(RowField(a, IntType(true), ...),RowField(b, VarBinaryType(2147483647, true), raw))",
        ),
        (DataTypes.ROW([]).not_null(), "RowType(, false)"),
        (DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND(3)), "DayTimeIntervalType(DAY TO SECOND, 2, 3, true)"),
        (DataTypes.ARRAY(DataTypes.DOUBLE()).bridged_to(tuple), "ArrayType(DoubleType(true), true).bridged_to(builtins.tuple)"),
        (
            DataTypes.LIST_VIEW(DataTypes.INT()),
            "StructuredType(table_common.functions.views.ListView, RowField(list, ArrayType(IntType(true), true), ...), false)",
        ),
    ],
    ids=str,
)
def test_the_representation_is_that_of_pyflink(type_: DataType, text: str) -> None:
    assert repr(type_) == text
