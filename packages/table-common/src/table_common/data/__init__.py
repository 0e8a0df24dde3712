"""Rows and values: external (``Row``) for programs, and internal structures (``RowData`` and its values) for engines, formats and connectors.

The internal structure of each type, which is FLIP-95's:

| type | internal structure | getter |
|---|---|---|
| BOOLEAN | bool | get_boolean |
| TINYINT, SMALLINT, INT, BIGINT | int | get_byte, get_short, get_int, get_long |
| FLOAT, DOUBLE | float (a FLOAT's fits into 32 bits) | get_float, get_double |
| DECIMAL(p, s) | ``DecimalData``, compact for p ≤ 18 | get_decimal |
| CHAR, VARCHAR, STRING | ``StringData`` | get_string |
| BINARY, VARBINARY, BYTES | bytes | get_binary |
| DATE | int: days since 1970-01-01 | get_int |
| TIME(p), p ≤ 3 | int: milliseconds of the day | get_int, get_time |
| TIME(p), p > 3 | ``TimeData`` | get_time |
| TIMESTAMP(p), TIMESTAMP_LTZ(p) | ``TimestampData``, compact for p ≤ 3 | get_timestamp |
| INTERVAL of years and months | int: months | get_int |
| INTERVAL of days to seconds, p ≤ 3 | int: milliseconds | get_long, get_interval |
| the same, p > 3 (or no seconds: p = 6) | ``IntervalData`` | get_interval |
| ARRAY | ``ArrayData`` | get_array |
| MAP, MULTISET | ``MapData``; of a multiset from element to count | get_map |
| ROW, structured | ``RowData`` | get_row |
| RAW | ``RawValueData`` | get_raw_value, get_generic |
| VARIANT | ``StringData``: JSON text | get_string |
| BITMAP | bytes | get_binary |
| DISTINCT | that of its source type | that of its source type |
| NULL, and NULL of every type | None | is_null_at |

Symbols, descriptors and TIMESTAMP WITH TIME ZONE have no values in rows. Views over Arrow data are in ``table_common.arrow``; nothing here
needs pyarrow. Which Python classes programs may use for each type is in ``table_common.types.conversion``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.data.array import GenericArrayData
    from table_common.data.converters import DataStructureConverter, RuntimeConverter
    from table_common.data.decimal import DecimalData
    from table_common.data.field_getter import FieldGetter
    from table_common.data.generic_row import GenericRowData
    from table_common.data.map import GenericMapData
    from table_common.data.nanoseconds import NanosecondDatetime, NanosecondTime, NanosecondTimedelta, datetime_of, time_of
    from table_common.data.raw import RawValueData
    from table_common.data.result_row import ArgumentRow, ResultRow
    from table_common.data.row import Row
    from table_common.data.row_data import ArrayData, MapData, RowData
    from table_common.data.row_kind import RowKind
    from table_common.data.serializer import PickleSerializer, TypeSerializer
    from table_common.data.string import StringData
    from table_common.data.temporal_nanos import nanos_of_day, nanos_of_duration, nanos_since_epoch, nanosecond_of
    from table_common.data.time_interval import IntervalData, TimeData, interval_precision
    from table_common.data.timestamp import TimestampData

__all__ = [
    "ArgumentRow",
    "ArrayData",
    "DataStructureConverter",
    "DecimalData",
    "FieldGetter",
    "GenericArrayData",
    "GenericMapData",
    "GenericRowData",
    "IntervalData",
    "MapData",
    "NanosecondDatetime",
    "NanosecondTime",
    "NanosecondTimedelta",
    "PickleSerializer",
    "RawValueData",
    "ResultRow",
    "Row",
    "RowData",
    "RowKind",
    "RuntimeConverter",
    "StringData",
    "TimeData",
    "TimestampData",
    "TypeSerializer",
    "datetime_of",
    "interval_precision",
    "nanos_of_day",
    "nanos_of_duration",
    "nanos_since_epoch",
    "nanosecond_of",
    "time_of",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.data.row_kind": ("RowKind",),
        "table_common.data.array": ("GenericArrayData",),
        "table_common.data.converters": ("DataStructureConverter", "RuntimeConverter"),
        "table_common.data.decimal": ("DecimalData",),
        "table_common.data.field_getter": ("FieldGetter",),
        "table_common.data.generic_row": ("GenericRowData",),
        "table_common.data.map": ("GenericMapData",),
        "table_common.data.nanoseconds": ("NanosecondDatetime", "NanosecondTime", "NanosecondTimedelta", "datetime_of", "time_of"),
        "table_common.data.raw": ("RawValueData",),
        "table_common.data.result_row": ("ArgumentRow", "ResultRow"),
        "table_common.data.row": ("Row",),
        "table_common.data.row_data": ("ArrayData", "MapData", "RowData"),
        "table_common.data.serializer": ("PickleSerializer", "TypeSerializer"),
        "table_common.data.string": ("StringData",),
        "table_common.data.temporal_nanos": ("nanos_of_day", "nanos_of_duration", "nanos_since_epoch", "nanosecond_of"),
        "table_common.data.time_interval": ("IntervalData", "TimeData", "interval_precision"),
        "table_common.data.timestamp": ("TimestampData",),
    },
)
