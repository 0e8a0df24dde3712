"""The plan node for an existing DataFrame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame

from table_api.operations import ExternalQueryOperation
from table_common.annotation import override
from table_common.catalog import ResolvedSchema


@dataclass(frozen=True, slots=True)
class DataFrameQueryOperation(ExternalQueryOperation):
    """The rows of a DataFrame; two nodes are equal if they have the same DataFrame and schema.

    ``schema`` matches the columns of the DataFrame by position; Spark casts values if its type differs. The rows of a streaming DataFrame do not end.
    """

    frame: DataFrame = field(compare=False, repr=False)
    schema: ResolvedSchema
    identity: int = -1
    is_streaming: bool = False

    @classmethod
    def of(cls, frame: DataFrame, schema: ResolvedSchema) -> DataFrameQueryOperation:
        """Returns the node for a DataFrame. It keeps the DataFrame alive, so that its id stays unique."""
        return cls(frame, schema, id(frame), frame.isStreaming)

    @property
    @override
    def resolved_schema(self) -> ResolvedSchema:
        return self.schema

    @property
    @override
    def is_bounded(self) -> bool:
        return not self.is_streaming

    @property
    @override
    def refusal(self) -> str:
        return "a Spark DataFrame can be read only by the planner 'spark'; use with_planner('spark'), or write the DataFrame to files and read these"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "fields", list(self.schema.column_names)
