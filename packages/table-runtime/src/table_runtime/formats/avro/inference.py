"""Derives the columns of a table from an Avro schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from table_common.exceptions import TableException
from table_common.types import (
    ArrayType,
    BigIntType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    RowField,
    RowType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)
from table_runtime.formats.avro.records import named_schemas

_PLAIN: Mapping[str, LogicalType] = {
    "boolean": BooleanType(),
    "int": IntType(),
    "long": BigIntType(),
    "float": FloatType(),
    "double": DoubleType(),
    "bytes": VarBinaryType(),
    "fixed": VarBinaryType(),
    "string": VarCharType(),
    "enum": VarCharType(),
}
_LOGICAL: Mapping[str, LogicalType] = {
    "date": DateType(),
    "time-millis": TimeType(3),
    "time-micros": TimeType(6),
    "timestamp-millis": LocalZonedTimestampType(3),
    "timestamp-micros": LocalZonedTimestampType(6),
    "local-timestamp-millis": TimestampType(3),
    "local-timestamp-micros": TimestampType(6),
    "timestamp-nanos": LocalZonedTimestampType(9),
    "local-timestamp-nanos": TimestampType(9),
}


def row_of_record(schema: Any, where: str) -> RowType:
    """Returns the row type of a record schema.

    Raises:
        TableException: the schema is not a record, or a field has no SQL type.
    """
    if not isinstance(schema, Mapping) or schema.get("type") != "record":
        raise TableException(f"{where} does not contain records. A table can be read from records only.")
    return _row(schema, dict(named_schemas(schema)), where, (), nullable=False)


_Records = tuple[Mapping[str, Any], ...]
"""The records around a value, the outermost first."""


def _row(schema: Mapping[str, Any], names: Mapping[str, Any], where: str, around: _Records, *, nullable: bool) -> RowType:
    if any(schema is record for record in around):
        raise TableException(
            f"{where} is of the record '{schema['name']}', which contains itself. No column type has values of any depth.",
            hint="name the columns in CREATE TABLE: the type of this one says how many levels are read",
        )
    inner = (*around, schema)
    fields = (
        RowField(field["name"], _type(field["type"], names, f"{where}, field '{field['name']}'", inner)) for field in schema["fields"]
    )
    return RowType(tuple(fields), nullable=nullable)


def _type(schema: Any, names: Mapping[str, Any], where: str, around: _Records) -> LogicalType:
    if isinstance(schema, str) and schema in names:
        schema = names[schema]
    if isinstance(schema, list):
        branches = [branch for branch in schema if branch != "null"]
        if len(branches) != 1:
            raise TableException(
                f"{where} is a union of several types, which has no column type.", hint="Name the columns in CREATE TABLE."
            )
        return _type(branches[0], names, where, around).with_nullability(True)
    if isinstance(schema, str):
        return _PLAIN[schema]
    kind, logical = schema["type"], schema.get("logicalType")
    if logical == "decimal":
        return DecimalType(int(schema["precision"]), int(schema.get("scale", 0)))
    if logical in _LOGICAL:
        return _LOGICAL[logical]
    match kind:
        case "record":
            return _row(schema, names, where, around, nullable=True)
        case "array":
            return ArrayType(_type(schema["items"], names, where, around))
        case "map":
            return MapType(VarCharType(nullable=False), _type(schema["values"], names, where, around))
        case _:
            return _type(kind, names, where, around)
