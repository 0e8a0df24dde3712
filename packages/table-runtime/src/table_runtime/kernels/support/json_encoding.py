"""Encodes SQL values as JSON text, according to their type."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

from table_common.data import datetime_of, time_of
from table_common.types import (
    ArrayType,
    LogicalType,
    MapType,
    MultisetType,
    PrecisionTimeType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    VariantType,
)
from table_runtime.kernels.support.json_text import float_text, quote, write

_Encoder = Callable[[Any], str]
_EPOCH = datetime(1970, 1, 1)
_MICROSECONDS = 6


def json_encoder(logical_type: LogicalType) -> _Encoder:
    """Returns a function that encodes a value of ``to_plain(…).to_pylist()`` as JSON; None becomes ``null``."""
    encode = _encoder(logical_type)
    return lambda value: "null" if value is None else encode(value)


def _encoder(logical_type: LogicalType) -> _Encoder:
    match logical_type:
        case VariantType():
            return str
        case ArrayType():
            element = json_encoder(logical_type.element_type)
            return lambda value: f"[{','.join(map(element, value))}]"
        case MapType():
            item, text = json_encoder(logical_type.value_type), _key_text(logical_type.key_type)
            return lambda value: f"{{{','.join(f'{quote(text(key))}:{item(entry)}' for key, entry in value)}}}"
        case MultisetType():
            text = _key_text(logical_type.element_type)
            return lambda value: f"{{{','.join(f'{quote(text(key))}:{count}' for key, count in value)}}}"
        case RowType() | StructuredType():
            fields = [
                (f"{quote(name)}:", json_encoder(type_))
                for name, type_ in zip(logical_type.field_names, logical_type.field_types, strict=True)
            ]
            return lambda value: (
                f"{{{','.join(label + encode(item) for (label, encode), item in zip(fields, value.values(), strict=True))}}}"
            )
        case PrecisionTimeType() if logical_type.precision > _MICROSECONDS:
            return lambda value: _moment(_of_nanos(value, logical_type))
        case PrecisionTimeType():
            return _moment
        case _:
            return _plain


def _key_text(key_type: LogicalType) -> _Encoder:
    if isinstance(key_type, PrecisionTimeType) and key_type.precision > _MICROSECONDS:
        return lambda key: str(_of_nanos(key, key_type))
    return str


def _of_nanos(nanos: int, type_: PrecisionTimeType) -> datetime | time:
    moment = _EPOCH + timedelta(microseconds=nanos // 1000)
    if isinstance(type_, TimeType):
        return time_of(moment.time(), nanos % 1000)
    return datetime_of(moment if isinstance(type_, TimestampType) else moment.replace(tzinfo=UTC), nanos % 1000)


def _moment(value: Any) -> str:
    if isinstance(value, datetime):
        suffix = "" if value.tzinfo is None else "Z"
        text = value.replace(tzinfo=None).isoformat(sep="T")
        return quote((text.rstrip("0") if "." in text else text) + suffix)
    return quote(str(value))


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return float_text(value)
    return quote(base64.b64encode(value).decode("ascii")) if isinstance(value, bytes) else write(value)
