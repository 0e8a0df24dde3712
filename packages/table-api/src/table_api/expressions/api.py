"""The functions that expressions begin with: ``col``, ``lit``, ``call`` and those without a first argument of their own."""

from __future__ import annotations

from table_api.expressions.column_selection import ColumnRange, ColumnSelection
from table_api.expressions.expression import Expression
from table_api.expressions.literals import literal_of
from table_api.expressions.node_holder import built_in, call_of, to_unresolved
from table_api.expressions.sql_expression import SqlExpression
from table_api.expressions.symbols import JsonOnNull, TimePointUnit
from table_api.expressions.unresolved import Call, Literal, Reference, Star, Symbol, UnresolvedExpression
from table_common.catalog import parse_path
from table_common.exceptions import ValidationException
from table_common.functions import FunctionDefinition
from table_common.types import BigIntType, DataType, LogicalType

__all__ = [
    "CURRENT_RANGE",
    "CURRENT_ROW",
    "UNBOUNDED_RANGE",
    "UNBOUNDED_ROW",
    "and_",
    "array",
    "atan2",
    "call",
    "call_sql",
    "coalesce",
    "col",
    "concat",
    "concat_ws",
    "convert_tz",
    "current_database",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_watermark",
    "date_format",
    "e",
    "from_unixtime",
    "if_then_else",
    "json",
    "json_array",
    "json_array_agg",
    "json_object",
    "json_object_agg",
    "json_string",
    "lit",
    "local_time",
    "local_timestamp",
    "log",
    "map_",
    "negative",
    "not_",
    "null_of",
    "or_",
    "pi",
    "rand",
    "rand_integer",
    "range_",
    "row",
    "row_interval",
    "source_watermark",
    "temporal_overlaps",
    "timestamp_diff",
    "to_date",
    "to_timestamp",
    "to_timestamp_ltz",
    "unix_timestamp",
    "uuid",
    "with_columns",
    "without_columns",
]


def _built(name: str, *args: object) -> Expression:
    return Expression(call_of(name, *args))


def _all(name: str, args: tuple[object, ...]) -> Expression:
    # Every argument counts, also None, which is NULL.
    return Expression(Call(built_in(name), tuple(to_unresolved(arg) for arg in args)))


# --- columns, constants, calls -------------------------------------------------------------------------------------------------------


def col(name: str) -> Expression:
    """Returns the column of this name; ``*`` is all columns."""
    return Expression(Star() if name == "*" else Reference((name,)))


def lit(v: object, data_type: DataType | LogicalType | None = None) -> Expression:
    """Returns a constant, of the type given or of the type that the Python value has."""
    return Expression(to_unresolved(v) if data_type is None else literal_of(v, data_type))


def null_of(data_type: DataType | LogicalType) -> Expression:
    """Returns NULL of a type."""
    return Expression(literal_of(None, data_type))


def call(f: str | FunctionDefinition | object, *args: object) -> Expression:
    """Returns the call of a function by name, such as ``"UPPER"`` or ``"cat.db.f"``, or of a function itself.

    A function may be a definition, an object or class derived from ``ScalarFunction`` and the like, or what ``udf`` and its kin return.
    """
    return Expression(Call(_function(f), tuple(to_unresolved(arg) for arg in args)))


def _function(f: object) -> FunctionDefinition | tuple[str, ...]:
    if isinstance(f, str):
        return parse_path(f)
    if isinstance(f, FunctionDefinition):
        return f
    from table_common.functions import as_user_function

    return as_user_function(f)


def call_sql(sql_expression: str) -> Expression:
    """Returns the expression that SQL text says, such as ``"a > 2 AND b IS NULL"``; columns are those of the table it is used on."""
    return Expression(SqlExpression(sql_expression))


def range_(start: str | int, end: str | int) -> Expression:
    """Returns the columns from one to another, by name or by position from 1, for ``with_columns`` and ``without_columns``."""
    if isinstance(start, str) != isinstance(end, str):
        raise ValidationException(f"range_ takes two names or two positions, but got {start!r} and {end!r}.")
    return Expression(ColumnRange(start, end))


def with_columns(head: object, *tails: object) -> Expression:
    """Returns these columns, given by name, position or range."""
    return Expression(ColumnSelection(_columns(head, *tails)))


