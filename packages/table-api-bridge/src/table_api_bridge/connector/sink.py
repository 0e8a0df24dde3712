"""The sink of the connector ``spark``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from table_api_bridge.catalog.statements import quoted, text
from table_api_bridge.providers import DataFrameSinkProvider
from table_api_bridge.spark_internals import forget_table
from table_common.annotation import override
from table_common.connector import ChangelogMode, DynamicTableSink
from table_common.connector.sink.abilities import SupportsOverwrite, SupportsPartitioning

_OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode"


@dataclass
class SparkTableSink(DynamicTableSink, SupportsOverwrite, SupportsPartitioning):
    """Appends to a table of Spark or overwrites it; for a partitioned table, the partitions of the written rows."""

    table: str
    columns: tuple[str, ...]
    partition_keys: tuple[str, ...]
    overwrite: bool = False
    static_partition: Mapping[str, str] = field(default_factory=dict)

    @override
    def as_summary_string(self) -> str:
        return f"spark({self.table})"

    @override
    def get_changelog_mode(self, requested_mode: ChangelogMode) -> ChangelogMode:
        return ChangelogMode.insert_only()

    @override
    def apply_overwrite(self, overwrite: bool) -> None:
        self.overwrite = overwrite

    @override
    def apply_static_partition(self, partition: Mapping[str, str]) -> None:
        self.static_partition = dict(partition)

    @override
    def get_sink_runtime_provider(self, context: DynamicTableSink.SinkContext) -> DataFrameSinkProvider:
        write = TableWrite(self.table, self.columns, self.partition_keys, self.overwrite, self.static_partition)
        return DataFrameSinkProvider(write, table=self.table)


@dataclass(frozen=True)
class TableWrite:
    """Writes a DataFrame to a table."""

    table: str
    columns: tuple[str, ...]
    partition_keys: tuple[str, ...]
    overwrite: bool
    static_partition: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, frame: DataFrame) -> None:
        forget_table(frame.sparkSession, self.table)
        if self.overwrite and self.partition_keys:
            with _dynamic_partitions(frame.sparkSession):
                self._write(frame)
        else:
            self._write(frame)

    def _write(self, frame: DataFrame) -> None:
        if not (self.overwrite and self.static_partition):
            frame.select(*map(quoted, self.columns)).write.insertInto(self.table, overwrite=self.overwrite)
            return
        # A static partition is overwritten even if there are no rows for it.
        names = ", ".join(quoted(name) for name in self.columns if name not in self.static_partition)
        values = ", ".join(f"{quoted(key)} = {text(value)}" for key, value in self.static_partition.items())
        table = self.table.replace("{", "{{").replace("}", "}}")
        dynamic_keys = "".join(f", {quoted(key)}" for key in self.partition_keys if key not in self.static_partition)
        frame.sparkSession.sql(
            f"INSERT OVERWRITE TABLE {table} PARTITION ({values}{dynamic_keys}) SELECT {names} FROM {{rows}}", rows=frame
        )


@contextmanager
def _dynamic_partitions(spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get(_OVERWRITE_MODE, None)
    spark.conf.set(_OVERWRITE_MODE, "dynamic")
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(_OVERWRITE_MODE)
        else:
            spark.conf.set(_OVERWRITE_MODE, before)
