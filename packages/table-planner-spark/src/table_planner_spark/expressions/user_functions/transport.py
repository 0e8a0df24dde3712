"""Converts columns between Spark and a user function; the conversion is prepared once for all batches."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql.types import StructField, StructType

from table_api_bridge import to_spark_type
from table_common.arrow import to_arrow_type
from table_common.types import LogicalType, RowType
from table_planner_spark.expressions.python_boundary import from_transport, to_transport, transport_type
from table_planner_spark.spark_internals import arrow_schema


class ArgumentTransport:
    """From Spark's columns to canonical ones."""

    def __init__(self, types: Sequence[LogicalType]) -> None:
        self._names = [str(i) for i in range(len(types))]
        self._row_type = RowType.of(list(zip(self._names, types, strict=True)))
        self._arrow_types = [to_arrow_type(type_) for type_ in types]

    def __call__(self, columns: Sequence[pa.Array]) -> list[pa.Array]:
        """Returns the columns of the arguments; further columns are dropped."""
        given = list(columns[: len(self._names)])
        if all(column.type == type_ for column, type_ in zip(given, self._arrow_types, strict=True)):
            return given
        return list(from_transport(pa.RecordBatch.from_arrays(given, names=self._names), self._row_type).columns)


class ResultTransport:
    """From a canonical column to Spark's."""

    def __init__(self, type_: LogicalType) -> None:
        self._row_type = RowType.of([("0", type_)])
        self._schema = StructType([StructField("0", to_spark_type(transport_type(type_)), type_.nullable)])
        self._arrow_type = arrow_schema(self._schema).field(0).type

    def __call__(self, column: pa.Array) -> pa.Array:
        """Returns the column exactly as Spark expects it."""
        if column.type == self._arrow_type:
            return column
        return to_transport(pa.RecordBatch.from_arrays([column], names=["0"]), self._row_type, self._schema).column(0)
