"""The source of the connector ``spark``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from table_api_bridge.providers import DataFrameScanProvider, SparkFileScanProvider
from table_api_bridge.spark_connect import is_spark_connect, streaming_on_connect
from table_api_bridge.spark_internals import forget_table
from table_common.annotation import override
from table_common.connector import FileScanProvider, ScanTableSource
from table_common.connector.source.abilities import SupportsProjectionPushDown
from table_common.exceptions import ValidationException
from table_common.types import RowType


@dataclass
class SparkTableSource(ScanTableSource, SupportsProjectionPushDown):
    """The rows of a table of Spark: Spark reads its DataFrame, other engines its files; if ``files`` is a str, it is why they cannot.

    ``streaming`` are the options of a streaming DataFrame; None: the rows end.
    """

    table: str
    row_type: RowType
    files: FileScanProvider | str
    streaming: Mapping[str, str] | None = None
    produced_type: RowType | None = None

    @override
    def as_summary_string(self) -> str:
        return f"spark({self.table})"

    @override
    def apply_projection(self, projected_fields: Sequence[Sequence[int]], produced_type: RowType) -> None:
        self.produced_type = produced_type

    @override
    def get_scan_runtime_provider(self, context: ScanTableSource.ScanContext) -> ScanTableSource.ScanRuntimeProvider:
        produced = self.produced_type if self.produced_type is not None else self.row_type
        frame = TableFrame(self.table, produced.field_names, self.streaming)
        if isinstance(self.files, str):
            return DataFrameScanProvider(frame, self.streaming is None, self.files)
        files = self.files
        return SparkFileScanProvider(
            files.paths, files.format, files.physical_type, produced, files.format_options, files.partition_keys, create=frame
        )


@dataclass(frozen=True)
class TableFrame:
    """Creates the DataFrame of some columns of a table; with options in ``streaming`` a streaming one."""

    table: str
    columns: tuple[str, ...]
    streaming: Mapping[str, str] | None = None

    def __call__(self, spark: SparkSession) -> DataFrame:
        names = [f"`{name.replace('`', '``')}`" for name in self.columns]
        if self.streaming is not None and is_spark_connect(spark):
            raise streaming_on_connect()
        forget_table(spark, self.table)
        if self.streaming is None:
            return spark.table(self.table).select(*names)
        try:
            return spark.readStream.options(**self.streaming).table(self.table).select(*names)
        except AnalysisException as error:
            reason = str(error).partition("\n")[0]
            if error.getCondition() == "_LEGACY_ERROR_TEMP_1008":
                reason = "it is a view, and not one over a streaming DataFrame"
            raise ValidationException(
                f"Spark does not read {self.table} with the columns {', '.join(self.columns)} as a streaming DataFrame: {reason}",
                hint="Name a table of Spark, or a view over a streaming DataFrame; without 'streaming' = 'true', all rows of a table are read once.",
            ) from error
