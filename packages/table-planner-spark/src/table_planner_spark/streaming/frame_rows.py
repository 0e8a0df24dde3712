"""The rows of a DataFrame as what tasks of an epoch read: a task per partition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import pyarrow as pa
from pyspark import RDD
from pyspark.sql import DataFrame

from table_common.frozen_dataclass import dataclass
from table_common.types import RowType
from table_planner_spark.expressions.python_boundary import from_transport
from table_planner_spark.spark_internals import arrow_contents, arrow_schema
from table_runtime.columns import cast_to_schema


@dataclass(frozen=True, slots=True)
class DecodedRows:
    """Reads what Spark sends of the rows of a partition; can be pickled. ``sent`` is the schema of that, ``schema`` that of the rows."""

    sent: pa.Schema
    row_type: RowType
    schema: pa.Schema

    def __call__(self, contents: Iterator[bytes]) -> Iterator[pa.RecordBatch]:
        """Yields the rows."""
        for content in contents:
            batch = pa.ipc.read_record_batch(pa.ipc.read_message(content), self.sent)
            yield cast_to_schema(from_transport(batch, self.row_type), self.schema)


class FrameRows:
    """The rows of a DataFrame whose columns are ``encoded_columns`` of a row type; ``schema`` is that of the rows in this engine."""

    def __init__(self, frame: DataFrame, row_type: RowType, schema: pa.Schema) -> None:
        self._frame = frame
        self.decoded = DecodedRows(arrow_schema(frame.schema), row_type, schema)

    @cached_property
    def contents(self) -> RDD[bytes]:
        """The rows as Spark sends them, in the partitions of the DataFrame."""
        return arrow_contents(self._frame)

    @property
    def parts(self) -> Sequence[FramePart]:
        """The partitions."""
        return [FramePart(self, number) for number in range(self.contents.getNumPartitions())]


@dataclass(frozen=True, slots=True)
class FramePart:
    """A partition of a DataFrame; ``number`` is its own."""

    rows: FrameRows
    number: int


Encode = Callable[[DataFrame], DataFrame]
"""Returns a DataFrame with the ``encoded_columns`` of its rows."""
