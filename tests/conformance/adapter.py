"""Runs conformance cases on our engines: values are converted to the corpus's encoding, nothing else.

``CONFORMANCE_PLANNER`` names the engine, ``arrow`` (the default) or ``spark``; one Spark session serves all cases.
``CONFORMANCE_SPARK_REMOTE`` is the address of a server of Spark Connect to use instead of a Spark in the process.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa

from table_api import EnvironmentSettings, ResultKind, TableEnvironment
from table_common.connector import RowKind
from table_common.types import (
    ArrayType,
    BinaryStringType,
    BitmapType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    LocalZonedTimestampType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)

PLANNER = os.environ.get("CONFORMANCE_PLANNER", "arrow")
REMOTE = os.environ.get("CONFORMANCE_SPARK_REMOTE")
_NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def make_env(mode: str) -> Env:
    """Returns a fresh session in ``batch`` or ``streaming`` mode, in UTC."""
    builder = EnvironmentSettings.new_instance().with_planner(PLANNER)
    settings = (builder.in_batch_mode() if mode == "batch" else builder.in_streaming_mode()).build()
    external = {"spark": _spark()} if PLANNER == "spark" else {}
    env = TableEnvironment.create(settings, external=external)
    env.get_config().set("table.local-time-zone", "UTC")
    env.get_config().set("table.dml-sync", "true")
    return Env(env)


class Env:
    """One session."""

    def __init__(self, env: TableEnvironment) -> None:
        self._env = env

    def run(self, sql: str) -> tuple[Any, ...]:
        """Runs one statement; returns ``("ok", None)`` or ``("rows", columns, rows, row kinds)``."""
        result = self._env.execute_sql(sql)
        if result.get_result_kind() is ResultKind.SUCCESS:
            return "ok", None
        schema = result.get_resolved_schema()
        rows: list[list[Any]] = []
        kinds: list[str] = []
        for batch in result.to_batches():
            columns = [[encode(cell, t) for cell in batch.column(i)] for i, t in enumerate(schema.column_types)]
            rows += [list(row) for row in zip(*columns, strict=True)]
            # A changelog has one more column, the row kind.
            codes = batch.column(len(columns)).to_pylist() if batch.num_columns > len(columns) else [0] * batch.num_rows
            kinds += [RowKind(code).short_string for code in codes]
        return "rows", [[c.name, str(c.data_type)] for c in schema.columns], rows, kinds

    def close(self) -> None:
        """Ends the session."""
        self._env.close()


def _spark() -> Any:
    from pyspark.sql import SparkSession

    from table_planner_spark import local_session

    if REMOTE is not None:
        return SparkSession.builder.remote(REMOTE).getOrCreate()
    return SparkSession.getActiveSession() or local_session("local[2]", {"spark.sql.shuffle.partitions": "2"})


def encode(cell: pa.Scalar, t: LogicalType) -> Any:
    """Returns an Arrow value of a logical type in the corpus's encoding."""
    if not cell.is_valid:
        return None
    match t:
        case DecimalType():
            return f"{cell.as_py():f}"
        case DateType():
            return cell.as_py().isoformat()
        case TimeType():
            return _clock(cell.value * _NANOS[cell.type.unit], t.precision)
        case TimestampType() | LocalZonedTimestampType():
            days, nanos = divmod(cell.value * _NANOS[cell.type.unit], 86_400 * 10**9)
            date = str(np.datetime64(days, "D"))  # Python has no year 10000
            return f"{'+' * (len(date) > 10)}{date} {_clock(nanos, t.precision)}" + ("Z" if isinstance(t, LocalZonedTimestampType) else "")
        case YearMonthIntervalType():
            months = cell.as_py()
            return f"{'-' if months < 0 else '+'}{abs(months) // 12}-{abs(months) % 12:02d}"
        case DayTimeIntervalType():
            total = cell.value * _NANOS[cell.type.unit]
            days, nanos = divmod(abs(total), 86_400 * 10**9)
            return f"{'-' if total < 0 else '+'}{days} {_clock(nanos, 3)}"
        case BinaryStringType():
            return "0x" + cell.as_py().hex()
        case ArrayType():
            return [encode(item, t.element_type) for item in cell.values]
        case MapType():
            return [[encode(i["key"], t.key_type), encode(i["value"], t.value_type)] for i in cell.values]
        case MultisetType():
            return [[encode(i["key"], t.element_type), i["value"].as_py()] for i in cell.values]
        case RowType() | StructuredType():
            return [encode(cell[i], f.type) for i, f in enumerate(t.fields)]
        case BitmapType():
            return str(cell.as_py())
        case _:
            return cell.as_py()


def _clock(nanos: int, digits: int) -> str:
    seconds, fraction = divmod(nanos, 10**9)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{fraction:09d}"[: len(text) + 1 + digits] if digits else text
