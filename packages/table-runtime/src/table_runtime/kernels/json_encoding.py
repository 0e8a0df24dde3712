"""SQL values as JSON text, by their type."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import datetime
from typing import Any

from table_common.types import (
    ArrayType,
    LogicalType,
    MapType,
    MultisetType,
    PrecisionTimeType,
    RowType,
    StructuredType,
    VariantType,
)
from table_runtime.kernels.json_text import float_text, quote, write

__all__ = ["json_encoder"]

_Encoder = Callable[[Any], str]


def json_encoder(logical_type: LogicalType) -> _Encoder:
    """Returns the function that writes a value, as ``to_pylist`` gives it, as JSON; None becomes ``null``."""
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
            item = json_encoder(logical_type.value_type)
            return lambda value: f"{{{','.join(f'{quote(str(key))}:{item(entry)}' for key, entry in value)}}}"
        case MultisetType():
            return lambda value: f"{{{','.join(f'{quote(str(key))}:{count}' for key, count in value)}}}"
        case RowType() | StructuredType():
            fields = [
                (f"{quote(name)}:", json_encoder(type_))
                for name, type_ in zip(logical_type.field_names, logical_type.field_types, strict=True)
            ]
            return lambda value: (
                f"{{{','.join(label + encode(item) for (label, encode), item in zip(fields, value.values(), strict=True))}}}"
            )
        case PrecisionTimeType():
            return _moment
        case _:
            return _plain


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
