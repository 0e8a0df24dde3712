"""Writes to connectors that accept a DataFrame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame

from table_api_bridge import DataFrameSinkProvider
from table_common.catalog import ResolvedSchema
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation
from table_runtime.files import FileChanges


@dataclass(frozen=True, slots=True)
class FrameWrite:
    """A prepared write by a connector that accepts a DataFrame."""

    provider: DataFrameSinkProvider
    frame: DataFrame

    def run(self, frame: DataFrame, changes: FileChanges, write_id: str, begin_commit: Callable[[], None]) -> None:
        """Passes the DataFrame to the connector."""
        self.provider.write(frame)


def plan_frame_write(provider: DataFrameSinkProvider, node: SparkRelation, schema: ResolvedSchema) -> FrameWrite:
    """Returns the write of a query's rows, whose columns get the names of ``schema``."""
    texts = [f"{quote_name(n)} AS {quote_name(c.name)}" for n, c in zip(node.columns, schema.columns, strict=True)]
    return FrameWrite(provider, node.frame.selectExpr(*texts))
