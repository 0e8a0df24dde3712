"""Constructors of collections and rows, access to their parts, and functions on arrays and maps."""

from __future__ import annotations

from table_common.functions.builtin.declarations import (
    ANY_OR_NULL,
    ARRAY_FAMILY,
    BOOLEAN,
    INT,
    MAP_FAMILY,
    STRING_FAMILY,
    operator,
    returns,
    scalar,
)
from table_common.inference.argument_types import explicit_argument
from table_common.inference.collections import (
    accessed_element,
    array_and_element,
    array_of_orderable,
    collection_and_key,
    common_arrays,
    common_maps,
    element_of,
    entries_of,
    key_value_pairs,
    keys_of,
    map_of_arrays,
    map_of_pairs,
    values_of,
)
from table_common.inference.composites import field_access, field_of, object_fields, object_of, object_updated, row_of
from table_common.inference.input_strategies import common_type, or_, sig, varargs
from table_common.inference.type_strategies import array_of, explicit, force_nullable, least_common, nullable_if, nullable_if_args, same_as
from table_common.types.logical import ArrayType, BooleanType, IntType, VarCharType, quote_identifier

_FIRST_ARRAY = nullable_if_args(same_as(0))
_COMMON = nullable_if_args(least_common())


def _field_text(args: list[str]) -> str:
    name = args[1]
    return f"{args[0]}.{quote_identifier(name[1:-1].replace(chr(39) * 2, chr(39))) if name.startswith(chr(39)) else name}"


ARRAY = operator("ARRAY", common_type(), array_of(least_common()), lambda a: f"ARRAY[{', '.join(a)}]")
MAP = operator("MAP", key_value_pairs(), map_of_pairs(), lambda a: f"MAP[{', '.join(a)}]")
ROW = operator("ROW", varargs(repeated=ANY_OR_NULL, at_least=1), row_of(), lambda a: f"ROW({', '.join(a)})")
AT = operator("AT", collection_and_key(), accessed_element(), lambda a: f"{a[0]}[{a[1]}]")
"""``array[index]`` (from 1), ``map[key]``, ``variant[index or key]`` (from 0)."""
GET = operator("GET", field_access(), field_of(), _field_text)
"""``row.field``: the second argument is the name, or the position from 0, as a constant."""
CARDINALITY = scalar("CARDINALITY", or_(sig(ARRAY_FAMILY), sig(MAP_FAMILY)), returns(IntType()))
ELEMENT = scalar("ELEMENT", sig(ARRAY_FAMILY), element_of())

ARRAY_APPEND = scalar("ARRAY_APPEND", array_and_element(widens=True), _FIRST_ARRAY)
ARRAY_PREPEND = scalar("ARRAY_PREPEND", array_and_element(widens=True), _FIRST_ARRAY)
ARRAY_CONTAINS = scalar("ARRAY_CONTAINS", array_and_element(), nullable_if(explicit(BooleanType()), 0))
ARRAY_POSITION = scalar("ARRAY_POSITION", array_and_element(), returns(IntType()))
ARRAY_REMOVE = scalar("ARRAY_REMOVE", array_and_element(), nullable_if(same_as(0), 0))
ARRAY_CONCAT = scalar("ARRAY_CONCAT", common_arrays(1, None), _COMMON)
ARRAY_UNION = scalar("ARRAY_UNION", common_arrays(2, 2), _COMMON)
ARRAY_INTERSECT = scalar("ARRAY_INTERSECT", common_arrays(2, 2), _COMMON)
ARRAY_EXCEPT = scalar("ARRAY_EXCEPT", common_arrays(2, 2), _COMMON)
ARRAY_DISTINCT = scalar("ARRAY_DISTINCT", sig(ARRAY_FAMILY), same_as(0))
ARRAY_REVERSE = scalar("ARRAY_REVERSE", sig(ARRAY_FAMILY), same_as(0))
ARRAY_SLICE = scalar("ARRAY_SLICE", sig(ARRAY_FAMILY, INT, optional=[INT]), _FIRST_ARRAY)
ARRAY_SORT = scalar("ARRAY_SORT", sig(array_of_orderable(), optional=[BOOLEAN, BOOLEAN]), _FIRST_ARRAY)
ARRAY_MAX = scalar("ARRAY_MAX", sig(array_of_orderable()), force_nullable(element_of()))
ARRAY_MIN = scalar("ARRAY_MIN", sig(array_of_orderable()), force_nullable(element_of()))
ARRAY_JOIN = scalar(
    "ARRAY_JOIN",
    sig(explicit_argument(ArrayType(VarCharType())), STRING_FAMILY, optional=[STRING_FAMILY]),
    returns(VarCharType()),
)

MAP_KEYS = scalar("MAP_KEYS", sig(MAP_FAMILY), keys_of())
MAP_VALUES = scalar("MAP_VALUES", sig(MAP_FAMILY), values_of())
MAP_ENTRIES = scalar("MAP_ENTRIES", sig(MAP_FAMILY), entries_of())
MAP_FROM_ARRAYS = scalar("MAP_FROM_ARRAYS", sig(ARRAY_FAMILY, ARRAY_FAMILY), map_of_arrays())
MAP_UNION = scalar("MAP_UNION", common_maps(1, None), _COMMON)

OBJECT_OF = scalar("OBJECT_OF", object_fields(updates=False), object_of())
OBJECT_UPDATE = scalar("OBJECT_UPDATE", object_fields(updates=True), object_updated())
