"""Resolves functions of an engine on Spark, and infers the types of their calls with Spark's analyzer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, StructType

from table_api_bridge import from_spark_type
from table_common.exceptions import TableException, ValidationException
from table_common.expressions import ResolvedExpression, references
from table_common.functions import EngineFunction, FunctionDefinition, FunctionKind
from table_common.types import LocalZonedTimestampType, LogicalType, RowField, RowType, TimestampType
from table_planner_spark.errors import analysis_message
from table_planner_spark.expressions.engine_functions.calls import call_text
from table_planner_spark.expressions.engine_functions.hive_classes import HIVE_PREFIX
from table_planner_spark.expressions.engine_functions.spark_function import SparkFunction
from table_planner_spark.expressions.names import to_type_sql
from table_planner_spark.expressions.session_scope import current_scope
from table_planner_spark.quoting import quote_name

_ASKING: ContextVar[bool] = ContextVar("asking", default=False)
for _name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
    # PySpark logs each error with its stack trace in addition to raising it. Here an invalid call is an expected result.
    PySparkLogger.getLogger(_name).addFilter(lambda record: not _ASKING.get())
_LONGEST_CACHE = 4096


class EngineFunctions:
    """Resolves engine functions; caches their definitions and the types of their calls."""

    def __init__(self, translating: Callable[[], AbstractContextManager[object]], to_sql: Callable[[ResolvedExpression], str]) -> None:
        """Creates a resolver with an empty cache.

        Args:
            translating: Opens a scope in which the Spark session has the options for analyzing plans and ``current_scope`` returns that session.
            to_sql: Translates an expression to Spark SQL.
        """
        self._translating = translating
        self._to_sql = to_sql
        self._functions: dict[EngineFunction, FunctionDefinition] = {}
        self._types: dict[str, LogicalType] = {}
        self._lock = threading.Lock()

    def resolve(self, function: EngineFunction) -> FunctionDefinition:
        """Returns the function's definition on Spark.

        Raises:
            TableException: Spark has no such function, or cannot run it here; the message says why.
        """
        with self._lock:
            found = self._functions.get(function)
            if found is None:
                found = self._functions[function] = self._define(function)
            return found

    def _define(self, function: EngineFunction) -> FunctionDefinition:
        name, kind, deterministic = function.name, function.kind, function.deterministic
        if function.substitute is not None:
            return SparkFunction(name, kind, function.substitute, self._type_of, deterministic=deterministic)
        if function.system == "hive" and function.implementation:
            sql_name = HIVE_PREFIX + name.lower()
            return SparkFunction(name, kind, sql_name, self._type_of, hive_class=function.implementation, deterministic=deterministic)
        if function.system == "spark" and function.implementation:
            return SparkFunction(name, kind, quote_name(function.implementation), self._type_of, deterministic=deterministic)
        if function.equivalent is not None:
            return function.equivalent
        reason = function.remark or "the Hive that PySpark ships does not have it, and Spark has no function like it"
        raise TableException(f"The planner 'spark' cannot run the function {name} of {function.system}: {reason}.")

    def _type_of(self, function: SparkFunction, arguments: Sequence[ResolvedExpression], types: Sequence[LogicalType]) -> LogicalType:
        with self._translating():
            spark = current_scope().spark
            assert spark is not None
            texts, columns = [], []
            for position, (argument, type_) in enumerate(zip(arguments, types, strict=True)):
                if _is_constant(argument) and argument.output_type == type_:
                    # Some functions require constants, and their result type depends on the value.
                    texts.append(self._to_sql(argument))
                else:
                    columns.append(f"CAST(NULL AS {to_type_sql(type_)}) AS __argument{position}")
                    texts.append(f"__argument{position}")
            source = f" FROM (SELECT {', '.join(columns)})" if columns else ""
            query = f"SELECT {call_text(function, texts, types, None)}{source}"
            known = self._types.get(query)
            if known is None:
                if len(self._types) >= _LONGEST_CACHE:
                    self._types.clear()
                known = self._types[query] = _result_type(function, types, _analyzed(function, types, query, spark))
            return known


def _is_constant(argument: ResolvedExpression) -> bool:
    return not references([argument])


def _analyzed(function: SparkFunction, types: Sequence[LogicalType], query: str, spark: SparkSession) -> StructType:
    token = _ASKING.set(True)
    try:
        return spark.sql(query).schema
    except (PySparkException, Py4JError) as error:
        raise ValidationException(
            f"{_call_text(function, types)} is not a valid call: {analysis_message(error)}",
            hint=f"DESCRIBE FUNCTION EXTENDED {function.name}",
        ) from error
    finally:
        _ASKING.reset(token)


def _result_type(function: SparkFunction, types: Sequence[LogicalType], schema: StructType) -> LogicalType:
    try:
        found = [RowField(field.name, _logical_type(function, field.dataType)) for field in schema.fields]
    except TableException as error:
        raise TableException(f"{_call_text(function, types)} cannot be used: {error.message}") from error
    if function.kind is FunctionKind.TABLE:
        return RowType(tuple(found), nullable=False)
    return found[0].type


def _logical_type(function: SparkFunction, type_: DataType) -> LogicalType:
    found = from_spark_type(type_)
    # Hive's timestamps have no zone.
    return TimestampType(6) if function.hive_class is not None and isinstance(found, LocalZonedTimestampType) else found


def _call_text(function: SparkFunction, types: Sequence[LogicalType]) -> str:
    return f"{function.name}({', '.join(map(str, types))})"
