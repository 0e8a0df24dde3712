"""Rewrites values of types that Spark cannot compare into a comparable form: two values are equal if and only if their forms are.

A MAP becomes its sorted entries, a VARIANT its JSON text with object keys in order. Arrays and rows that contain these are rebuilt.

Differs from Flink: two VARIANTs are equal if their JSON texts are equal. Flink compares their binary encodings, in which the order of keys and
trailing zeros of fractions matter. Maps inside arrays are compared as maps: the order of entries does not matter.
"""

from __future__ import annotations

from table_common.exceptions import TableException
from table_common.types import (
    ArrayType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    VariantType,
    types_in,
)
from table_planner_spark.expressions.names import bind, quote_text
from table_planner_spark.quoting import quote_name


def needs_comparable_form(type_: LogicalType) -> bool:
    """Returns whether Spark cannot compare values of the type."""
    return any(isinstance(part, (MapType, MultisetType, VariantType)) for part in types_in(type_))


def check_map_keys(type_: LogicalType) -> None:
    """Checks that Spark supports maps with keys of the type.

    Raises:
        TableException: it does not.
    """
    if needs_comparable_form(type_):
        raise TableException(
            f"The planner 'spark' does not support maps with keys of type {type_.summary()}.",
            hint="Use JSON_STRING of the key instead." if isinstance(type_, VariantType) else None,
        )


def comparable_form(text: str, type_: LogicalType, depth: int = 0) -> str:
    """Returns Spark SQL for the comparable form of a value; NULL stays NULL."""
    if not needs_comparable_form(type_):
        return text
    item = f"__form{depth}"
    match type_:
        case VariantType():
            return f"to_json({text})"
        case ArrayType():
            return f"transform({text}, {item} -> {comparable_form(item, type_.element_type, depth + 1)})"
        case MapType() | MultisetType():
            key_type = type_.key_type if isinstance(type_, MapType) else type_.element_type
            entries = f"map_entries({text})"
            if needs_comparable_form(key_type) or (isinstance(type_, MapType) and needs_comparable_form(type_.value_type)):
                key = comparable_form(f"{item}.key", key_type, depth + 1)
                value = comparable_form(f"{item}.value", type_.value_type, depth + 1) if isinstance(type_, MapType) else f"{item}.value"
                entries = f"transform({entries}, {item} -> named_struct('key', {key}, 'value', {value}))"
            return f"array_sort({entries})"
        case RowType() | StructuredType():
            fields = type_.fields

            def build(row: str) -> str:
                parts = [
                    f"{quote_text(field.name)}, {comparable_form(f'{row}.{quote_name(field.name)}', field.type, depth + 1)}"
                    for field in fields
                ]
                return f"if({row} IS NULL, NULL, named_struct({', '.join(parts)}))"

            return bind(text, build)
        case _:
            return text
