"""Runtime providers of connectors that are written for Spark: a DataFrame to read, a function to write one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from table_common.annotation import override
from table_common.connector import DynamicTableSink, FileScanProvider, ScanTableSource

__all__ = ["DataFrameScanProvider", "DataFrameSinkProvider", "SparkFileScanProvider"]


@dataclass(frozen=True, slots=True)
class DataFrameScanProvider(ScanTableSource.ScanRuntimeProvider):
    """Builds the DataFrame of a scan; its columns are those that the source produces, in order.

    ``refusal`` is the reason that engines without Spark give for not reading it.
    """

    create: Callable[[SparkSession], DataFrame]
    bounded: bool = True
    refusal: str = "its rows are a DataFrame of Spark"

    @property
    @override
    def is_bounded(self) -> bool:
        return self.bounded


@dataclass(frozen=True, slots=True)
class SparkFileScanProvider(FileScanProvider):
    """Files that are a table of Spark: an engine without Spark reads the files, Spark its table by ``create``."""

    create: Callable[[SparkSession], DataFrame] = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class DataFrameSinkProvider(DynamicTableSink.SinkRuntimeProvider):
    """Writes a DataFrame whose columns are those that the sink consumes, by name; returns when the data is there."""

    write: Callable[[DataFrame], None]
    refusal: str = "it is written by Spark alone; use with_planner('spark')"
