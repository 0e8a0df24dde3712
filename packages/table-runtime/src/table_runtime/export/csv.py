"""Results as CSV: NULL is an empty field, an empty text is quoted, quotes only where they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import tzinfo

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.types import LogicalType, RowType
from table_runtime.export.cells import Render, column_texts, joined_rows, small_batches

_SPECIAL = '[",\r\n]|^$'


def csv_texts(batches: Iterable[pa.RecordBatch], row_type: RowType, render: Render, time_zone: tzinfo | None = None) -> Iterator[str]:
    """Yields the lines of the rows of each batch as one text; a column after those of ``row_type`` (the row kinds) is left out.

    Args:
        batches: the rows, in the canonical Arrow schema.
        row_type: names and types of the columns.
        render: writes the values of types for which there is no kernel.
        time_zone: the zone of TIMESTAMP_LTZ values.

    Example:
        >>> import pyarrow as pa
        >>> from table_common.types import BigIntType, RowType
        >>> from table_runtime.export import csv_texts
        >>> batch = pa.record_batch({"a": pa.array([1, None, 3])})
        >>> list(csv_texts([batch], RowType.of([("a", BigIntType())]), lambda value, data_type: str(value)))
        ['1\\n\\n3\\n']
    """
    comma, end = pa.scalar(","), pa.scalar("\n")
    for batch in small_batches(batches):
        parts: list[pa.Array | pa.Scalar] = []
        for column, data_type in zip(batch.columns, row_type.field_types, strict=False):
            parts += [_field(column, data_type, render, time_zone), comma]
        parts[-1:] = [end]
        yield joined_rows(parts)


def _field(column: pa.Array, data_type: LogicalType, render: Render, time_zone: tzinfo | None) -> pa.Array:
    texts = column_texts(column, data_type, render, time_zone)
    if not pa.types.is_primitive(column.type):
        special = pc.match_substring_regex(texts, _SPECIAL)
        if pc.any(special).as_py():
            quote = pa.scalar('"')
            quoted = pc.binary_join_element_wise(quote, pc.replace_substring(texts, '"', '""'), quote, pa.scalar(""))
            texts = pc.if_else(special, quoted, texts)
    return pc.fill_null(texts, "")
