"""Reads connectors that yield Arrow record batches: one task for each split, in a Python worker.

One Spark data source serves all of them. Its API has neither column pruning nor limits; both were pushed into the provider before, so a task
only calls ``read``. (``mapInArrow`` could do that too, but requires pandas.)
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from table_common.annotation import override
from table_common.arrow import import_batches, to_arrow_schema
from table_common.catalog import ResolvedSchema
from table_common.connector import ArrowScanProvider
from table_common.types import RowType
from table_planner_spark.context import LoweringContext
from table_planner_spark.data_sources import registered_name
from table_planner_spark.expressions.python_boundary import decode_sql, to_transport, transport_fields, transport_type
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_planner_spark.session.adapters import adapter_of
from table_planner_spark.session.workers import require_packages
from table_planner_spark.worker_errors import carrying_errors
from table_runtime.files import FileSplits
from table_runtime.formats import numbered_changes

_PAYLOAD = "payload"
_BATCH_ROWS = 65_536
"""Larger batches make Spark slower."""
_CHANGES_OF_A_SPLIT = 1 << 40
"""The distance between the first change numbers of successive splits."""


def read_arrow(
    provider: ArrowScanProvider, schema: ResolvedSchema, where: str, context: LoweringContext, *, changes: bool = False
) -> SparkRelation:
    """Reads the splits, as many at a time as Spark has slots.

    With ``changes``, the provider's last column is the row kind, which becomes the change's number; numbers increase from split to split.
    """
    require_packages(context.spark)
    names = context.new_names(schema.column_names)
    fields = transport_fields(names, [column.data_type for column in schema.columns])
    if isinstance(provider, FileSplits):
        splits: list[Any] = provider.pinned_splits(context.snapshots)
        adapter_of(context.spark).require_same_files(context.spark, (str(file.path) for split in splits for file in split.files))
        provider = provider.without_filters()
    else:
        context.snapshots.close_with(provider.close)
        splits = list(provider.splits())
    content = (provider, splits, schema.to_row_type(), changes, where.removeprefix("the table '").removesuffix("'"))
    if provider.carries_user_code:
        from table_planner_spark.expressions.user_functions.shipping import dumps  # few sources are user code

        payload = dumps(content, f"that reads {where}")
    else:
        payload = cloudpickle.dumps(content)  # type: ignore[no-untyped-call]
    reader = context.spark.read.format(registered_name(context.spark, ArrowDataSource)).schema(StructType(fields))
    frame = reader.option(_PAYLOAD, base64.b64encode(payload).decode()).load()
    if all(column.data_type == transport_type(column.data_type) for column in schema.columns):
        return SparkRelation(frame, names)
    texts = [f"{decode_sql(quote_name(n), c.data_type)} AS {quote_name(n)}" for n, c in zip(names, schema.columns, strict=True)]
    return SparkRelation(frame.selectExpr(*texts), names)


class ArrowDataSource(DataSource):
    """A provider as a Spark data source. Spark plans and reads in separate processes, so the pickled provider is passed in an option."""

    @classmethod
    @override
    def name(cls) -> str:
        return "table_arrow_scan"

    @override
    def reader(self, schema: StructType) -> DataSourceReader:
        provider, splits, row_type, changes, table = cloudpickle.loads(base64.b64decode(self.options[_PAYLOAD]))
        return _Reader(provider, splits, row_type, schema, changes, table)


class _Split(InputPartition):
    def __init__(self, number: int, split: Any) -> None:
        super().__init__(None)
        self.number = number
        self.split = split


class _Reader(DataSourceReader):
    def __init__(
        self, provider: ArrowScanProvider, splits: Sequence[Any], row_type: RowType, schema: StructType, changes: bool, table: str
    ) -> None:
        self._table = table
        self._provider = provider
        self._splits = splits
        self._row_type = row_type
        self._schema = schema
        self._changes = changes

    @override
    def partitions(self) -> Sequence[InputPartition]:
        return [_Split(number, split) for number, split in enumerate(self._splits)]

    @override
    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, _Split):  # Spark passes its own partition if there are none
            return
        with carrying_errors(f"Reading {self._table}"):
            batches = import_batches(self._provider.read(partition.split), f"{type(self._provider).__name__}.read")
            if self._changes:
                batches = numbered_changes(batches, to_arrow_schema(self._row_type), partition.number * _CHANGES_OF_A_SPLIT)
            for batch in batches:
                for start in range(0, batch.num_rows, _BATCH_ROWS):
                    yield to_transport(batch.slice(start, _BATCH_ROWS), self._row_type, self._schema)