def without_columns(head: object, *tails: object) -> Expression:
    """Returns all columns but these."""
    return Expression(ColumnSelection(_columns(head, *tails), excluded=True))


def _columns(*columns: object) -> tuple[UnresolvedExpression, ...]:
    return tuple(Reference((c,)) if isinstance(c, str) else ColumnRange(c, c) if isinstance(c, int) else to_unresolved(c) for c in columns)


# --- logic ---------------------------------------------------------------------------------------------------------------------------


def and_(predicate0: object, predicate1: object, *predicates: object) -> Expression:
    """Returns whether all conditions are true."""
    return _all("AND", (predicate0, predicate1, *predicates))


def or_(predicate0: object, predicate1: object, *predicates: object) -> Expression:
    """Returns whether any condition is true."""
    return _all("OR", (predicate0, predicate1, *predicates))


def not_(expression: object) -> Expression:
    """Returns SQL's NOT: NULL where the condition is NULL."""
    return _all("NOT", (expression,))


def if_then_else(condition: object, if_true: object, if_false: object) -> Expression:
    """Returns one value where a condition is true, else the other."""
    return _all("IF", (condition, if_true, if_false))


def coalesce(*args: object) -> Expression:
    """Returns the first value that is not NULL."""
    return _all("COALESCE", args)


# --- numbers -------------------------------------------------------------------------------------------------------------------------


def pi() -> Expression:
    """Returns the ratio of a circle's circumference to its diameter."""
    return _built("PI")


def e() -> Expression:
    """Returns the base of the natural logarithm."""
    return _built("E")


def rand(seed: object = None) -> Expression:
    """Returns a random DOUBLE from 0 up to 1."""
    return _built("RAND", seed)


def rand_integer(bound: object, seed: object = None) -> Expression:
    """Returns a random INT from 0 up to the bound."""
    return _built("RAND_INTEGER", seed, bound)


def atan2(y: object, x: object) -> Expression:
    """Returns the angle of a point in radians."""
    return _built("ATAN2", y, x)


def negative(v: object) -> Expression:
    """Returns the number with its sign changed."""
    return _built("NEGATE", v)


def log(v: object, base: object = None) -> Expression:
    """Returns the logarithm to a base; without one the natural logarithm."""
    return _built("LOG", base, v)


def uuid() -> Expression:
    """Returns a random UUID as text."""
    return _built("UUID")


# --- text ----------------------------------------------------------------------------------------------------------------------------


def concat(first: object, *others: object) -> Expression:
    """Returns all texts, one after the other; NULL if one is NULL."""
    return _all("CONCAT", (first, *others))


def concat_ws(separator: object, first: object, *others: object) -> Expression:
    """Returns all texts with a separator between them; NULLs are left out."""
    return _all("CONCAT_WS", (separator, first, *others))


# --- rows, arrays, maps --------------------------------------------------------------------------------------------------------------


def array(head: object, *tail: object) -> Expression:
    """Returns an array of the elements."""
    return _all("ARRAY", (head, *tail))


def row(head: object, *tail: object) -> Expression:
    """Returns a row of the values."""
    return _all("ROW", (head, *tail))


def map_(key: object, value: object, *tail: object) -> Expression:
    """Returns a map of keys and values in turn."""
    return _all("MAP", (key, value, *tail))


def row_interval(rows: int) -> Expression:
    """Returns a number of rows, as the size of a window."""
    return Expression(Literal(rows, BigIntType(nullable=False)))


UNBOUNDED_ROW = Expression(Symbol("UNBOUNDED_ROW"))
"""The first or the last row of the partition, in windows that count rows."""
UNBOUNDED_RANGE = Expression(Symbol("UNBOUNDED_RANGE"))
"""The first or the last row of the partition, in windows that go by the order."""
CURRENT_ROW = Expression(Symbol("CURRENT_ROW"))
"""The current row, in windows that count rows."""
CURRENT_RANGE = Expression(Symbol("CURRENT_RANGE"))
"""The current row and its peers, in windows that go by the order."""


# --- time ----------------------------------------------------------------------------------------------------------------------------


def current_date() -> Expression:
    """Returns today's date in the session's time zone."""
    return _built("CURRENT_DATE")


def current_time() -> Expression:
    """Returns the time of day in the session's time zone."""
    return _built("CURRENT_TIME")


