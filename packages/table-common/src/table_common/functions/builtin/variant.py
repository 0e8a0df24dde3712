"""VARIANT: values that carry their type, from JSON text."""

from __future__ import annotations

from table_common.functions.builtin.declarations import BOOLEAN, STRING_FAMILY, nullable, returns, scalar
from table_common.inference.input_strategies import sig
from table_common.types.logical import VariantType

PARSE_JSON = scalar("PARSE_JSON", sig(STRING_FAMILY, optional=[BOOLEAN]), returns(VariantType()))
TRY_PARSE_JSON = scalar("TRY_PARSE_JSON", sig(STRING_FAMILY, optional=[BOOLEAN]), nullable(VariantType()))

NEEDS_OBJECT = "A name in brackets after a VARIANT needs an object, but the value is "
"""The error of ``variant['name']`` for a value that has no fields; what it is follows."""
NEEDS_ARRAY = "An index in brackets after a VARIANT needs an array, but the value is "
"""The error of ``variant[1]`` for a value that has no elements; what it is follows."""
