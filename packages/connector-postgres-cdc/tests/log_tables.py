"""A table of texts, and a decoder of its changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from connector_jdbc import PostgresColumn
from connector_postgres_cdc.log_decoder import LogDecoder
from connector_postgres_cdc.offsets import Copied
from connector_postgres_cdc.rows import METADATA, CapturedTable, RowShape
from table_common.types import RowField, RowType, VarCharType

NAMES = ("id", "s")
END = 1 << 40
KINDS = ("+I", "-U", "+U", "-D")


def captured(name: str = "t", key: str | None = "id") -> CapturedTable:
    columns = {column: PostgresColumn(column, "text", "b", "text") for column in NAMES}
    return CapturedTable(16400, "public", name, columns, key, dict.fromkeys(NAMES, (25, -1)), is_full=True)


def decoder(
    *,
    upsert: bool = False,
    copied: Mapping[str, Sequence[Copied]] | None = None,
    metadata: Sequence[str] = (),
    tables: Sequence[str] = ("t",),
    **options: Any,
) -> LogDecoder:
    fields = tuple(RowField(name, VarCharType()) for name in NAMES)
    produced = RowType((*fields, *(RowField(key, METADATA[key]) for key in metadata)), nullable=False)
    shape = RowShape(produced, tuple(metadata), fields[:1], upsert, "shop")
    return LogDecoder([captured(name) for name in tables], shape, copied or {}, lambda table, relation: None, **options)


def decoded(decoder: LogDecoder, data: pa.Array, start: int = 0, end: int = END) -> list[tuple[Any, ...]]:
    """Returns the rows, which begin with their kinds."""
    found = []
    for batch in decoder.rows(data, start, end):
        *columns, kinds = (column.to_pylist() for column in batch.columns)
        found += [(KINDS[kind], *values) for kind, *values in zip(kinds, *columns, strict=True)]
    return found
