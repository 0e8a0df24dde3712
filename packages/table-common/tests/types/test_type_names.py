"""Named types are types of texts while somebody says so."""

from __future__ import annotations

import pytest

from table_common.exceptions import SqlParserException
from table_common.types import ArrayType, DoubleType, LogicalType, RowField, RowType, find_named_type, named_types, parse_logical_type

POINT = RowType((RowField("x", DoubleType()), RowField("y", DoubleType())))


def _lookup(name: str) -> LogicalType | None:
    return POINT if name.lower() == "point" else None


def test_named_type_is_found_in_texts_of_types() -> None:
    with named_types(_lookup):
        assert parse_logical_type("ARRAY<Point NOT NULL>") == ArrayType(POINT.not_null())


def test_named_type_may_be_quoted() -> None:
    with named_types(_lookup):
        assert parse_logical_type("`point`") == POINT


def test_named_type_is_unknown_outside_of_the_block() -> None:
    with named_types(_lookup):
        pass
    assert find_named_type("point") is None
    with pytest.raises(SqlParserException, match="There is no type 'point'"):
        parse_logical_type("point")


def test_built_in_type_is_never_a_named_one() -> None:
    with named_types(lambda name: POINT):
        assert parse_logical_type("DOUBLE") == DoubleType()
