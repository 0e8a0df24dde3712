"""Columns that are time attributes."""

from __future__ import annotations

from collections.abc import Container

from table_common.catalog import Column, PhysicalColumn, ResolvedSchema
from table_common.types import TimestampKind, is_time_attribute, plain_timestamp, timestamp_kind


def without_time_attributes(schema: ResolvedSchema, kept: Container[TimestampKind] = ()) -> ResolvedSchema:
    """Returns the schema with plain timestamps instead of time attributes, except those of the kinds in ``kept``."""
    if all(_stays(column, kept) for column in schema.columns):
        return schema
    return ResolvedSchema(
        tuple(
            column if _stays(column, kept) else PhysicalColumn(column.name, plain_timestamp(column.data_type)) for column in schema.columns
        )
    )


def _stays(column: Column, kept: Container[TimestampKind]) -> bool:
    return not is_time_attribute(column.data_type) or timestamp_kind(column.data_type) in kept
