"""Results as one JSON object per line, for other programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, TextIO

from sql_client.rendering.display import Display
from sql_client.rendering.reader import for_reader, until_interrupted
from table_api import TableResult
from table_api.rendering import flushing, render_value
from table_common.data import Row
from table_common.types import (
    ArrayType,
    BinaryStringType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
)


def render_json(result: TableResult, display: Display, output: TextIO) -> None:
    """Writes an object per row, keyed by column name; numbers stay numbers, and values without a JSON type are text.

    These are dates, times, intervals, decimals (JSON parsers would round them), NaN and infinite numbers, and bytes (in hexadecimal).
    A map becomes an object with text keys, a multiset an object of counts, a row an object of its fields.
    """
    blocks = until_interrupted(result, _rows(result) if output.isatty() else _batches(result))
    output = for_reader(flushing(output) if result.is_unbounded else output)
    block = next(blocks, None)
    display.before_output()
    while block is not None:
        output.write(block)
        block = next(blocks, None)


def _batches(result: TableResult) -> Iterator[str]:
    from table_runtime.export import json_texts

    return json_texts(result.to_batches(), result.get_resolved_schema().to_row_type(), render_value, _plain, result.time_zone)


def _rows(result: TableResult) -> Iterator[str]:
    schema = result.get_resolved_schema()
    columns = list(zip(schema.column_names, schema.column_types, strict=True))
    for row in result.collect():
        plain = {name: _plain(value, data_type) for (name, data_type), value in zip(columns, row, strict=True)}
        yield json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(value: Any, data_type: LogicalType) -> Any:
    if value is None:
        return None
    match data_type:
        case ArrayType():
            return [_plain(item, data_type.element_type) for item in value]
        case MapType():
            return {_key(key, data_type.key_type): _plain(item, data_type.value_type) for key, item in value.items()}
        case MultisetType():
            return {_key(item, data_type.element_type): count for item, count in value.items()}
        case RowType():
            return {field.name: _plain(item, field.type) for field, item in zip(data_type.fields, value, strict=True)}
        case StructuredType():
            return {field.name: _plain(item, field.type) for field, item in zip(data_type.fields, _fields(value, data_type), strict=True)}
        case FloatType() | DoubleType():
            # The text of a FLOAT has the digits that it really has.
            return float(render_value(value, data_type) or "nan") if math.isfinite(value) else render_value(value, data_type)
        case BinaryStringType():
            return value.hex()
    return value if isinstance(value, (bool, int, str)) else render_value(value, data_type)


def _key(value: Any, data_type: LogicalType) -> str:
    return render_value(value, data_type) or "null"


def _fields(value: Any, data_type: StructuredType) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple, Row)) else [getattr(value, field.name) for field in data_type.fields]
