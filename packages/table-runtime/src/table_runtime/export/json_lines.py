"""Results as one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import tzinfo

import pyarrow as pa

from table_common.arrow import column_values
from table_common.arrow import compute as pc
from table_common.types import (
    BigIntType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    RowType,
    SmallIntType,
    TimestampType,
    TinyIntType,
)
from table_runtime.casts.to_text import plain_texts
from table_runtime.export.cells import Render, column_texts, joined_rows, small_batches

_ESCAPED = '["\\\\\x00-\x1f]'


def json_texts(
    batches: Iterable[pa.RecordBatch],
    row_type: RowType,
    render: Render,
    plain: Callable[[object, LogicalType], object],
    time_zone: tzinfo | None = None,
) -> Iterator[str]:
    """Yields the objects of the rows of each batch, a line each, as one text; a column after those of ``row_type`` is left out.

    Args:
        batches: the rows, in the canonical Arrow schema.
        row_type: names and types of the columns.
        render: returns the text of a value.
        plain: returns what ``json.dumps`` writes for a value that has no kernel.
        time_zone: the zone of TIMESTAMP_LTZ values.

    Example:
        >>> import pyarrow as pa
        >>> from table_common.types import BigIntType, RowType
        >>> from table_runtime.export import json_texts
        >>> batch = pa.record_batch({"a": pa.array([1, None])})
        >>> row_type = RowType.of([("a", BigIntType())])
        >>> list(json_texts([batch], row_type, lambda value, data_type: str(value), lambda value, data_type: value))
        ['{"a": 1}\\n{"a": null}\\n']
    """
    names = row_type.field_names
    last = {name: position for position, name in enumerate(names)}  # of equal names an object has the last value
    end = pa.scalar("}\n")
    for batch in small_batches(batches):
        parts: list[pa.Array | pa.Scalar] = []
        for name, position in last.items():
            column, data_type = batch.column(position), row_type.field_types[position]
            key = json.dumps(name, ensure_ascii=False)
            parts += [pa.scalar(f"{', ' if parts else '{'}{key}: "), _value(column, data_type, render, plain, time_zone)]
        yield joined_rows([*parts, end])


def _value(
    column: pa.Array, data_type: LogicalType, render: Render, plain: Callable[[object, LogicalType], object], time_zone: tzinfo | None
) -> pa.Array:
    def dumped(array: pa.Array) -> pa.Array:
        values = column_values(array, data_type, "a column", time_zone)
        return pa.array([json.dumps(plain(value, data_type), ensure_ascii=False, allow_nan=False) for value in values], pa.string())

    match data_type:
        case BooleanType():
            return pc.fill_null(pc.if_else(column, "true", "false"), "null")
        case CharacterType():
            return _quoted(column)
        case DateType() | TimestampType() | DecimalType():
            return _quoted(column_texts(column, data_type, render, time_zone))
        case DoubleType() | FloatType():
            texts, is_plain = plain_texts(column)
            if pc.all(is_plain).as_py() is False:
                other = pc.invert(pc.fill_null(is_plain, True))
                texts = pc.replace_with_mask(texts, other, dumped(pc.filter(column, other)))
            return pc.fill_null(texts, "null")
        case TinyIntType() | SmallIntType() | IntType() | BigIntType():
            return pc.fill_null(pc.cast(column, pa.string()), "null")
    return dumped(column)


def _quoted(texts: pa.Array) -> pa.Array:
    quote = pa.scalar('"')
    if pc.any(pc.match_substring_regex(texts, _ESCAPED)).as_py():
        texts = pa.array([None if text is None else json.dumps(text, ensure_ascii=False)[1:-1] for text in texts.to_pylist()], pa.string())
    return pc.fill_null(pc.binary_join_element_wise(quote, texts, quote, pa.scalar("")), "null")
