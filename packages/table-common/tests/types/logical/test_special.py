"""NULL, RAW, SYMBOL, DESCRIPTOR, VARIANT and BITMAP."""

from __future__ import annotations

import pytest

from table_common.types import BitmapType, DescriptorType, LogicalType, NullType, RawType, SymbolType, VariantType, parse_logical_type


@pytest.mark.parametrize("type_", [VariantType(), BitmapType(nullable=False), RawType("my_module.Point", "it's")], ids=str)
def test_a_type_of_columns_is_parsed_back(type_: LogicalType) -> None:
    assert parse_logical_type(type_.serializable()) == type_


def test_a_raw_type_shows_its_class_and_serializer_as_strings() -> None:
    assert str(RawType("my_module.Point", "it's")) == "RAW('my_module.Point', 'it''s')"


@pytest.mark.parametrize(("type_", "text"), [(NullType(), "NULL"), (SymbolType(), "SYMBOL"), (DescriptorType(), "DESCRIPTOR")])
def test_a_type_of_expressions_shows_its_root(type_: LogicalType, text: str) -> None:
    assert (str(type_), type_.ROOT) == (text, text)


def test_raw_types_are_equal_by_class_and_serializer() -> None:
    assert RawType("a.B", "x") == RawType("a.B", "x")
    assert RawType("a.B", "x") != RawType("a.B", "y")
