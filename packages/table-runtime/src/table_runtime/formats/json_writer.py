"""Writes rows as JSON lines."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from table_common.annotation import override
from table_common.arrow import compute as pc
from table_common.configuration import ReadableConfig
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
from table_runtime.casts.nested import compact
from table_runtime.formats import json_options as opt
from table_runtime.formats.compression import compressed
from table_runtime.formats.file_format import FileWriter
from table_runtime.formats.text_values import to_text

__all__ = ["JsonEncoder", "JsonWriter"]

_Encode = Callable[[pa.Array], list[Any]]
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


class JsonEncoder:
    """Encodes rows as JSON objects."""

    def __init__(self, row_type: RowType, config: ReadableConfig, format_name: str = "json") -> None:
        self._format = format_name
        self._standard = config.get(opt.TIMESTAMP_FORMAT)
        self._null_key_mode = config.get(opt.MAP_NULL_KEY_MODE)
        self._null_key = config.get(opt.MAP_NULL_KEY_LITERAL)
        self._ignore_null_fields = config.get(opt.IGNORE_NULL_FIELDS)
        self._decimal = _plain_decimal if config.get(opt.DECIMAL_AS_PLAIN_NUMBER) else str
        self._encode = self._row_encoder(row_type)

    def lines(self, rows: pa.StructArray) -> Iterator[str]:
        """Yields the text of each row.

        Raises:
            TableRuntimeException: a map has a NULL key.
        """
        for row in self._encode(rows):
            try:
                # The encoder in C supports neither decimals nor NaN and infinities.
                yield _ENCODER.encode(row)
            except (TypeError, ValueError):
                yield self._dump(row)

    def _dump(self, value: Any) -> str:
        """Returns JSON text; decimals keep their digits, and NaN and infinities become text."""
        if isinstance(value, dict):
            return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{self._dump(item)}" for name, item in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(self._dump, value)) + "]"
        if isinstance(value, Decimal):
            return self._decimal(value)
        if isinstance(value, float) and not math.isfinite(value):
            return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
        return json.dumps(value, ensure_ascii=False)

    def _encoder(self, type_: LogicalType) -> _Encode:
        match type_:
            case CharacterType() | BooleanType():
                return lambda array: array.to_pylist()
            case FloatType():
                # The shortest text of the 32-bit number, not that of the equal 64-bit number.
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
            raise TableException(f"The format '{self._format}' does not support values of the type {type_.summary()}.")
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
            array = compact(array)  # keys and items of a slice are those of the whole array
            keys = iter(to_text(array.keys, key_type, standard=self._standard).to_pylist())
            values = iter(encode(array.items))
            for entry in array:
                if not entry.is_valid:
                    result.append(None)
                    continue
                entries: dict[str, Any] = {}
                for _ in range(len(entry)):
                    key, value = next(keys), next(values)
                    if key is None:
                        if self._null_key_mode == "FAIL":
                            raise TableRuntimeException(
                                "A map with a NULL key cannot be written as JSON.",
                                hint=f"SET the table's option '{self._format}.map-null-key.mode'.",
                            )
                        if self._null_key_mode == "DROP":
                            continue
                        key = self._null_key
                    entries[key] = value
                result.append(entries)
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


def _plain_decimal(value: Decimal) -> str:
    return format(value, "f")


class JsonWriter(FileWriter):
    """Writes a file with one object per line."""

    def __init__(self, path: Path, row_type: RowType, options: Mapping[str, str]) -> None:
        self._encoder = JsonEncoder(row_type, ReadableConfig(options))
        self._file = compressed(path.open("wb"), path.name)

    @override
    def write(self, batch: pa.RecordBatch) -> None:
        self._file.writelines(line.encode() + b"\n" for line in self._encoder.lines(batch.to_struct_array()))

    @override
    def close(self) -> None:
        self._file.close()
