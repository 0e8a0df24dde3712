"""Reads unbounded tables as streaming DataFrames: Spark asks a source for offsets, plans each batch by them, and keeps them in its checkpoint.

Spark calls the source in a Python process of its driver, which lives as long as the query, and reads each split in a task.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from table_common.annotation import override
from table_common.arrow import to_arrow_schema
from table_common.catalog import ResolvedSchema
from table_common.configuration import ExecutionConfigOptions
from table_common.connector import ReadLimit as RowLimit
from table_common.connector import SourceProvider, SourceSplit
from table_common.exceptions import TableException
from table_planner_spark.context import LoweringContext
from table_planner_spark.data_sources import registered_name
from table_planner_spark.expressions.python_boundary import decode_sql, to_transport, transport_fields
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_planner_spark.session.workers import require_packages
from table_planner_spark.spark_internals import SPARK_VERSION, row_limit, rows_of_limit, supports_available_now
from table_runtime.scans import ScanOffsets
from table_runtime.streaming import ReadSplits

_PAYLOAD = "payload"
_BATCH_ROWS = 65_536
_OFFSET = "offset"
_SECONDS = 0.1
"""How long a source waits for rows before it says that there are none: Spark asks again at once."""


def why_not_as_stream(provider: object) -> str | None:
    """Returns why an unbounded provider cannot become a streaming DataFrame; None: it can."""
    if not isinstance(provider, SourceProvider):
        return f"its connector gives a {type(provider).__name__}, and a streaming DataFrame needs a source with offsets (SourceProvider)"
    if provider.is_in_process:
        return "its rows are in this process, and Spark reads a streaming DataFrame in others"
    if SPARK_VERSION < (4, 2):
        return f"an unbounded table becomes a streaming DataFrame on Spark 4.2 or later, and this is {'.'.join(map(str, SPARK_VERSION))}"
    return None


def read_stream(provider: SourceProvider, schema: ResolvedSchema, table: str, source: str, context: LoweringContext) -> SparkRelation:
    """Returns the streaming DataFrame of a source with offsets; ``source`` describes it.

    Raises:
        TableException: the source cannot be sent to Spark's workers.
    """
    require_packages(context.spark)
    names = context.new_names(schema.column_names)
    fields = transport_fields(names, [column.data_type for column in schema.columns])
    row_type = schema.to_row_type()
    scan = ScanOffsets(provider, row_type, to_arrow_schema(row_type), table, source, changes=False)
    most_rows = context.configuration.get(ExecutionConfigOptions.TABLE_EXEC_SPARK_MAX_ROWS_PER_EPOCH)
    try:
        payload = cloudpickle.dumps((scan, row_type, most_rows, uuid.uuid4().hex))  # type: ignore[no-untyped-call]
    except Exception as error:  # whatever a connector raises
        raise TableException(
            f"The source of {table} cannot be sent to Spark's workers, which read the rows: {type(provider).__name__} cannot be pickled "
            f"({type(error).__name__}: {error}).",
            hint="Open connections, files and locks in SourceReader, not in the provider.",
        ) from error
    program = context.spark if context.program is None else context.program  # a query looks the name up in the session in which it starts
    reader = program.readStream.format(registered_name(program, OffsetDataSource)).schema(StructType(fields))
    frame = context.adopt(reader.option(_PAYLOAD, base64.b64encode(payload).decode()).load())
    texts = [
        f"{decode_sql(quote_name(name), column.data_type)} AS {quote_name(name)}"
        for name, column in zip(names, schema.columns, strict=True)
    ]
    return SparkRelation(frame.selectExpr(*texts), names)


class OffsetDataSource(DataSource):
    """A source with offsets as a streaming data source of Spark. The pickled source is in an option, because other processes read it."""

    @classmethod
    @override
    def name(cls) -> str:
        return "table_offset_stream"

    @override
    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  # the name of Spark
        scan, row_type, most_rows, key = cloudpickle.loads(base64.b64decode(self.options[_PAYLOAD]))
        return _StreamReader(scan, row_type, schema, most_rows, key)


class _Splits(InputPartition):
    """The splits of a range that have one id."""

    def __init__(self, splits: Sequence[SourceSplit]) -> None:
        super().__init__(None)
        self.splits = splits


@supports_available_now
class _StreamReader(DataSourceStreamReader):
    """The calls of Spark, by the provider of a scan. An offset is in a dict, as Spark wants it."""

    def __init__(self, scan: ScanOffsets, row_type: Any, schema: StructType, most_rows: int, key: Hashable) -> None:
        self._scan = scan
        self._row_type = row_type
        self._schema = schema
        self._most_rows = most_rows
        self._key = key
        self._is_once = False
        self._until: Any = None

    @override
    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # the name of Spark
        return {_OFFSET: self._scan.with_table_in_errors(self._scan.offsets.initial_offset)}

    @override
    def getDefaultReadLimit(self) -> Any:  # noqa: N802  # the name of Spark
        return row_limit(self._most_rows)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  # the name of Spark
        """Notes that rows which come after the first range has begun are not read."""
        self._is_once = True

    @override
    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802  # the name of Spark
        return {_OFFSET: self._scan.with_table_in_errors(lambda: self._latest(start[_OFFSET], rows_of_limit(limit)))}

    def _latest(self, start: Any, rows: int | None) -> Any:
        offsets = self._scan.offsets
        if self._is_once and self._until is None:
            self._until = offsets.latest_offset(start)
        end = offsets.latest_offset(start, RowLimit(rows=rows, until=self._until))
        if end == start and not self._is_once and offsets.wait(start, _SECONDS):
            end = offsets.latest_offset(start, RowLimit(rows=rows))
        return end

    @override
    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        planned = self._scan.with_table_in_errors(lambda: self._scan.offsets.plan(start[_OFFSET], end[_OFFSET]))
        found: dict[str, list[SourceSplit]] = {}
        for split in planned:
            found.setdefault(split.split_id, []).append(split)
        return [_Splits(splits) for splits in found.values()]

    @override
    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Splits)
        for batch in ReadSplits(self._scan, partition.splits, self._key)():
            for start in range(0, batch.num_rows, _BATCH_ROWS):
                yield to_transport(batch.slice(start, _BATCH_ROWS), self._row_type, self._schema)

    @override
    def commit(self, end: dict[str, Any]) -> None:
        self._scan.with_table_in_errors(lambda: self._scan.offsets.commit(end[_OFFSET]))

    @override
    def stop(self) -> None:
        self._scan.offsets.close()
