"""Translates calls of user functions to Spark SQL: each function is registered as a temporary Arrow function of the session.

Spark evaluates all functions of a projection in one pass, nested calls included. It evaluates them before the expression that contains them, so
a branch of CASE does not prevent a call.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql import SparkSession

from table_api.operations import AggregateCall
from table_api_bridge import to_spark_type
from table_common.expressions import CallExpression
from table_common.functions import FunctionDefinition
from table_common.types import LogicalType
from table_planner_spark.expressions.names import WORKER_PREFIX
from table_planner_spark.expressions.python_boundary import decode_sql, encode_sql, transport_type
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.expressions.user_functions.metrics import accumulator_of
from table_planner_spark.expressions.user_functions.shipping import dumps, ship_cached_files, ship_files
from table_planner_spark.expressions.user_functions.worker import aggregating, merging, scalar
from table_planner_spark.session.workers import require_packages
from table_planner_spark.spark_internals import arrow_function

if TYPE_CHECKING:
    from table_common.functions import UserFunction

_NAMES: weakref.WeakKeyDictionary[FunctionDefinition, dict[object, str]] = weakref.WeakKeyDictionary()
_REGISTERED: weakref.WeakKeyDictionary[SparkSession, set[str]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def scalar_call(call: CallExpression, args: Sequence[str]) -> str:
    """Returns Spark SQL for the call of a scalar function, or for the array of a table function's rows."""
    types = tuple(argument.output_type for argument in call.args)
    columns = [encode_sql(text, type_) for text, type_ in zip(args, types, strict=True)]
    # Without arguments, a constant column carries the number of rows.
    return _call(call.function, types, call.output_type, columns or ["0"], scalar)


def aggregate_call(call: AggregateCall, args: Sequence[str], condition: str) -> str:
    """Returns Spark SQL for a user aggregate: Spark collects the rows of each group in a list, and a worker aggregates many lists per call."""
    types = tuple(argument.output_type for argument in call.args)
    fields = [f"'a{i}', {encode_sql(text, type_)}" for i, (text, type_) in enumerate(zip(args, types, strict=True))]
    rows = f"collect_list(named_struct({', '.join(fields) or chr(39) + 'a' + chr(39) + ', 1'})){condition}"
    return _call(call.function, types, call.output_type, [f"array_distinct({rows})" if call.distinct else rows], aggregating)


def merge_call(call: AggregateCall, states: str) -> str:
    """Returns Spark SQL for the result of a user aggregate from the list of its accumulators, which are bytes."""
    types = tuple(argument.output_type for argument in call.args)
    return _call(call.function, types, call.output_type, [states], merging)


def payload_of(definition: UserFunction, types: tuple[LogicalType, ...], output_type: LogicalType) -> bytes:
    """Returns the pickled function and types of a call, and ships the files that the function imports to the workers."""
    spark = current_scope().spark
    if spark is None:
        return dumps((definition, types, output_type, None), definition.name)
    return dumps((shipped(definition, spark), types, output_type, accumulator_of(spark)), definition.name)


def shipped(definition: UserFunction, spark: SparkSession) -> UserFunction:
    """Ships the files of a function to the workers; returns the function with their paths there."""
    ship_files(spark, definition.python_files)
    if not definition.cached_files:
        return definition
    return definition.with_job(
        definition.job_parameters,
        definition.python_files,
        ship_cached_files(spark, definition.cached_files),
        definition.archives,
        truncates_fractions=definition.truncates_fractions,
    )


def _call(
    definition: FunctionDefinition,
    types: tuple[LogicalType, ...],
    output_type: LogicalType,
    columns: Sequence[str],
    make: Callable[[bytes], Callable[..., Any]],
) -> str:
    spark = current_scope().spark
    key = (types, output_type, make)
    with _LOCK:
        names = _NAMES.setdefault(definition, {})
        name = names.get(key)
        if name is None or (spark is not None and name not in _REGISTERED.setdefault(spark, set())):
            name = names[key] = _register(cast("UserFunction", definition), types, output_type, make, spark)
    return decode_sql(f"{name}({', '.join(columns)})", output_type)


def _register(
    definition: UserFunction,
    types: tuple[LogicalType, ...],
    output_type: LogicalType,
    make: Callable[[bytes], Callable[..., Any]],
    spark: SparkSession | None,
) -> str:
    payload = payload_of(definition, types, output_type)
    # A function can be registered in several forms (over rows, lists of rows, accumulators) with the same payload.
    identity = make.__name__.encode() + b"\0" + payload
    name = WORKER_PREFIX + hashlib.sha256(identity).hexdigest()[:24]
    if spark is not None:
        require_packages(spark)
        type_ = to_spark_type(transport_type(output_type))
        spark.udf.register(name, arrow_function(make(payload), type_, is_deterministic=definition.is_deterministic))
        _REGISTERED.setdefault(spark, set()).add(name)
    return name
