"""Lowers window table functions: TUMBLE to Spark's own window, others to arithmetic on local time in microseconds, and ``explode`` where a row belongs to several windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_api.operations import (
    CumulateWindow,
    HopWindow,
    SessionWindow,
    TumbleWindow,
    WindowTableFunctionQueryOperation,
)
from table_common.tree import TypeDispatch
from table_common.types import TimestampType
from table_planner_spark.context import LoweringContext
from table_planner_spark.expressions.cast import to_spark_cast
from table_planner_spark.expressions.converter import to_spark_sql
from table_planner_spark.expressions.temporal_encoding import EPOCH, micros_of_local
from table_planner_spark.lowering.dispatch import lower
from table_planner_spark.quoting import quote_name
from table_planner_spark.relation import SparkRelation

_LOCAL = TimestampType(3)
_UNCUT = TimestampType(6)


@dataclass(frozen=True)
class _Rows:
    """Column names. ``time`` is the row's local time in microseconds since 1970-01-01 00:00, never NULL; ``kept`` are the child's columns."""

    kept: tuple[str, ...]
    time: str
    partition_by: tuple[str, ...]
    start: str
    end: str


_steps: TypeDispatch[[_Rows], list[list[str]]] = TypeDispatch("The planner 'spark'")
"""Returns, for a kind of window, the successive projections that add start and end of each window in microseconds."""


@lower.register(WindowTableFunctionQueryOperation)
def lower_window_table_function(
    node: WindowTableFunctionQueryOperation, inputs: Sequence[SparkRelation], context: LoweringContext
) -> SparkRelation:
    """Assigns each row to its windows."""
    (child,) = inputs
    if isinstance(node.window, TumbleWindow):
        return _tumble(node, node.window, child, context)
    rows = _Rows(
        tuple(map(quote_name, child.columns)),
        quote_name(context.new_name("time")),
        tuple(to_spark_sql(key, child.columns) for key in node.partition_by),
        quote_name(context.new_name("start")),
        quote_name(context.new_name("end")),
    )
    local = to_spark_cast(to_spark_sql(node.time, child.columns), node.time.output_type, _LOCAL)
    frame = child.frame.selectExpr(*rows.kept, f"{micros_of_local(local)} AS {rows.time}")
    frame = frame.where(f"{rows.time} IS NOT NULL")
    for columns in _steps(node.window, rows):
        frame = frame.selectExpr(*rows.kept, *columns)
    if not node.window.is_even:
        frame = frame.where(f"{rows.end} > {rows.time}")
    names = context.new_names(node.names)
    last = to_spark_cast(_timestamp(f"({rows.end} - 1000L)"), _LOCAL, node.window_time_type)
    columns = [_timestamp(rows.start), _timestamp(rows.end), last]
    added = [f"{column} AS {quote_name(name)}" for column, name in zip(columns, names, strict=True)]
    return SparkRelation(frame.selectExpr(*rows.kept, *added), (*child.columns, *names))


def _tumble(node: WindowTableFunctionQueryOperation, window: TumbleWindow, child: SparkRelation, context: LoweringContext) -> SparkRelation:
    """Assigns each row to one window. Spark's function takes times as numbers at no cost, which no expression of SQL does, and drops rows without a time."""
    kept = tuple(map(quote_name, child.columns))
    # Lengths are whole milliseconds, so that finer digits of the time do not matter.
    local = to_spark_cast(to_spark_sql(node.time, child.columns), node.time.output_type, _UNCUT)
    name = quote_name(context.new_name("window"))
    size, offset = (f"'{length} milliseconds'" for length in (window.size, window.offset))
    frame = child.frame.selectExpr(*kept, f"window({local}, {size}, {size}, {offset}) AS {name}")
    last = to_spark_cast(f"({name}.end - INTERVAL '0.001' SECOND)", _LOCAL, node.window_time_type)
    names = context.new_names(node.names)
    added = [f"{text} AS {quote_name(column)}" for text, column in zip((f"{name}.start", f"{name}.end", last), names, strict=True)]
    return SparkRelation(frame.selectExpr(*kept, *added), (*child.columns, *names))


def _timestamp(micros: str) -> str:
    return f"({EPOCH} + {micros} * INTERVAL '0.000001' SECOND)"


def _micros(milliseconds: int) -> str:
    return f"{milliseconds * 1000}L"


def _floor(time: str, length: int, offset: int) -> str:
    """Returns the latest multiple of the length, plus the offset, that is not after the time; also before 1970."""
    moved = f"({time} - {_micros(offset)})" if offset else time
    return f"({time} - pmod({moved}, {_micros(length)}))"


@_steps.register(HopWindow)
def _hop(window: HopWindow, rows: _Rows) -> list[list[str]]:
    latest = _floor(rows.time, window.slide, window.offset)
    earliest = _micros((-(-window.size // window.slide) - 1) * window.slide)
    starts = f"explode(sequence({latest}, {latest} - {earliest}, -{_micros(window.slide)})) AS {rows.start}"
    return [[rows.time, starts], [rows.time, rows.start, f"({rows.start} + {_micros(window.size)}) AS {rows.end}"]]


@_steps.register(CumulateWindow)
def _cumulate(window: CumulateWindow, rows: _Rows) -> list[list[str]]:
    start = f"{_floor(rows.time, window.size, window.offset)} AS {rows.start}"
    first = f"({_floor(rows.time, window.step, window.offset)} + {_micros(window.step)})"
    ends = f"explode(sequence({first}, {rows.start} + {_micros(window.size)}, {_micros(window.step)})) AS {rows.end}"
    return [[rows.time, start], [rows.start, ends]]


@_steps.register(SessionWindow)
def _session(window: SessionWindow, rows: _Rows) -> list[list[str]]:
    partition = f"PARTITION BY {', '.join(rows.partition_by)} " if rows.partition_by else ""
    order = f"{partition}ORDER BY {rows.time} ASC"
    passed = f"{rows.time} - lag({rows.time}) OVER ({order})"
    is_first = f"if(coalesce({passed} <= {_micros(window.gap)}, false), 0L, 1L) AS {rows.start}"
    session = f"sum({rows.start}) OVER ({order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS {rows.start}"
    of_session = f"OVER (PARTITION BY {', '.join((*rows.partition_by, rows.start))})"
    bounds = [f"min({rows.time}) {of_session} AS {rows.start}", f"(max({rows.time}) {of_session} + {_micros(window.gap)}) AS {rows.end}"]
    return [[rows.time, is_first], [rows.time, session], bounds]
