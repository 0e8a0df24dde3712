"""Data types: conversion classes, and the fields of rows."""

from __future__ import annotations

import pytest

from table_common.exceptions import ValidationException
from table_common.types import DataTypes


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
