"""Type names of other systems, for hints in errors."""

from __future__ import annotations

FOREIGN_TYPE_NAMES = {
    "BOOL": "BOOLEAN",
    "BYTE": "TINYINT",
    "SHORT": "SMALLINT",
    "LONG": "BIGINT",
    "INT8": "TINYINT",
    "INT16": "SMALLINT",
    "INT32": "INT",
    "INT64": "BIGINT",
    "FLOAT32": "FLOAT",
    "REAL": "FLOAT",
    "FLOAT64": "DOUBLE",
    "TEXT": "STRING",
    "STR": "STRING",
    "BLOB": "BYTES",
    "DATETIME": "TIMESTAMP",
    "TIMESTAMPTZ": "TIMESTAMP_LTZ",
    "TIMESTAMP_NTZ": "TIMESTAMP",
    "LIST": "ARRAY",
    "STRUCT": "ROW",
    "JSON": "VARIANT",
}
"""The foreign name, in capitals, to the name of the SQL type."""
