"""What functions of pandas take and return: columns as ``pandas.Series``, and single values in the classes of pandas and NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.data import Row
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import (
    ArrayType,
    BigIntType,
    BooleanType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    SmallIntType,
    TinyIntType,
)

_EXACT = 2**53
"""Floats are exact for all integers up to this one."""
_INTEGERS = (TinyIntType, SmallIntType, IntType, BigIntType)


def as_pandas(column: pa.Array, where: str) -> Any:
    """Returns a column as a ``pandas.Series``, rows as a ``pandas.DataFrame``.

    Args:
        column: the column. A NULL among rows becomes a row of NULLs, and integers become floats if there is a NULL among them.
        where: what the column is, for messages.

    Raises:
        TableException: pandas is not installed.
        TableRuntimeException: a number would become another one, because floats are not exact for it.
    """
    _require_exact(column, where)
    try:
        return pa.RecordBatch.from_struct_array(column).to_pandas() if pa.types.is_struct(column.type) else column.to_pandas()
    except (ImportError, ModuleNotFoundError) as error:
        raise TableException(
            "A function of the type 'pandas' needs pandas.",
            hint="pip install 'table-runtime[pandas]'; func_type='arrow' does not need it.",
        ) from error


def _require_exact(column: pa.Array, where: str) -> None:
    # Differs from Flink: integers that a float cannot hold exactly are an error for a pandas function if the column has a NULL. PyFlink
    # passes the nearest floats.
    if pa.types.is_struct(column.type):
        for child in column.flatten():
            _require_exact(child, where)
    elif pa.types.is_list(column.type):
        _require_exact(column.flatten(), where)
    elif pa.types.is_int64(column.type) and column.null_count:
        ends = pc.min_max(column).as_py()
        for number in (ends["min"], ends["max"]):
            if number is not None and abs(number) > _EXACT:
                raise TableRuntimeException(
                    f"The {where} has NULLs, so pandas stores its numbers as floats, which are exact up to 2^53: {number} would change.",
                    hint="Remove the NULLs (COALESCE, IS NOT NULL), or declare func_type='arrow', whose columns are exact.",
                )


def value_of_pandas(value: Any, type_: LogicalType) -> Any:
    """Returns a value that a function of pandas made as Python's value of the type, if that changes nothing; other values unchanged.

    NaN, ``NaT`` and ``NA`` are NULL. Whole floats and booleans are integers, and 0 and 1 are booleans, where these are declared.
    """
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return None
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 0) == 0 and value.dtype.kind in "biuf":
        value = value.item()
    match type_:
        case ArrayType(element_type=element) if isinstance(value, list) or hasattr(value, "tolist"):
            return [value_of_pandas(one, element) for one in value]
        case RowType() if isinstance(value, Row) and len(value) == len(type_.fields):
            names = value.get_field_names()
            types = {field.name: field.type for field in type_.fields}
            given = [types.get(name) for name in names] if names else list(types.values())
            made = [one if of is None else value_of_pandas(one, of) for one, of in zip(value, given, strict=True)]
            return Row.of_names(names, made, value.get_row_kind())
        case RowType() if isinstance(value, tuple) and len(value) == len(type_.fields):
            return tuple(value_of_pandas(one, field.type) for one, field in zip(value, type_.fields, strict=True))
        case RowType() if isinstance(value, Mapping):
            types = {field.name: field.type for field in type_.fields}
            return {name: value_of_pandas(one, types[name]) if name in types else one for name, one in value.items()}
        case MapType(key_type=key, value_type=of) if isinstance(value, (Mapping, list)):
            return {value_of_pandas(one, key): value_of_pandas(item, of) for one, item in _pairs(value)}
        case MultisetType(element_type=element) if isinstance(value, (Mapping, list)):
            return {value_of_pandas(one, element): count for one, count in _pairs(value)}
        case _:
            return _plain(value, type_)


def _pairs(value: Any) -> Any:
    """Returns the pairs of a map, which pandas has as a list of them."""
    return value.items() if isinstance(value, Mapping) else value


def _plain(value: Any, type_: LogicalType) -> Any:
    if isinstance(value, float):
        if value != value:
            return None
        if isinstance(type_, _INTEGERS) and value.is_integer():
            return int(value)
    elif isinstance(value, bool):
        if isinstance(type_, _INTEGERS):
            return int(value)
    elif isinstance(value, int) and isinstance(type_, BooleanType) and value in (0, 1):
        return bool(value)
    return value


def rows_of_pandas(result: Sequence[Any], type_: LogicalType) -> list[Any]:
    """Returns the values of a column of Python objects as Python's values of the type."""
    return [value_of_pandas(value, type_) for value in result]
