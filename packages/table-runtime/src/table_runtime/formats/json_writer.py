"""Writes rows as JSON lines."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import (
    ArrayType,
    BooleanType,
    CharacterType,
    DecimalType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
)
from table_runtime.formats.file_format import FileWriter
from table_runtime.formats.text_values import to_text

__all__ = ["JsonWriter"]

_Encode = Callable[[pa.Array], list[Any]]


class JsonWriter(FileWriter):
    """One object a line."""

    def __init__(
        self, path: Path, row_type: RowType, *, standard: str, null_key_mode: str, null_key: str, ignore_null_fields: bool
    ) -> None:
        self._standard = standard
        self._null_key_mode = null_key_mode
        self._null_key = null_key
        self._ignore_null_fields = ignore_null_fields
        self._encode = self._row_encoder(row_type)
        self._file = path.open("w", encoding="utf-8", newline="")

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        rows = self._encode(batch.to_struct_array())
        self._file.writelines(_dump(row) + "\n" for row in rows)

    @override
    def close(self) -> None:
        self._file.close()

    def _encoder(self, type_: LogicalType) -> _Encode:
        match type_:
            case CharacterType() | BooleanType():
                return lambda array: array.to_pylist()
            case FloatType():
                # The number's own shortest text, not that of the 64-bit number which is nearest to it.
                return lambda array: [None if text is None else float(text) for text in pc.cast(array, pa.string()).to_pylist()]
            case DoubleType():
                return lambda array: array.to_pylist()
            case DecimalType():
                return lambda array: array.to_pylist()
            case ArrayType():
                return self._array_encoder(type_)
            case MapType():
                return self._map_encoder(type_.key_type, type_.value_type)
            case MultisetType():
                from table_common.types import IntType

                return self._map_encoder(type_.element_type, IntType())
            case RowType():
                return self._row_encoder(type_)
            case _:
                return self._plain_encoder(type_)

    def _plain_encoder(self, type_: LogicalType) -> _Encode:
        from table_common.arrow import to_arrow_type

        if pa.types.is_integer(to_arrow_type(type_)):
            return lambda array: array.to_pylist()
        if pa.types.is_duration(to_arrow_type(type_)) or not hasattr(type_, "summary"):
            raise TableException(f"The format 'json' has no form for values of the type {type_.summary()}.")
        return lambda array: to_text(array, type_, standard=self._standard).to_pylist()

    def _array_encoder(self, type_: ArrayType) -> _Encode:
        encode = self._encoder(type_.element_type)

        def run(array: pa.Array) -> list[Any]:
            values = iter(encode(array.flatten()))
            lengths = pc.list_value_length(array).to_pylist()
            return [None if length is None else [next(values) for _ in range(length)] for length in lengths]

        return run

    def _map_encoder(self, key_type: LogicalType, value_type: LogicalType) -> _Encode:
        encode = self._encoder(value_type)

        def run(array: pa.Array) -> list[Any]:
            result: list[Any] = []
            keys = iter(to_text(array.keys, key_type, standard=self._standard).to_pylist())
            values = iter(encode(array.items))
            for entry in array:
                if not entry.is_valid:
                    result.append(None)
                    continue
                found: dict[str, Any] = {}
                for _ in range(len(entry)):
                    key, value = next(keys), next(values)
                    if key is None:
                        if self._null_key_mode == "FAIL":
                            raise TableRuntimeException(
                                "A map with a NULL key cannot be written as JSON.", hint="SET the table's option 'json.map-null-key.mode'."
                            )
                        if self._null_key_mode == "DROP":
                            continue
                        key = self._null_key
                    found[key] = value
                result.append(found)
            return result

        return run

    def _row_encoder(self, type_: RowType) -> _Encode:
        encoders = [self._encoder(field.type) for field in type_.fields]
        names = type_.field_names

        def run(array: pa.Array) -> list[Any]:
            columns = [encode(array.field(i)) for i, encode in enumerate(encoders)]
            rows: list[Any] = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
            if self._ignore_null_fields:
                rows = [{name: value for name, value in row.items() if value is not None} for row in rows]
            if array.null_count:
                rows = [row if valid else None for row, valid in zip(rows, pc.is_valid(array).to_pylist(), strict=True)]
            return rows

        return run


def _dump(value: Any) -> str:
    """Returns JSON text; decimals keep their digits, and numbers that JSON lacks are text."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{_dump(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_dump, value)) + "]"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float) and not math.isfinite(value):
        return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
    return json.dumps(value, ensure_ascii=False)
