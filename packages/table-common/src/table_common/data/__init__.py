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

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .array: GenericArrayData
    .converters: DataStructureConverter RuntimeConverter
    .decimal: DecimalData
    .field_getter: FieldGetter
    .generic_row: GenericRowData
    .map: GenericMapData
    .nanoseconds: NanosecondDatetime NanosecondTime NanosecondTimedelta datetime_of time_of
    .raw: RawValueData
    .result_row: ArgumentRow ResultRow
    .row: Row
    .row_data: ArrayData MapData RowData
    .row_kind: RowKind
    .serializer: PickleSerializer TypeSerializer
    .string: StringData
    .temporal_nanos: nanos_of_day nanos_of_duration nanos_since_epoch nanosecond_of
    .time_interval: IntervalData TimeData interval_precision
    .timestamp: TimestampData
    """,
)
