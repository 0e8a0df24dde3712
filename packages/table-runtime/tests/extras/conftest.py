"""Batches of all types, and messages through a format and back."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from table_common.arrow import to_arrow_schema
from table_common.configuration import ReadableConfig
from table_common.types import RowType, parse_logical_type

COLUMNS = {
    "id": "INT NOT NULL",
    "s": "STRING",
    "b": "BYTES",
    "n": "DECIMAL(20, 3)",
    "d": "DATE",
    "t": "TIME(3)",
    "ts": "TIMESTAMP(3)",
    "tu": "TIMESTAMP(6)",
    "tz": "TIMESTAMP_LTZ(3)",
    "l": "ARRAY<INT>",
    "m": "MAP<STRING, DOUBLE>",
    "r": "ROW<a INT, b DECIMAL(5, 2), e DATE, f TIMESTAMP(3)>",
    "f": "FLOAT",
    "g": "DOUBLE",
    "o": "BOOLEAN",
    "y": "TINYINT",
    "z": "BIGINT",
    "ms": "MULTISET<STRING>",
}
ROW = (
    1,
    "x",
    b"ab",
    Decimal("-12.345"),
    date(2020, 2, 29),
    time(12, 34, 56, 789_000),
    datetime(2020, 1, 2, 3, 4, 5, 678_000),
    datetime(2020, 1, 2, 3, 4, 5, 678_901),
    datetime(2020, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC),
    [1, None],
    [("k", 1.5)],
    {"a": 1, "b": Decimal("1.50"), "e": date(1969, 12, 31), "f": datetime(1969, 12, 31, 23, 59, 59, 999_000)},
    1.5,
    2.5,
    True,
    -3,
    2**40,
    [("a", 2)],
)
NULLS = (2, *(None for _ in list(COLUMNS)[1:]))


class Batches:
    """Rows as batches, and through formats."""

    columns = COLUMNS
    rows = (ROW, NULLS)

    def row_type(self, columns: dict[str, str]) -> RowType:
        return RowType.of([(name, parse_logical_type(text)) for name, text in columns.items()], nullable=False)

    def batch(self, columns: dict[str, str], rows: Any) -> pa.RecordBatch:
        schema = to_arrow_schema(self.row_type(columns))
        return pa.RecordBatch.from_arrays([pa.array([row[i] for row in rows], type=f.type) for i, f in enumerate(schema)], schema=schema)

    def encode(self, factory: Any, columns: dict[str, str], rows: Any, **options: str) -> pa.Array:
        config = self.config(options)
        return factory.create_encoding_format(config).create_runtime_encoder(self.row_type(columns)).encode(self.batch(columns, rows))

    def decoder(self, factory: Any, columns: dict[str, str], **options: str) -> Any:
        decoder = factory.create_decoding_format(self.config(options)).create_runtime_decoder(self.row_type(columns))
        decoder.open()
        return decoder

    def config(self, options: dict[str, str]) -> ReadableConfig:
        return ReadableConfig({key.replace("_", "-"): value for key, value in options.items()})


@pytest.fixture
def batches() -> Batches:
    return Batches()
