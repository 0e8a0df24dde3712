"""Runtime providers for Spark: a function that creates the DataFrame of a scan, and one that writes a DataFrame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from table_common.annotation import override
from table_common.connector import DynamicTableSink, FileScanProvider, ScanTableSource


@dataclass(frozen=True, slots=True)
class DataFrameScanProvider(ScanTableSource.ScanRuntimeProvider):
    """Creates the DataFrame of a scan, whose columns are the produced type of the source, in order: a streaming one unless it is ``bounded``.

    ``refusal`` completes the error of engines other than Spark: why they cannot read the source.
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
    """The files of a Spark table: Spark reads the table with ``create``, other engines read the files."""

    create: Callable[[SparkSession], DataFrame] = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class DataFrameSinkProvider(DynamicTableSink.SinkRuntimeProvider):
    """Writes a DataFrame with the columns that the sink consumes, by name; returns after the data is written.

    ``table`` is the table of Spark that is written, if it is one: afterwards the session of the program looks it up again.
    """

    write: Callable[[DataFrame], None]
    refusal: str = "it is written by Spark alone; use with_planner('spark')"
    table: str | None = None
