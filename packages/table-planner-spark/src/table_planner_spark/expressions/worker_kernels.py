"""Evaluates what Spark SQL cannot express in Spark's Python workers, with the Arrow kernels of ``table_runtime``.

Such an expression becomes a call of a temporary function, whose name is a digest of what it computes. Spark evaluates these functions
before the expression that contains them, so a branch of CASE does not prevent their errors. Lambdas cannot contain them.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import SparkSession

from table_api_bridge import to_spark_type
from table_common.arrow import to_arrow_type
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
    field_references,
)
from table_common.types import LogicalType
from table_planner_spark.expressions.names import WORKER_PREFIX
from table_planner_spark.expressions.python_boundary import decode_sql, encode_sql, transport_type
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.session.workers import require_packages
from table_planner_spark.spark_internals import arrow_function

if TYPE_CHECKING:
    from table_common.functions import FunctionDefinition
    from table_runtime.expressions import Evaluator

_CONSTANTS = (ValueLiteralExpression, TypeLiteralExpression)
_REGISTERED: weakref.WeakKeyDictionary[SparkSession, set[str]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def through_kernel(call: CallExpression, args: Sequence[str]) -> str:
    """A translation that calls the function's Arrow kernel; constant arguments stay constants."""
    columns: list[str] = []
    arguments: list[ResolvedExpression] = []
    for argument, text in zip(call.args, args, strict=True):
        if isinstance(argument, _CONSTANTS):
            arguments.append(argument)
        else:
            arguments.append(FieldReferenceExpression(f"f{len(columns)}", argument.output_type, 0, len(columns)))
            columns.append(text if transport_type(argument.output_type) == argument.output_type else encode_sql(text, argument.output_type))
    result = evaluate_in_worker(CallExpression(call.function, tuple(arguments), transport_type(call.output_type)), columns)
    return decode_sql(result, call.output_type)


def evaluate_in_worker(expression: ResolvedExpression, columns: Sequence[str]) -> str:
    """Returns Spark SQL for an expression whose field references are positions in ``columns``, which are Spark SQL."""
    from table_runtime.evaluation_context import EvaluationContext
    from table_runtime.expressions import Evaluator

    evaluator = Evaluator([expression], EvaluationContext(current_scope().time_zone, legacy_casts=current_scope().legacy_casts))
    payload = pickle.dumps(evaluator)
    make = _evaluating_in_order if evaluator.needs_order else _evaluating
    # A column carries the number of rows, so there must be one.
    return _call(payload, columns or ["0"], expression.output_type, lambda: make(payload), is_deterministic=not evaluator.needs_order)


def aggregate_in_worker(function: FunctionDefinition, argument_type: LogicalType, output_type: LogicalType, values: str) -> str:
    """Returns Spark SQL for an aggregate of the lists ``values``, which ``collect_list`` builds."""
    from table_runtime.aggregates import AggregateSpec

    payload = pickle.dumps((function, AggregateSpec(function.name, (argument_type,), output_type)))
    return _call(payload, [values], output_type, lambda: _aggregating(payload))


def _call(
    payload: bytes, columns: Sequence[str], type_: LogicalType, make: Callable[[], Callable[..., Any]], *, is_deterministic: bool = True
) -> str:
    name = WORKER_PREFIX + hashlib.sha256(payload).hexdigest()[:24]
    spark = current_scope().spark
    if spark is not None:
        with _LOCK:
            known = _REGISTERED.setdefault(spark, set())
            is_new = name not in known
            known.add(name)
        if is_new:
            require_packages(spark)
            spark.udf.register(name, arrow_function(make(), to_spark_type(type_), is_deterministic=is_deterministic))
    return f"{name}({', '.join(columns)})"


def _evaluating(payload: bytes) -> Callable[..., pa.Array]:
    def evaluate(*columns: pa.Array) -> pa.Array:
        return evaluate_columns(payload, columns)

    evaluate.__annotations__ = {"columns": pa.Array, "return": pa.Array}
    return evaluate


def _evaluating_in_order(payload: bytes) -> Callable[..., Iterator[pa.Array]]:
    """Returns the Arrow function for a stateful expression, whose state starts over in each task."""

    def evaluate(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        return evaluate_batches(payload, batches)

    evaluate.__annotations__ = {"batches": Iterator[tuple[pa.Array, ...]], "return": Iterator[pa.Array]}
    return evaluate


def _aggregating(payload: bytes) -> Callable[..., pa.Array]:
    def aggregate(lists: pa.Array) -> pa.Array:
        return aggregate_lists(payload, lists)

    aggregate.__annotations__ = {"lists": pa.Array, "return": pa.Array}
    return aggregate


def evaluate_columns(payload: bytes, columns: Sequence[pa.Array]) -> pa.Array:
    """Evaluates an expression over a batch; runs in a worker."""
    return _evaluate(*_evaluator(payload), columns)


def evaluate_batches(payload: bytes, batches: Iterator[tuple[pa.Array, ...] | pa.Array]) -> Iterator[pa.Array]:
    """Evaluates a stateful expression over the batches of a task; runs in a worker."""
    evaluator, types = _load(payload)
    for columns in batches:  # Spark passes a single column without a tuple
        yield _evaluate(evaluator, types, columns if isinstance(columns, tuple) else (columns,))


def aggregate_lists(payload: bytes, lists: pa.Array) -> pa.Array:
    """Aggregates a batch of lists; runs in a worker."""
    from table_runtime.aggregates import Collecting, make_accumulator

    function, spec = pickle.loads(payload)
    accumulator = make_accumulator(function, spec)
    assert isinstance(accumulator, Collecting)
    return accumulator.finish_lists([lists])


@functools.lru_cache(64)
def _evaluator(payload: bytes) -> tuple[Evaluator, dict[int, pa.DataType]]:
    return _load(payload)


def _load(payload: bytes) -> tuple[Evaluator, dict[int, pa.DataType]]:
    evaluator = pickle.loads(payload)
    used = [reference for expression in evaluator.expressions for reference in field_references(expression)]
    return evaluator, {reference.field_index: to_arrow_type(reference.output_type) for reference in used}


def _evaluate(evaluator: Evaluator, types: Mapping[int, pa.DataType], columns: Sequence[pa.Array]) -> pa.Array:
    arrays = [column.cast(types[index]) if index in types else column for index, column in enumerate(columns)]
    (result,) = evaluator.evaluate(pa.record_batch(arrays, names=[f"f{index}" for index in range(len(arrays))]))
    return result
