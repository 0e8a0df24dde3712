"""Schemas of data streams: the metadata column ``rowtime``, ``SOURCE_WATERMARK()`` and the key of a changelog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from table_api.expressions import Expression, col
from table_api.udf import udf
from table_common.annotation import override
from table_common.catalog import Schema, UnresolvedColumn
from table_common.data import Row, RowKind
from table_common.exceptions import TableRuntimeException, ValidationException
from table_common.frozen_dataclass import replace
from table_common.functions import ScalarFunction
from table_common.types import DataType, LocalZonedTimestampType, TimestampType, parse_logical_type

_ROWTIME = "rowtime"
"""The one metadata key of a stream: the times of its elements."""


def with_times_computed(schema: Schema, timestamp_column: str | None) -> Schema:
    """Returns the schema with computed columns for its metadata columns.

    Args:
        schema: The declared schema.
        timestamp_column: The column of the stream with the times of the elements; without it, elements have none, and reading them is an error.

    Raises:
        ValidationException: A metadata column has another key than ``rowtime``, or is of another type than a time.
    """
    columns = [
        UnresolvedColumn(column.name, expression=_rowtime(column, timestamp_column), comment=column.comment)
        if column.is_metadata
        else column
        for column in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


class _NoTimes(ScalarFunction):
    """The times of a stream whose elements have none. As in Flink, only reading them fails, so that programs can print the schema."""

    @override
    def is_deterministic(self) -> bool:
        return False

    def eval(self) -> Any:
        raise TableRuntimeException(
            f"The metadata column '{_ROWTIME}' has no value: the elements of the stream have no times.",
            hint="compute the time from a column: column_by_expression('ts', …) and watermark('ts', …)",
        )


def _rowtime(column: UnresolvedColumn, timestamp_column: str | None) -> Expression:
    key = column.metadata_key or column.name
    if key != _ROWTIME:
        raise ValidationException.unknown("Metadata key", key, [_ROWTIME], where=f"the column '{column.name}' of a stream")
    type_ = column.data_type
    if isinstance(type_, str):
        type_ = parse_logical_type(type_)
    if not isinstance(type_, (LocalZonedTimestampType, TimestampType)):
        raise ValidationException(
            f"The metadata column '{column.name}' is {type_}, but the times of a stream are TIMESTAMP_LTZ(3).",
            hint=f"column_by_metadata('{column.name}', 'TIMESTAMP_LTZ(3)')",
        )
    if timestamp_column is None:
        times: Expression = udf(_NoTimes(), result_type=DataType(type_), name=_ROWTIME)()
        return times
    return col(timestamp_column).cast(DataType(type_))


def changes_of_upserts(changes: Iterable[Row], key: Sequence[int]) -> Iterator[Row]:
    """Yields the changes of the table that upserts make: both images of each update, and whole rows where a deletion has its key only.

    Source: Flink's ``ChangelogNormalize``.
    """
    last: dict[Any, tuple[Any, ...]] = {}
    for change in changes:
        values = tuple(change)
        identity = repr([values[position] for position in key])  # values may have no hash
        before = last.get(identity)
        if change.get_row_kind() in (RowKind.DELETE, RowKind.UPDATE_BEFORE):
            if before is not None:
                del last[identity]
                yield Row.of_kind(RowKind.DELETE, *before)
            continue
        last[identity] = values
        if before is None:
            yield Row.of_kind(RowKind.INSERT, *values)
        elif repr(before) != repr(values):
            yield Row.of_kind(RowKind.UPDATE_BEFORE, *before)
            yield Row.of_kind(RowKind.UPDATE_AFTER, *values)
