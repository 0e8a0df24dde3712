"""Connectors that yield Arrow record batches: one task for each split, which reads it in a Python worker.

Not a Python data source of Spark's: that API has neither column pruning nor limits, so everything is pushed into the provider before,
and what remains is to run ``read`` where the split lies. ``mapInArrow`` does that on every kind of session without registration.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql.types import StructField, StructType

from table_api_bridge import to_spark_type
from table_common.catalog import ResolvedSchema
from table_common.connector import ArrowScanProvider
from table_planner_spark.context import Lowered, LoweringContext
from table_planner_spark.expressions.names import quote_name
from table_planner_spark.scan.boundary import decode_sql, edge_type
from table_planner_spark.workers import require_packages

__all__ = ["read_arrow"]


def read_arrow(provider: ArrowScanProvider, schema: ResolvedSchema, where: str, context: LoweringContext) -> Lowered:
    """Reads the splits, as many at a time as Spark has slots."""
    require_packages(context.spark)
    names = context.new_names(schema.column_names)
    splits = list(provider.splits())
    fields = [
        StructField(name, to_spark_type(edge_type(column.data_type)), True) for name, column in zip(names, schema.columns, strict=True)
    ]
    positions = context.spark.range(0, len(splits), 1, max(1, len(splits)))
    frame = positions.mapInArrow(_reader(provider, splits, schema), StructType(fields))
    texts = [f"{decode_sql(quote_name(n), c.data_type)} AS {quote_name(n)}" for n, c in zip(names, schema.columns, strict=True)]
    decoded = frame if all(c.data_type == edge_type(c.data_type) for c in schema.columns) else frame.selectExpr(*texts)
    return Lowered(decoded, names)


def _reader(provider: ArrowScanProvider, splits: list[Any], schema: ResolvedSchema) -> Any:
    row_type = schema.to_row_type()

    # Without type hints: Spark reads them, and trips over partial ones.
    def read(batches):  # type: ignore[no-untyped-def]
        import pyarrow as pa

        from table_planner_spark.scan.boundary import to_edge

        for batch in batches:
            for position in batch.column(0).to_pylist():
                for part in provider.read(splits[position]):
                    for slice_ in _slices(pa.record_batch(part)):
                        yield to_edge(slice_, row_type)

    return read


def _slices(batch: Any, size: int = 65_536) -> Any:
    """Yields pieces of at most ``size`` rows: larger ones make Spark slower."""
    for start in range(0, batch.num_rows, size):
        yield batch.slice(start, size)
