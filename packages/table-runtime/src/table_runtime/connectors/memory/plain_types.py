"""Types whose values Python can hold without pandas: nanoseconds as whole numbers."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as pat

__all__ = ["plain_schema"]


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Returns the schema with BIGINT for what counts nanoseconds, also inside of rows, arrays and maps; casts go both ways without loss."""
    return pa.schema([field.with_type(_plain(field.type)) for field in schema])


def _plain(type_: pa.DataType) -> pa.DataType:
    if pat.is_temporal(type_) and getattr(type_, "unit", None) == "ns":
        return pa.int64()
    if pat.is_struct(type_):
        return pa.struct([field.with_type(_plain(field.type)) for field in type_])
    if pat.is_map(type_):
        return pa.map_(type_.key_field.with_type(_plain(type_.key_type)), type_.item_field.with_type(_plain(type_.item_type)))
    if pat.is_list(type_):
        return pa.list_(type_.value_field.with_type(_plain(type_.value_type)))
    return type_
