"""The plan's leaf that is an existing DataFrame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame

from table_api.operations import ExternalQueryOperation
from table_common.annotation import override
from table_common.catalog import ResolvedSchema

__all__ = ["DataFrameQueryOperation"]


@dataclass(frozen=True, slots=True)
class DataFrameQueryOperation(ExternalQueryOperation):
    """The rows of a DataFrame; two are equal if they name the same DataFrame and read it with the same types.

    The columns of ``schema`` are those of the DataFrame by position; where its Spark type differs, values are cast by Spark's rules.
    """

    frame: DataFrame = field(compare=False, repr=False)
    schema: ResolvedSchema
    identity: int = -1

    @classmethod
    def of(cls, frame: DataFrame, schema: ResolvedSchema) -> DataFrameQueryOperation:
        """Returns the leaf of a DataFrame; the operation keeps it alive, so its id stays its own."""
        return cls(frame, schema, id(frame))

    @property
    @override
    def resolved_schema(self) -> ResolvedSchema:
        return self.schema

    @property
    @override
    def refusal(self) -> str:
        return "a Spark DataFrame can be read only by the planner 'spark'; use with_planner('spark'), or write the DataFrame to files and read these"

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "fields", list(self.schema.column_names)
