"""The units of timestamps in data frames."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from table_common.types import LocalZonedTimestampType, LogicalType, TimestampType


def in_units_of_precision(table: pa.Table, types: Sequence[LogicalType]) -> pa.Table:
    """Returns a table whose timestamps are in the unit of their precision, as in PyFlink's data frames.

    Canonical Arrow data has microseconds up to a precision of 6. No value changes: a value has no more digits than its precision.

    Example:
        >>> import pyarrow as pa
        >>> from table_common.types import TimestampType
        >>> table = pa.table({"at": pa.array([0], pa.timestamp("us"))})
        >>> in_units_of_precision(table, [TimestampType(3)]).schema.field("at").type
        TimestampType(timestamp[ms])
    """
    for position, type_ in enumerate(types):
        if not isinstance(type_, (TimestampType, LocalZonedTimestampType)):
            continue
        unit = "s" if type_.precision == 0 else "ms" if type_.precision <= 3 else "us" if type_.precision <= 6 else "ns"
        field = table.schema.field(position)
        if pa.types.is_timestamp(field.type) and field.type.unit != unit:
            values = table.column(position).cast(pa.timestamp(unit, field.type.tz))
            table = table.set_column(position, field.with_type(values.type), values)
    return table
