"""Represents nanosecond types as BIGINT, so that Python can read the values without pandas.

Arrow's ``to_pylist`` and ``as_py`` fail for digits below microseconds, or return pandas objects if pandas is installed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.types as pat

from table_common.arrow import compute as pc


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Returns the schema with BIGINT in place of nanosecond types, also nested; casts are lossless in both directions."""
    return pa.schema([field.with_type(_plain(field.type)) for field in schema])


def to_plain(value: Any) -> Any:
    """Returns an array or scalar with BIGINT in place of nanosecond types, at any depth; the same object if there are none."""
    return pc.cast(value, _plain(value.type)) if counts_nanoseconds(value.type) else value


def from_plain(values: list[Any], arrow_type: pa.DataType) -> pa.Array:
    """Returns the array of the values of ``to_plain(…).to_pylist()``."""
    if counts_nanoseconds(arrow_type):
        return pc.cast(pa.array(values, _plain(arrow_type)), arrow_type)
    return pa.array(values, arrow_type)


def hashable_values(array: pa.Array) -> list[Any]:
    """Returns the values as keys of a dictionary: nested values as tuples, nanoseconds as integers."""
    values: list[Any] = to_plain(array).to_pylist()
    return list(map(_hashable, values)) if pat.is_nested(array.type) else values


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(map(_hashable, value.values()))
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


@lru_cache(256)
def counts_nanoseconds(type_: pa.DataType) -> bool:
    """Returns whether the type is a nanosecond type or contains one."""
    if pat.is_nested(type_):
        return any(counts_nanoseconds(type_.field(index).type) for index in range(type_.num_fields))
    return pat.is_temporal(type_) and getattr(type_, "unit", None) == "ns"


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
