"""Runtime providers of connectors that are written for Spark: a DataFrame to read, a function to write one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from table_common.annotation import override
from table_common.connector import DynamicTableSink, ScanTableSource

__all__ = ["DataFrameScanProvider", "DataFrameSinkProvider"]


@dataclass(frozen=True, slots=True)
class DataFrameScanProvider(ScanTableSource.ScanRuntimeProvider):
    """Builds the DataFrame of a scan; its columns are those that the source produces, in order."""

    create: Callable[[SparkSession], DataFrame]
    bounded: bool = True

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded


@dataclass(frozen=True, slots=True)
class DataFrameSinkProvider(DynamicTableSink.SinkRuntimeProvider):
    """Writes a DataFrame whose columns are those that the sink consumes, by name; returns when the data is there."""

    write: Callable[[DataFrame], None]
