"""What runs in Spark's Python workers: one invoker per call and worker, over the columns of each batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql.types import StructField, StructType

from table_api_bridge import to_spark_type
from table_common.arrow import compute as pc
from table_common.functions import UserFunction
from table_common.types import LogicalType, RowType
from table_planner_spark.expressions.boundary import edge_type, from_edge, to_edge

__all__ = ["aggregating", "scalar"]

Payload = tuple[UserFunction, tuple[LogicalType, ...], LogicalType]


def scalar(payload: bytes) -> Callable[..., pa.Array]:
    """Returns the function of Spark's columns that calls a scalar or table function."""

    def evaluate(*columns: pa.Array) -> pa.Array:
        return call_scalar(payload, columns)

    evaluate.__annotations__ = {"columns": pa.Array, "return": pa.Array}
    return evaluate


def aggregating(payload: bytes) -> Callable[..., pa.Array]:
    """Returns the function of Spark's lists of rows that calls an aggregate."""

    def aggregate(lists: pa.Array) -> pa.Array:
        return call_aggregate(payload, lists)

    aggregate.__annotations__ = {"lists": pa.Array, "return": pa.Array}
    return aggregate


def call_scalar(payload: bytes, columns: Sequence[pa.Array]) -> pa.Array:
    """What a worker does with a batch; a call without arguments has one column, whose length counts."""
    invoker, types, output_type = _invoker(payload)
    rows = len(columns[0])
    return _to_spark(invoker(_from_spark(columns[: len(types)], types), rows), output_type)


def call_aggregate(payload: bytes, lists: pa.Array) -> pa.Array:
    """What a worker does with a batch of groups."""
    aggregate, types, output_type = _aggregate(payload)
    rows = pc.list_flatten(lists)
    offsets = pa.concat_arrays([pa.array([0], type=pa.int32()), pc.cumulative_sum(pc.cast(pc.list_value_length(lists), pa.int32()))])
    columns = _from_spark(rows.flatten()[: len(types)], types) if types else [pa.nulls(len(rows), pa.int8())]
    return _to_spark(aggregate.finish_lists([pa.ListArray.from_arrays(offsets, column) for column in columns]), output_type)


def _from_spark(columns: Sequence[pa.Array], types: Sequence[LogicalType]) -> list[pa.Array]:
    if not types:
        return []
    row_type = RowType.of([(str(i), type_) for i, type_ in enumerate(types)])
    batch = pa.RecordBatch.from_arrays(list(columns), names=[str(i) for i in range(len(types))])
    return list(from_edge(batch, row_type).columns)


def _to_spark(column: pa.Array, type_: LogicalType) -> pa.Array:
    schema = StructType([StructField("0", to_spark_type(edge_type(type_)), type_.nullable)])
    batch = pa.RecordBatch.from_arrays([column], names=["0"])
    return to_edge(batch, RowType.of([("0", type_)]), schema).column(0)


@functools.lru_cache(64)
def _invoker(payload: bytes) -> tuple[Any, tuple[LogicalType, ...], LogicalType]:
    from table_runtime.udf import Invocation, make_invoker

    definition, types, output_type = _load(payload)
    return make_invoker(Invocation(definition, types, output_type)), types, output_type


@functools.lru_cache(64)
def _aggregate(payload: bytes) -> tuple[Any, tuple[LogicalType, ...], LogicalType]:
    from table_runtime.aggregates import AggregateSpec, UserAggregate

    definition, types, output_type = _load(payload)
    return UserAggregate(definition, AggregateSpec(definition.name, types, output_type)), types, output_type


def _load(payload: bytes) -> Payload:
    loaded: Payload = cloudpickle.loads(payload)
    return loaded
