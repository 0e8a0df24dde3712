"""Runs user functions in Spark's Python workers: one invoker per call and worker processes the columns of each batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
from pyspark import cloudpickle

from table_common.arrow import compute as pc
from table_common.functions import UserFunction, link_archives
from table_common.types import LogicalType
from table_planner_spark.expressions.user_functions.metrics import send_metrics_to
from table_planner_spark.expressions.user_functions.shipping import local_files
from table_planner_spark.expressions.user_functions.tasks import tell_tasks
from table_planner_spark.expressions.user_functions.transport import ArgumentTransport, ResultTransport

if TYPE_CHECKING:
    from table_runtime.streaming import ProcessSpec


class AccumulateCall(Protocol):
    """One aggregate: the pickled function, the positions of its arguments and of its filter."""

    @property
    def payload(self) -> bytes: ...
    @property
    def args(self) -> Sequence[int]: ...
    @property
    def filter(self) -> int | None: ...


Payload = tuple[UserFunction, tuple[LogicalType, ...], LogicalType]


def scalar(payload: bytes) -> Callable[..., pa.Array]:
    """Returns the Arrow function that calls a scalar or table function over columns."""

    def evaluate(*columns: pa.Array) -> pa.Array:
        return call_scalar(payload, columns)

    evaluate.__annotations__ = {"columns": pa.Array, "return": pa.Array}
    return evaluate


def aggregating(payload: bytes) -> Callable[..., pa.Array]:
    """Returns the Arrow function that calls an aggregate over lists of rows, one list per group."""

    def aggregate(lists: pa.Array) -> pa.Array:
        return call_aggregate(payload, lists)

    aggregate.__annotations__ = {"lists": pa.Array, "return": pa.Array}
    return aggregate


def merging(payload: bytes) -> Callable[..., pa.Array]:
    """Returns the Arrow function that merges lists of serialized accumulators, one list per group, and returns the results."""

    def merge(lists: pa.Array) -> pa.Array:
        return call_merge(payload, lists)

    merge.__annotations__ = {"lists": pa.Array, "return": pa.Array}
    return merge


def call_scalar(payload: bytes, columns: Sequence[pa.Array]) -> pa.Array:
    """Evaluates a batch in the worker. A call without arguments has one column, which carries the number of rows."""
    invoker, arguments, result = _invoker(payload)
    return result(invoker(arguments(columns), len(columns[0])))


def call_aggregate(payload: bytes, lists: pa.Array) -> pa.Array:
    """Evaluates a batch of groups in the worker. Without arguments, the lists carry only the numbers of rows."""
    aggregate, arguments, result = _aggregate(payload)
    rows = pc.list_flatten(lists)
    offsets = pa.concat_arrays([pa.array([0], type=pa.int32()), pc.cumulative_sum(pc.cast(pc.list_value_length(lists), pa.int32()))])
    columns = arguments(rows.flatten()) or [pa.nulls(len(rows), pa.int8())]
    return result(aggregate.finish_lists([pa.ListArray.from_arrays(offsets, column) for column in columns]))


def call_merge(payload: bytes, lists: pa.Array) -> pa.Array:
    """Evaluates a batch of groups in the worker from the accumulators of their rows."""
    states, result = _states(payload, is_filtered=False)
    return result(states.finish_states(lists))


def accumulate(
    run: Sequence[pa.RecordBatch], schema: pa.Schema, output_schema: pa.Schema, keys: Sequence[int], calls: Sequence[AccumulateCall]
) -> pa.RecordBatch:
    """Returns one row for each group of the batches: the keys, and for each call the serialized accumulator."""
    from table_runtime.batch import AggregationPlan, KeyCodec
    from table_runtime.columns import make_batch, rechunk

    batch = rechunk(run, schema)
    codec = KeyCodec([batch.column(key).type for key in keys])
    columns = [[batch.column(position) for position in call.args] for call in calls]
    for call, arguments in zip(calls, columns, strict=True):
        if call.filter is not None:
            arguments.append(pc.fill_null(batch.column(call.filter), False))
        elif not arguments:
            arguments.append(pa.repeat(pa.scalar(True), batch.num_rows))
    plan = AggregationPlan(codec, [_states(call.payload, is_filtered=call.filter is not None or not call.args)[0] for call in calls])
    states = plan.partial([batch.column(key) for key in keys], columns, batch.num_rows)
    return make_batch([*codec.decode(states.keys), *(column for (column,) in states.columns)], output_schema, states.groups)


@functools.lru_cache(64)
def _invoker(payload: bytes) -> tuple[Any, ArgumentTransport, ResultTransport]:
    from table_runtime.udf import Invocation, make_invoker

    definition, types, output_type = _load(payload)
    return make_invoker(Invocation(definition, types, output_type)), ArgumentTransport(types), ResultTransport(output_type)


@functools.lru_cache(64)
def _aggregate(payload: bytes) -> tuple[Any, ArgumentTransport, ResultTransport]:
    from table_runtime.aggregates import AggregateSpec, UserAggregate

    definition, types, output_type = _load(payload)
    spec = AggregateSpec(definition.name, types, output_type)
    return UserAggregate(definition, spec), ArgumentTransport(types), ResultTransport(output_type)


@functools.lru_cache(64)
def _states(payload: bytes, *, is_filtered: bool) -> tuple[Any, ResultTransport]:
    from table_runtime.aggregates import AggregateSpec, UserStates

    definition, types, output_type = _load(payload)
    return UserStates(definition, AggregateSpec(definition.name, types, output_type), is_filtered=is_filtered), ResultTransport(output_type)


def process_spec_of(payload: bytes) -> ProcessSpec:
    """Returns the call of a process table function that was pickled with its metrics."""
    spec, metrics = cloudpickle.loads(payload)
    _prepare(spec.function, metrics)
    result: ProcessSpec = spec
    return result


def _load(payload: bytes) -> Payload:
    definition, types, output_type, metrics = cloudpickle.loads(payload)
    _prepare(definition, metrics)
    return definition, types, output_type


def _prepare(definition: UserFunction, metrics: Any) -> None:
    """Prepares this worker for calls of a function."""
    from table_runtime.udf import pickle_unknown_classes_with

    send_metrics_to(metrics)
    tell_tasks()
    by_value: Any = cloudpickle.dumps  # it has no annotations
    pickle_unknown_classes_with(by_value)
    if definition.cached_files:
        definition.cached_files = local_files(definition.cached_files)
        link_archives({name: definition.cached_files[name] for name in definition.archives}, replace=True)
