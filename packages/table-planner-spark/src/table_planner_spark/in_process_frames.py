"""DataFrames over rows of this process: the rows are sent to Spark once, as Arrow, and later statements of the session reuse the DataFrame."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Hashable, Iterable

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from table_common.arrow import import_batches
from table_common.connector import InProcessData, SupportsArrowArray
from table_common.exceptions import TableRuntimeException
from table_common.types import RowType
from table_planner_spark.expressions.python_boundary import decode_sql, to_transport, transport_fields, transport_schema, transport_type
from table_planner_spark.options import LOCAL_BYTES
from table_planner_spark.quoting import quote_name
from table_planner_spark.session.adapters import adapter_of

_MOST = 256
_BATCH_BYTES = 8 << 20
"""Each batch becomes a task. A batch of this size outweighs the overhead of a task and fits into every message of Spark."""
_NESTED_BATCH_BYTES = 1 << 18
_MOST_NESTED_BATCHES = 256
"""Batches with nested columns are smaller, up to this many: UNNEST makes many rows of one, and Spark cancels a task between its batches only."""
_SHARE_OF_HEAP = 0.6
"""The share of the driver's heap that such rows may use: they stay there while queries run."""


class InProcessFrames:
    """The DataFrames of one session, by the rows that they hold. One is dropped together with its rows, or when there are too many."""

    def __init__(self) -> None:
        self._frames: OrderedDict[tuple[int, Hashable], tuple[weakref.ref[object], DataFrame]] = OrderedDict()

    def frame(self, data: InProcessData, spark: SparkSession) -> DataFrame:
        """Returns the rows as a DataFrame with the column names of the row type. The first call sends them to Spark."""
        frames, key = self._frames, (id(data.owner), data.part)
        known = frames.get(key)
        if known is not None and known[0]() is data.owner:
            found = adapter_of(spark).frame_in(known[1], spark)
            if found is not None:
                return found
        frame = send_rows(data.row_type, data.batches(), spark)
        # The callback of the weak reference runs during garbage collection, at any time in any thread, so it must not take a lock.
        frames[key] = weakref.ref(data.owner, lambda _: frames.pop(key, None)), frame
        while len(frames) > _MOST:
            frames.popitem(last=False)
        return frame

    def __len__(self) -> int:
        return len(self._frames)

    def clear(self) -> None:
        """Drops all DataFrames."""
        self._frames.clear()


def send_rows(row_type: RowType, rows: Iterable[SupportsArrowArray], spark: SparkSession) -> DataFrame:
    """Sends rows to Spark and returns them as a DataFrame with the column names of the row type.

    Raises:
        TableRuntimeException: they do not fit into the memory of Spark's driver.
    """
    names, types = row_type.field_names, row_type.field_types
    schema = StructType(transport_fields(names, types))
    batches = [to_transport(batch, row_type, schema) for batch in import_batches(rows, "The data of the process")]
    # PySpark does not accept a column of rows or arrays without chunks.
    table = pa.Table.from_batches(batches, transport_schema(schema)) if batches else transport_schema(schema).empty_table()
    _require_memory(table.nbytes, spark)
    frame = _send(table, schema, spark)
    if all(type_ == transport_type(type_) for type_ in types):
        return frame
    return frame.selectExpr(*[f"{decode_sql(quote_name(n), t)} AS {quote_name(n)}" for n, t in zip(names, types, strict=True)])


def _send(table: pa.Table, schema: StructType, spark: SparkSession) -> DataFrame:
    access = adapter_of(spark)
    if access.analyzes_late or table.nbytes <= LOCAL_BYTES:
        return spark.createDataFrame(table, schema)
    with access.sender(spark) as sender:
        sender.conf.set("spark.sql.execution.arrow.localRelationThreshold", str(LOCAL_BYTES))
        sender.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(_rows_of_batch(table)))
        frame = access.frame_in(sender.createDataFrame(table, schema), spark)
    assert frame is not None
    return frame


def _require_memory(size: int, spark: SparkSession) -> None:
    """Rejects rows that leave the JVM too little heap: a JVM that runs out of memory ends, with everything that runs in it."""
    heap = adapter_of(spark).heap_of_driver(spark)
    if heap is not None and size > heap * _SHARE_OF_HEAP:
        raise TableRuntimeException(
            f"The rows of the program take {size >> 20} MB, too much for Spark's driver, which has {heap >> 20} MB of memory.",
            hint="Increase spark.driver.memory, or INSERT the rows into a table of Parquet files and read that table.",
        )


def _rows_of_batch(table: pa.Table) -> int:
    """Returns the number of rows per batch, and so per task."""
    size = table.nbytes
    batch = _BATCH_BYTES
    if any(pa.types.is_nested(type_) for type_ in table.schema.types):
        batch = min(_BATCH_BYTES, max(_NESTED_BATCH_BYTES, size // _MOST_NESTED_BATCHES))
    rows: int = table.num_rows * batch // max(batch, size)
    return max(1, rows)
