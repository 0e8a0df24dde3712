"""The source of the connector ``spark``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from table_api_bridge.providers import DataFrameScanProvider, SparkFileScanProvider
from table_api_bridge.spark_internals import forget_table
from table_common.annotation import override
from table_common.connector import FileScanProvider, ScanTableSource
from table_common.connector.source.abilities import SupportsProjectionPushDown
from table_common.types import RowType


@dataclass
class SparkTableSource(ScanTableSource, SupportsProjectionPushDown):
    """The rows of a table of Spark: Spark reads its DataFrame, other engines its files; if ``files`` is a str, it is why they cannot."""

    table: str
    row_type: RowType
    files: FileScanProvider | str
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
        frame = TableFrame(self.table, produced.field_names)
        if isinstance(self.files, str):
            return DataFrameScanProvider(frame, refusal=self.files)
        files = self.files
        return SparkFileScanProvider(
            files.paths, files.format, files.physical_type, produced, files.format_options, files.partition_keys, create=frame
        )


@dataclass(frozen=True)
class TableFrame:
    """Creates the DataFrame of some columns of a table."""

    table: str
    columns: tuple[str, ...]

    def __call__(self, spark: SparkSession) -> DataFrame:
        names = [f"`{name.replace('`', '``')}`" for name in self.columns]
        forget_table(spark, self.table)
        return spark.table(self.table).select(*names)
