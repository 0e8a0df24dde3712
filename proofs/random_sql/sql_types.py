"""The types of random columns: their names in both dialects, and their Arrow type."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

INTS = ("TINYINT", "SMALLINT", "INT", "BIGINT")


@dataclass(frozen=True)
class SqlType:
    """A type; ``kind`` says which expressions take it: bool, int, dec, float, str, bytes, date, time, ts, list or row."""

    kind: str
    name: str
    duck: str
    arrow: pa.DataType
    precision: int = 0
    scale: int = 0

    @property
    def is_number(self) -> bool:
        """Whether arithmetic takes it."""
        return self.kind in ("int", "dec", "float")

    def __repr__(self) -> str:
        return self.name


BOOLEAN = SqlType("bool", "BOOLEAN", "BOOLEAN", pa.bool_())
TINYINT = SqlType("int", "TINYINT", "TINYINT", pa.int8(), 3)
SMALLINT = SqlType("int", "SMALLINT", "SMALLINT", pa.int16(), 5)
INT = SqlType("int", "INT", "INTEGER", pa.int32(), 10)
BIGINT = SqlType("int", "BIGINT", "BIGINT", pa.int64(), 19)
FLOAT = SqlType("float", "FLOAT", "FLOAT", pa.float32())
DOUBLE = SqlType("float", "DOUBLE", "DOUBLE", pa.float64())
STRING = SqlType("str", "STRING", "VARCHAR", pa.string())
BYTES = SqlType("bytes", "BYTES", "BLOB", pa.binary())
DATE = SqlType("date", "DATE", "DATE", pa.date32())
TIME = SqlType("time", "TIME(0)", "TIME", pa.time32("s"))
TIMESTAMP_3 = SqlType("ts", "TIMESTAMP(3)", "TIMESTAMP", pa.timestamp("ms"), 3)
TIMESTAMP_6 = SqlType("ts", "TIMESTAMP(6)", "TIMESTAMP", pa.timestamp("us"), 6)
INT_LIST = SqlType("list", "ARRAY<INT>", "INTEGER[]", pa.list_(pa.int32()))
ROW = SqlType("row", "ROW<x INT, y STRING>", "STRUCT(x INTEGER, y VARCHAR)", pa.struct([("x", pa.int32()), ("y", pa.string())]))


def decimal(precision: int, scale: int) -> SqlType:
    """Returns DECIMAL(precision, scale)."""
    text = f"DECIMAL({precision}, {scale})"
    return SqlType("dec", text, text, pa.decimal128(precision, scale), precision, scale)


DECIMALS = (decimal(5, 2), decimal(9, 0), decimal(18, 6), decimal(38, 10))
COLUMN_TYPES = (
    *(BOOLEAN, TINYINT, SMALLINT, INT, INT, BIGINT, BIGINT, FLOAT, DOUBLE, DOUBLE, *DECIMALS),
    *(STRING, STRING, STRING, BYTES, DATE, DATE, TIME, TIMESTAMP_3, TIMESTAMP_6, INT_LIST, ROW),
)
"""What a column may be; what is here twice is chosen more often."""

COMPARABLE = ("bool", "int", "dec", "float", "str", "bytes", "date", "time", "ts")


def wider(left: SqlType, right: SqlType) -> SqlType:
    """Returns the type of the sum of two integers, as Flink has it."""
    return max(left, right, key=lambda one: one.precision)


def common_decimal(left: SqlType, right: SqlType) -> SqlType | None:
    """Returns the decimal that holds both exact numbers, None if none does."""
    scale = max(left.scale, right.scale)
    precision = scale + max(left.precision - left.scale, right.precision - right.scale)
    return decimal(precision, scale) if precision <= 38 else None
