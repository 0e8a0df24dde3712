"""A result as a Parquet file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import BinaryIO

import pyarrow as pa

from table_common.arrow import to_arrow_schema
from table_common.types import RowType


def write_parquet(batches: Iterable[pa.RecordBatch], row_type: RowType, output: BinaryIO, begin: Callable[[], object] | None = None) -> int:
    """Writes the rows and returns their number; ``begin`` is called once, before the first write.

    Raises:
        TableRuntimeException: Parquet has no form for a type of the rows.

    Example:
        >>> import io
        >>> import pyarrow as pa
        >>> from table_common.types import BigIntType, RowType
        >>> from table_runtime.export import write_parquet
        >>> write_parquet([pa.record_batch({"a": pa.array([1, 2])})], RowType.of([("a", BigIntType())]), io.BytesIO())
        2
    """
    from pyarrow.parquet import ParquetWriter

    from table_common.exceptions import TableRuntimeException

    schema = to_arrow_schema(row_type)
    iterator = iter(batches)
    first = next(iterator, None)
    if begin is not None:
        begin()
    count = 0
    try:
        with ParquetWriter(output, schema) as writer:
            while first is not None:
                writer.write_batch(pa.RecordBatch.from_arrays(first.columns[: len(schema)], schema=schema))
                count += first.num_rows
                first = next(iterator, None)
    except pa.ArrowNotImplementedError as error:
        raise TableRuntimeException(f"Parquet cannot hold these columns: {error}", hint="CAST the column, or use csv or json.") from error
    return count
