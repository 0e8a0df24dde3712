"""Converts fields of Protocol Buffers messages to columns and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException, TableRuntimeException, ValidationException
from table_common.types import (
    ArrayType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    RowField,
    RowType,
)

Convert = Callable[[Any], Any]


class MessageReader:
    """Reads messages as rows; fields are matched to columns by name."""

    def __init__(self, descriptor: Any, row_type: RowType, *, defaults: bool) -> None:
        self._defaults = defaults
        self._columns = [(field, self._getter(_field(descriptor, field.name), field.type)) for field in row_type.fields]

    def columns(self, messages: Sequence[Any]) -> list[pa.Array]:
        """Returns the columns of the messages.

        Raises:
            TableRuntimeException: an unsigned number does not fit its column.
        """
        return [_column([get(message) for message in messages], field) for field, get in self._columns]

    def _getter(self, field: Any, type_: LogicalType) -> Convert:
        name = field.name
        if _is_map(field):
            if not isinstance(type_, MapType):
                raise _mismatch(field, type_)
            entry = field.message_type.fields_by_name
            key, value = self._value(entry["key"], type_.key_type), self._value(entry["value"], type_.value_type)
            return lambda message: [(key(k), value(v)) for k, v in getattr(message, name).items()]
        if field.is_repeated:
            if not isinstance(type_, ArrayType):
                raise _mismatch(field, type_)
            item = self._value(field, type_.element_type)
            return lambda message: [item(value) for value in getattr(message, name)]
        convert = self._value(field, type_)
        if not field.has_presence or (self._defaults and field.message_type is None):
            return lambda message: convert(getattr(message, name))
        return lambda message: convert(getattr(message, name)) if message.HasField(name) else None

    def _value(self, field: Any, type_: LogicalType) -> Convert:
        if field.message_type is not None:
            if not isinstance(type_, RowType):
                raise _mismatch(field, type_)
            parts = [(part.name, self._getter(_field(field.message_type, part.name), part.type)) for part in type_.fields]
            return lambda message: {name: get(message) for name, get in parts}
        if field.enum_type is not None and isinstance(type_, CharacterType):
            names = {value.number: value.name for value in field.enum_type.values}
            return lambda number: names.get(number, str(number))
        if not _fits(field, type_):
            raise _mismatch(field, type_)
        return _same


class MessageWriter:
    """Writes rows as messages; fields are matched to columns by name, and NULL fields are not set."""

    def __init__(self, message_class: Any, row_type: RowType, *, null_text: str) -> None:
        self._class = message_class
        self._null_text = null_text
        self._fields = [(field.name, self._setter(_field(message_class.DESCRIPTOR, field.name), field.type)) for field in row_type.fields]

    def messages(self, batch: pa.RecordBatch) -> list[bytes]:
        """Returns each row as a message.

        Raises:
            TableRuntimeException: a value does not fit its field.
        """
        columns = [column.to_pylist() for column in batch.columns]
        serialized = []
        for row in zip(*columns, strict=True):
            message = self._class()
            for (name, put), value in zip(self._fields, row, strict=True):
                if value is not None:
                    try:
                        put(message, value)
                    except (ValueError, TypeError, KeyError) as error:
                        raise TableRuntimeException(f"Column '{name}': {value!r} does not fit its Protobuf field: {error}.") from error
            serialized.append(message.SerializeToString())
        return serialized

    def _setter(self, field: Any, type_: LogicalType) -> Callable[[Any, Any], None]:
        name = field.name
        if _is_map(field):
            if not isinstance(type_, MapType):
                raise _mismatch(field, type_)
            entry = field.message_type.fields_by_name
            key = self._plain(entry["key"], type_.key_type)
            if entry["value"].message_type is not None:
                fill = self._filler(entry["value"], type_.value_type)

                def put_messages(message: Any, pairs: Any) -> None:
                    for k, v in pairs:
                        fill(getattr(message, name)[key(k)], v)

                return put_messages
            value = self._plain(entry["value"], type_.value_type)

            def put_pairs(message: Any, pairs: Any) -> None:
                for k, v in pairs:
                    getattr(message, name)[key(k)] = value(v)

            return put_pairs
        if field.is_repeated:
            if not isinstance(type_, ArrayType):
                raise _mismatch(field, type_)
            if field.message_type is not None:
                fill = self._filler(field, type_.element_type)

                def add(message: Any, values: Any) -> None:
                    for v in values:
                        fill(getattr(message, name).add(), v)

                return add
            item = self._plain(field, type_.element_type)
            return lambda message, values: getattr(message, name).extend(item(v) for v in values)
        if field.message_type is not None:
            fill = self._filler(field, type_)

            def put_message(message: Any, value: Any) -> None:
                getattr(message, name).SetInParent()
                fill(getattr(message, name), value)

            return put_message
        convert = self._plain(field, type_)
        return lambda message, value: setattr(message, name, convert(value))

    def _filler(self, field: Any, type_: LogicalType) -> Callable[[Any, Any], None]:
        if not isinstance(type_, RowType):
            raise _mismatch(field, type_)
        parts = [(part.name, self._setter(_field(field.message_type, part.name), part.type)) for part in type_.fields]

        def fill(message: Any, row: Any) -> None:
            for name, put in parts:
                if row is not None and row[name] is not None:
                    put(message, row[name])

        return fill

    def _plain(self, field: Any, type_: LogicalType) -> Convert:
        """Returns the conversion of a value; NULL in arrays and maps, where messages do not support it, becomes the type's default."""
        if field.enum_type is not None and isinstance(type_, CharacterType):
            numbers = {value.name: value.number for value in field.enum_type.values}
            return lambda name: numbers[name] if name is not None else 0
        if not _fits(field, type_):
            raise _mismatch(field, type_)
        missing: Any = self._null_text if isinstance(type_, CharacterType) else b"" if isinstance(type_, BinaryStringType) else 0
        return lambda value: missing if value is None else value