def current_timestamp() -> Expression:
    """Returns the instant now, as TIMESTAMP_LTZ(3)."""
    return _built("CURRENT_TIMESTAMP")


def local_time() -> Expression:
    """Returns the time of day in the session's time zone."""
    return _built("LOCALTIME")


def local_timestamp() -> Expression:
    """Returns date and time now in the session's time zone, as TIMESTAMP(3)."""
    return _built("LOCALTIMESTAMP")


def current_watermark(rowtimeAttribute: object) -> Expression:  # noqa: N803  # PyFlink's name
    """Returns the watermark of an event time column; NULL before there is one."""
    return _built("CURRENT_WATERMARK", rowtimeAttribute)


def source_watermark() -> Expression:
    """Returns the watermark that the source makes, for a schema's watermark."""
    return _built("SOURCE_WATERMARK")


def current_database() -> Expression:
    """Returns the name of the current database."""
    return _built("CURRENT_DATABASE")


def temporal_overlaps(left_time_point: object, left_temporal: object, right_time_point: object, right_temporal: object) -> Expression:
    """Returns whether two spans of time, each from a point to a point or for an interval, overlap."""
    return _built("OVERLAPS", left_time_point, left_temporal, right_time_point, right_temporal)


def date_format(timestamp: object, format: object) -> Expression:
    """Returns a timestamp as text in a format such as ``yyyy-MM-dd``."""
    return _built("DATE_FORMAT", timestamp, format)


def timestamp_diff(time_point_unit: TimePointUnit, time_point1: object, time_point2: object) -> Expression:
    """Returns how many whole units lie between two points in time."""
    return _built("TIMESTAMPDIFF", time_point_unit, time_point1, time_point2)


def to_date(date_str: object, format: object = None) -> Expression:
    """Returns the DATE of text, by default ``yyyy-MM-dd``; NULL if it is none."""
    return _built("TO_DATE", date_str, format)


def to_timestamp(timestamp_str: object, format: object = None) -> Expression:
    """Returns the TIMESTAMP(3) of text, by default ``yyyy-MM-dd HH:mm:ss``; NULL if it is none."""
    return _built("TO_TIMESTAMP", timestamp_str, format)


def to_timestamp_ltz(*args: object) -> Expression:
    """Returns the TIMESTAMP_LTZ of a number of seconds or, with a second argument 3, milliseconds; or of text."""
    return _built("TO_TIMESTAMP_LTZ", *args)


def from_unixtime(unixtime: object, format: object = None) -> Expression:
    """Returns seconds since 1970 as text in the session's time zone."""
    return _built("FROM_UNIXTIME", unixtime, format)


def unix_timestamp(date_str: object = None, format: object = None) -> Expression:
    """Returns seconds since 1970: now, or of text in the session's time zone."""
    return _built("UNIX_TIMESTAMP", date_str, format)


def convert_tz(date_str: object, tz_from: object, tz_to: object) -> Expression:
    """Returns text of a date and time in one time zone as text in another."""
    return _built("CONVERT_TZ", date_str, tz_from, tz_to)


# --- JSON ----------------------------------------------------------------------------------------------------------------------------


def json(value: object) -> Expression:
    """Returns text that json_object and json_array take as JSON, not as a string."""
    return _built("JSON", value)


def json_string(value: object) -> Expression:
    """Returns a value as JSON."""
    return _built("JSON_STRING", value)


def json_object(on_null: JsonOnNull = JsonOnNull.NULL, *args: object) -> Expression:
    """Returns a JSON object of keys and values in turn."""
    return _all("JSON_OBJECT", (on_null, *args))


def json_array(on_null: JsonOnNull = JsonOnNull.ABSENT, *args: object) -> Expression:
    """Returns a JSON array of values."""
    return _all("JSON_ARRAY", (on_null, *args))


def json_object_agg(on_null: JsonOnNull, key_expr: object, value_expr: object) -> Expression:
    """Aggregates keys and values to a JSON object."""
    return _all(f"JSON_OBJECTAGG_{on_null.value}", (key_expr, value_expr))


def json_array_agg(on_null: JsonOnNull, item_expr: object) -> Expression:
    """Aggregates values to a JSON array."""
    return _all(f"JSON_ARRAYAGG_{on_null.value}", (item_expr,))
