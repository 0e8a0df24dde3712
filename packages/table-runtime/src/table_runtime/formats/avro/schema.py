"""Converts row types to Avro schemas, and Avro values to column values and back.

Values have their physical Avro types: a date is a number of days, a decimal is bytes. So fastavro does not create objects of the standard
library, which would take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.arrow import to_arrow_type
from table_common.exact_decimals import from_unscaled, rounded, unscaled
from table_common.exceptions import TableException
from table_common.frozen_dataclass import dataclass, replace
from table_common.types import (
    ArrayType,
    BigIntType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
)

Convert = Callable[[Any], Any]
_PER_SECOND = {"millis": 10**3, "micros": 10**6, "nanos": 10**9}
_DAY_SECONDS = 86_400
_ARROW_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_NUMBERS_OF_TIME = frozenset(("date", *(f"{what}-{unit}" for what in ("time", "timestamp", "local-timestamp") for unit in _PER_SECOND)))
"""Logical types whose numbers are dates or times in SQL. Logical types that Avro does not define are read as plain numbers."""
_TIMESTAMPS = frozenset(f"{what}-{unit}" for what in ("timestamp", "local-timestamp") for unit in _PER_SECOND)
_NAMESPACE = "org.apache.flink.avro.generated"


def record_schema(row_type: RowType, *, legacy_timestamps: bool = True, name: str = "record") -> dict[str, Any]:
    """Returns the record schema of a row type.

    Raises:
        TableException: Avro has no representation of a column's type.
    """
    fields = []
    for field in row_type.fields:
        type_ = avro_schema(field.type, legacy_timestamps=legacy_timestamps, name=f"{name}_{field.name}")
        entry: dict[str, Any] = {"name": field.name, "type": type_}
        if isinstance(type_, list):
            entry["default"] = None
        fields.append(entry)
    return {"type": "record", "name": name, "namespace": _NAMESPACE, "fields": fields}


def avro_schema(type_: LogicalType, *, legacy_timestamps: bool, name: str) -> Any:
    """Returns the schema of a type; for a nullable type a union with null."""
    schema = _of(type_, legacy_timestamps, name)
    return ["null", schema] if type_.nullable else schema


def _of(type_: LogicalType, legacy: bool, name: str) -> Any:
    match type_:
        case CharacterType():
            return "string"
        case BooleanType():
            return "boolean"
        case BinaryStringType():
            return "bytes"
        case DecimalType():
            return {"type": "bytes", "logicalType": "decimal", "precision": type_.precision, "scale": type_.scale}
        case TinyIntType() | SmallIntType() | IntType():
            return "int"
        case BigIntType():
            return "long"
        case FloatType():
            return "float"
        case DoubleType():
            return "double"
        case DateType():
            return {"type": "int", "logicalType": "date"}
        case TimeType() if type_.precision <= 6:
            return {"type": "int", "logicalType": "time-millis"} if type_.precision <= 3 else {"type": "long", "logicalType": "time-micros"}
        case TimestampType() | LocalZonedTimestampType() if type_.precision <= 6:
            unit = "millis" if type_.precision <= 3 else "micros"
            local = "" if legacy or isinstance(type_, LocalZonedTimestampType) else "local-"
            return {"type": "long", "logicalType": f"{local}timestamp-{unit}"}
        case ArrayType():
            return {"type": "array", "items": avro_schema(type_.element_type, legacy_timestamps=legacy, name=name)}
        case MapType() if isinstance(type_.key_type, CharacterType):
            return {"type": "map", "values": avro_schema(type_.value_type, legacy_timestamps=legacy, name=name)}
        case MultisetType() if isinstance(type_.element_type, CharacterType):
            return {"type": "map", "values": "int"}
        case RowType():
            return record_schema(type_, legacy_timestamps=legacy, name=name)
        case _:
            raise TableException(
                f"The format 'avro' does not support values of the type {type_.summary()}.",
                hint="Maps need keys of the type STRING, times and timestamps at most 6 digits.",
            )


def without_logical_types(schema: Any) -> Any:
    """Returns the schema without logical types."""
    if isinstance(schema, Mapping):
        return {key: without_logical_types(value) for key, value in schema.items() if key != "logicalType"}
    if isinstance(schema, list):
        return [without_logical_types(item) for item in schema]
    return schema


def reader_of(schema: Any, type_: LogicalType, names: Mapping[str, Any], where: str) -> Convert | None:
    """Returns the conversion from a physical Avro value to a value for ``pa.array``; None if it needs none.

    Args:
        schema: the schema of the written value.
        names: named schemas, by full and by simple name.
        where: the column, for messages.

    Raises:
        TableException: values of the schema cannot be read as the type.
    """
    schema = resolved_schema(schema, names)
    if isinstance(schema, list):
        branches = [branch for branch in schema if resolved_schema(branch, names) != "null"]
        converters = [reader_of(branch, type_, names, where) for branch in branches]
        if len({id(converter) for converter in converters}) > 1:
            raise _mismatch(schema, type_, where)
        inner = converters[0] if converters else None
        return None if inner is None else _unless_null(inner)
    kind = schema["type"] if isinstance(schema, Mapping) else schema
    logical = schema.get("logicalType") if isinstance(schema, Mapping) else None
    logical = logical if isinstance(logical, str) else None
    arrow_type = to_arrow_type(type_)
    match type_:
        case CharacterType() if kind in ("string", "enum"):
            return None
        case BooleanType() if kind == "boolean":
            return None
        case DecimalType() if logical == "decimal":
            return Unscaled(int(schema.get("scale", 0)), type_)
        case BinaryStringType() if kind in ("bytes", "fixed"):
            return None
        case DateType() if kind == "int":
            return None
        case TimeType() if logical in ("time-millis", "time-micros"):
            per_second = _PER_SECOND[logical.rpartition("-")[2]]
            scaled = _scaled(per_second, _ARROW_PER_SECOND[arrow_type.unit], type_.precision) or Scaled(1, 1)
            return replace(scaled, end=_DAY_SECONDS * per_second)
        case TimestampType() | LocalZonedTimestampType() if logical in _TIMESTAMPS:
            return _scaled(_PER_SECOND[logical.rpartition("-")[2]], _ARROW_PER_SECOND[arrow_type.unit], type_.precision)
        case ArrayType() if kind == "array":
            item = reader_of(schema["items"], type_.element_type, names, where)
            return None if item is None else lambda values: [item(value) for value in values]
        case MapType() | MultisetType() if kind == "map":
            value_type = type_.value_type if isinstance(type_, MapType) else IntType()
            value = reader_of(schema["values"], value_type, names, where)
            if value is None:
                return lambda entries: list(entries.items())
            return lambda entries: [(key, value(item)) for key, item in entries.items()]
        case RowType() if kind == "record":
            return _record_reader(schema, type_, names, where)
        case FloatType() | DoubleType() if kind in ("float", "double", "int", "long"):
            return None
        case _ if pa.types.is_integer(arrow_type) and kind in ("int", "long") and logical not in _NUMBERS_OF_TIME:
            return None
    raise _mismatch(schema, type_, where)


def _record_reader(schema: Mapping[str, Any], type_: RowType, names: Mapping[str, Any], where: str) -> Convert:
    written = {field["name"]: field["type"] for field in schema["fields"]}
    parts = [
        (field.name, reader_of(written[field.name], field.type, names, f"{where}.{field.name}"))
        for field in type_.fields
        if field.name in written
    ]
    parts = [(name, None if convert is None else _unless_null(convert)) for name, convert in parts]
    return lambda record: {name: record[name] if convert is None else convert(record[name]) for name, convert in parts}


def resolved_schema(schema: Any, names: Mapping[str, Any]) -> Any:
    """Resolves a schema that is a name, or that is wrapped in another schema."""
    if isinstance(schema, str) and schema in names:
        return names[schema]
    if isinstance(schema, Mapping) and isinstance(schema["type"], Mapping | list):
        return resolved_schema(schema["type"], names)
    return schema


def _unless_null(convert: Convert) -> Convert:
    if isinstance(convert, Scaled | Unscaled):  # handles NULL itself, and must stay recognizable for the conversion of whole arrays
        return convert
    return lambda value: None if value is None else convert(value)


@dataclass(frozen=True, slots=True)
class Unscaled:
    """Converts big-endian numbers to decimals, rounded half up if they have more digits after the point than the type."""

    written_scale: int
    type: DecimalType

    def __call__(self, value: bytes | None) -> Decimal | None:
        if value is None:
            return None
        number = from_unscaled(int.from_bytes(value, "big", signed=True), self.written_scale)
        return number if self.written_scale <= self.type.scale else rounded(number, self.type.scale)

    def array(self, values: pa.Array) -> pa.Array | None:
        """Converts an array of bytes; None if they must be converted one by one, because a number is long.

        Raises:
            pa.ArrowInvalid: a number is too large for the type.
        """
        from table_runtime.formats.avro.decimals import decimals_of

        decimals = decimals_of(values, self.written_scale)
        if decimals is None or self.written_scale > self.type.scale:
            return None
        return decimals.cast(to_arrow_type(self.type))


@dataclass(frozen=True, slots=True)
class Scaled:
    """Converts ticks to another unit: multiplies by ``factor``, divides by ``divisor``, rounding down, and multiplies by ``step``.

    With ``end`` they are from 0 to before it.
    """

    factor: int
    divisor: int
    end: int | None = None
    step: int = 1

    def __call__(self, value: int | None) -> int | None:
        if value is None:
            return None
        if self.end is not None and not 0 <= value < self.end:
            raise ValueError(f"{value} is not a time of a day")
        return value * self.factor // self.divisor * self.step

    def array(self, values: pa.Array) -> pa.Array:
        """Converts an array of integers.

        Raises:
            pa.ArrowInvalid: a number is too large, or out of range.
        """
        if self.end is not None:
            is_outside = pc.or_(pc.less(values, 0), pc.greater_equal(values, self.end))
            if pc.any(is_outside).as_py():
                raise pa.ArrowInvalid(f"{values.filter(is_outside)[0]} is not a time of a day")
        if self.factor > 1:
            values = pc.multiply_checked(values, self.factor)
        if self.divisor > 1:
            quotient = pc.divide(values, self.divisor)
            # Arrow's division truncates towards zero.
            values = pc.subtract(quotient, pc.less(pc.subtract(values, pc.multiply(quotient, self.divisor)), 0).cast(pa.int64()))
        return values if self.step == 1 else pc.multiply_checked(values, self.step)


def _scaled(written: int, target: int, precision: int | None = None) -> Scaled | None:
    """Returns the conversion of ticks per second; values with more digits than ``precision`` are cut to it."""
    if precision is not None and written > (kept := min(target, 10**precision)):
        return Scaled(1, written // kept, step=target // kept)
    if written == target:
        return None
    return Scaled(target // written, 1) if target > written else Scaled(1, written // target)


def _mismatch(schema: Any, type_: LogicalType, where: str) -> TableException:
    shown = schema.get("logicalType", schema["type"]) if isinstance(schema, Mapping) else schema
    return TableException(f"{where} is written as Avro's {shown}, which cannot be read as {type_.summary()}.")


def encoder_of(type_: LogicalType) -> tuple[Callable[[pa.Array], pa.Array], Convert | None]:
    """Returns the conversion of a column to physical Avro values: a function for the array, then one for each value that is not NULL."""
    arrow_type = to_arrow_type(type_)

    def same(array: pa.Array) -> pa.Array:
        return array

    match type_:
        case DecimalType():
            return same, lambda value: _decimal_bytes(value, type_.scale)
        case DateType():
            return (lambda array: array.view(pa.int32())), None
        case TimeType() | TimestampType() | LocalZonedTimestampType():
            wanted = 10**3 if type_.precision <= 3 else 10**6
            ticks = _ARROW_PER_SECOND[arrow_type.unit]
            integers = pa.int32() if arrow_type.bit_width == 32 else pa.int64()
            return (lambda array: array.view(integers)), _scaled(ticks, wanted)
        case ArrayType():
            return same, _nested(type_)
        case MapType() | MultisetType() | RowType():
            return same, _nested(type_)
        case _:
            return same, None


def _nested(type_: LogicalType) -> Convert:
    """Returns a function that converts Python values of ``to_pylist`` to physical Avro values."""
    from datetime import UTC, date, datetime, time

    epoch = datetime(1970, 1, 1)

    match type_:
        case ArrayType():
            item = _unless_null(_nested(type_.element_type))
            return lambda values: [item(value) for value in values]
        case MapType():
            value = _unless_null(_nested(type_.value_type))
            return lambda pairs: {key: value(item) for key, item in pairs}
        case MultisetType():
            return dict
        case RowType():
            parts = [(field.name, _unless_null(_nested(field.type))) for field in type_.fields]
            return lambda row: {name: convert(row[name]) for name, convert in parts}
        case DecimalType():
            return lambda value: _decimal_bytes(value, type_.scale)
        case DateType():
            return lambda value: value.toordinal() - date(1970, 1, 1).toordinal()
        case TimeType():
            per_second = 10**3 if type_.precision <= 3 else 10**6

            def of_day(value: time) -> int:
                return (value.hour * 3600 + value.minute * 60 + value.second) * per_second + value.microsecond * per_second // 10**6

            return of_day
        case TimestampType() | LocalZonedTimestampType():
            micros = 1000 if type_.precision <= 3 else 1

            def since_epoch(value: datetime) -> int:
                plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo is not None else value
                elapsed = plain - epoch
                return ((elapsed.days * 86_400 + elapsed.seconds) * 10**6 + elapsed.microseconds) // micros

            return since_epoch
        case _:
            return lambda value: value


def _decimal_bytes(value: Decimal, scale: int) -> bytes:
    number = unscaled(value, scale)
    assert number is not None  # values of the column's type fit
    return number.to_bytes((number if number >= 0 else ~number).bit_length() // 8 + 1, "big", signed=True)