def _column(values: list[Any], field: RowField) -> pa.Array:
    try:
        return pa.array(values, type=to_arrow_type(field.type))
    except (pa.ArrowInvalid, OverflowError) as error:
        # Differs from Flink: protobuf's uint32 and uint64 that are too large for INT and BIGINT are an error, not negative numbers.
        raise TableRuntimeException(
            f"Column '{field.name}': a value of its Protobuf field does not fit {field.type.summary()}: {error}.",
            hint="A field of the type uint32 or fixed32 fits BIGINT.",
        ) from error


def _same(value: Any) -> Any:
    return value


def _field(descriptor: Any, name: str) -> Any:
    field = descriptor.fields_by_name.get(name)
    if field is None:
        raise ValidationException.unknown(
            "Column", name, sorted(descriptor.fields_by_name), where=f"the Protobuf message type '{descriptor.full_name}'"
        )
    return field


def _is_map(field: Any) -> bool:
    return bool(field.is_repeated and field.message_type is not None and field.message_type.GetOptions().map_entry)


def _fits(field: Any, type_: LogicalType) -> bool:
    kinds = {
        field.CPPTYPE_STRING: BinaryStringType if field.type == field.TYPE_BYTES else CharacterType,
        field.CPPTYPE_BOOL: BooleanType,
        field.CPPTYPE_FLOAT: FloatType | DoubleType,
        field.CPPTYPE_DOUBLE: DoubleType,
    }
    expected = kinds.get(field.cpp_type)
    if expected is not None:
        return isinstance(type_, expected)
    arrow_type = to_arrow_type(type_)
    if not pa.types.is_integer(arrow_type):
        return False
    wide = field.cpp_type in (field.CPPTYPE_INT64, field.CPPTYPE_UINT64)
    return bool(arrow_type.bit_width >= (64 if wide else 32))


def _mismatch(field: Any, type_: LogicalType) -> TableException:
    kind = field.message_type or field.enum_type
    named = kind.full_name if kind is not None else _TYPE_NAMES.get(field.type, f"type {field.type}")
    written = f"repeated {named}" if field.is_repeated else named
    return TableException(f"Column '{field.name}' is {type_.summary()}, but the Protobuf field is {written}.")


_TYPE_NAMES = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32", 8: "bool", 9: "string", 12: "bytes",
    13: "uint32", 14: "enum", 15: "sfixed32", 16: "sfixed64", 17: "sint32", 18: "sint64",
}  # fmt: skip
