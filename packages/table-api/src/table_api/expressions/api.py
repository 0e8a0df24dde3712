"""Functions that create expressions: ``col``, ``lit``, ``call``, and built-in functions that are not methods of ``Expression``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.column_selection import ColumnRange, ColumnSelection
from table_api.expressions.expression import Expression
from table_api.expressions.literals import literal_of
from table_api.expressions.node_holder import call_of, to_unresolved
from table_api.expressions.sql_expression import SqlExpression
from table_api.expressions.symbols import JsonOnNull
from table_api.expressions.unresolved import Call, Literal, Reference, Star, Symbol, UnresolvedExpression
from table_common.catalog import parse_path
from table_common.exceptions import ValidationException
from table_common.functions import FunctionDefinition
from table_common.types import BigIntType, DataType, LogicalType


def _built(name: str, *args: object, optional: Sequence[object] = ()) -> Expression:
    return Expression(call_of(name, *args, optional=optional))


# --- columns, constants, calls -------------------------------------------------------------------------------------------------------


def col(name: str) -> Expression:
    """Returns a column by name; ``*`` stands for all columns.

    Example:
        >>> str(col("a") + 1)
        'PLUS(a, 1)'

    Source: PyFlink's ``pyflink.table.expressions.col``.
    """
    return Expression(Star() if name == "*" else Reference((name,)))


def lit(v: object, data_type: DataType | LogicalType | None = None) -> Expression:
    """Returns a constant of a SQL type.

    Args:
        v: a Python value; None is NULL.
        data_type: the type; by default the one that follows from the class of the value, such as INT for a small ``int``.

    Raises:
        ValidationException: the class of the value has no SQL type, or the value does not match ``data_type``.

    Example:
        >>> env.from_values((lit(1), lit("a"), lit(None, DataTypes.INT()))).print_schema()
        (
          `f0` INT NOT NULL,
          `f1` CHAR(1) NOT NULL,
          `f2` INT
        )

    Source: PyFlink's ``pyflink.table.expressions.lit``.
    """
    return Expression(to_unresolved(v) if data_type is None else literal_of(v, data_type))


def null_of(data_type: DataType | LogicalType) -> Expression:
    """Returns NULL with a type."""
    return Expression(literal_of(None, data_type))


def call(f: str | FunctionDefinition | object, *args: object) -> Expression:
    """Returns a call of a function.

    Args:
        f: a name such as ``"UPPER"`` or ``"catalog.database.f"``, which is looked up when the expression is used; or a function: a definition,
            a subclass or an object of ``UserDefinedFunction``, or the result of ``udf``, ``udtf``, ``udaf`` or ``udtaf``.
        args: expressions or constants.

    Raises:
        ValidationException: ``f`` is neither a name nor a function, or an argument has no SQL type.

    Example:
        >>> str(call("UPPER", col("name")))
        'UPPER(name)'

    Source: PyFlink's ``pyflink.table.expressions.call``.
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
    """Returns a SQL expression, such as ``"a > 2 AND b IS NULL"``, which is parsed when it is used on a table."""
    return Expression(SqlExpression(sql_expression))


def current_database() -> Expression:
    """Returns the name of the current database."""
    return _built("CURRENT_DATABASE")


def range_(start: str | int, end: str | int) -> Expression:
    """Returns a range of columns, both ends included, by name or by position from 1, for ``with_columns`` and ``without_columns``.

    Raises:
        ValidationException: one end is a name and the other a position.
    """
    if isinstance(start, str) != isinstance(end, str):
        raise ValidationException(f"range_ takes two names or two positions, but got {start!r} and {end!r}.")
    return Expression(ColumnRange(start, end))


def with_all_columns() -> Expression:
    """Returns all columns; unlike ``col("*")`` also as arguments of a function.

    Example:
        >>> from table_api import EnvironmentSettings, TableEnvironment
        >>> env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
        >>> list(env.sql_query("SELECT 1 AS a, 2 AS b").select(with_all_columns()).execute().collect())
        [Row(a=1, b=2)]
    """
    return Expression(ColumnSelection((Star(),)))


def with_columns(head: object, *tails: object) -> Expression:
    """Returns columns selected by name, position from 1, or range."""
    return Expression(ColumnSelection(_columns(head, *tails)))


def without_columns(head: object, *tails: object) -> Expression:
    """Returns all columns except those selected by name, position from 1, or range."""
    return Expression(ColumnSelection(_columns(head, *tails), excluded=True))


def _columns(*columns: object) -> tuple[UnresolvedExpression, ...]:
    return tuple(Reference((c,)) if isinstance(c, str) else ColumnRange(c, c) if isinstance(c, int) else to_unresolved(c) for c in columns)


# --- logic ---------------------------------------------------------------------------------------------------------------------------


def and_(predicate0: object, predicate1: object, *predicates: object) -> Expression:
    """Returns SQL's AND: false if a predicate is false, else NULL if one is NULL, else true."""
    return _built("AND", predicate0, predicate1, *predicates)


def or_(predicate0: object, predicate1: object, *predicates: object) -> Expression:
    """Returns SQL's OR: true if a predicate is true, else NULL if one is NULL, else false."""
    return _built("OR", predicate0, predicate1, *predicates)


def not_(expression: object) -> Expression:
    """Returns SQL's NOT: NULL if the predicate is NULL."""
    return _built("NOT", expression)


def if_then_else(condition: object, if_true: object, if_false: object) -> Expression:
    """Returns ``if_true`` where the condition is true, and ``if_false`` where it is false or NULL."""
    return _built("CASE", condition, if_true, if_false)


def coalesce(*args: object) -> Expression:
    """Returns the first argument that is not NULL, or NULL if all are."""
    return _built("COALESCE", *args)


# --- numbers -------------------------------------------------------------------------------------------------------------------------


def pi() -> Expression:
    """Returns the ratio of a circle's circumference to its diameter."""
    return _built("PI")


def e() -> Expression:
    """Returns the base of the natural logarithm."""
    return _built("E")


def rand(seed: object = None) -> Expression:
    """Returns a random DOUBLE in [0, 1)."""
    return _built("RAND", optional=[seed])


def rand_integer(bound: object, seed: object = None) -> Expression:
    """Returns a random INT in [0, bound)."""
    return _built("RAND_INTEGER", bound) if seed is None else _built("RAND_INTEGER", seed, bound)


def atan2(y: object, x: object) -> Expression:
    """Returns the angle of the point (x, y), in radians."""
    return _built("ATAN2", y, x)


def negative(v: object) -> Expression:
    """Returns the negated number."""
    return _built("NEGATE", v)


def log(v: object, base: object = None) -> Expression:
    """Returns the logarithm to a base; without one the natural logarithm."""
    return _built("LOG", v) if base is None else _built("LOG", base, v)


def uuid() -> Expression:
    """Returns a random UUID as text."""
    return _built("UUID")


# --- text ----------------------------------------------------------------------------------------------------------------------------


def concat(first: object, *others: object) -> Expression:
    """Concatenates strings; NULL if one is NULL."""
    return _built("CONCAT", first, *others)


def concat_ws(separator: object, first: object, *others: object) -> Expression:
    """Concatenates strings with a separator; NULL strings are left out, and a NULL separator gives NULL."""
    return _built("CONCAT_WS", separator, first, *others)


# --- rows, arrays, maps --------------------------------------------------------------------------------------------------------------


def array(head: object, *tail: object) -> Expression:
    """Returns an array of the elements."""
    return _built("ARRAY", head, *tail)


def row(head: object, *tail: object) -> Expression:
    """Returns a row of the values."""
    return _built("ROW", head, *tail)


def map_(key: object, value: object, *tail: object) -> Expression:
    """Returns a map of alternating keys and values."""
    return _built("MAP", key, value, *tail)


def descriptor(*column_names: str) -> Expression:
    """Returns names of columns as an argument of a function of tables, such as ``op`` of ``Table.to_changelog``.

    Source: PyFlink's ``pyflink.table.expressions.descriptor``.
    """
    return Expression(Call(("DESCRIPTOR",), tuple(Reference((name,)) for name in column_names)))


def row_interval(rows: int) -> Expression:
    """Returns a number of rows, for the frame of an OVER window."""
    return Expression(Literal(rows, BigIntType(nullable=False)))


UNBOUNDED_ROW = Expression(Symbol("UNBOUNDED_ROW"))
"""The first or last row of the partition, for ROWS frames."""
UNBOUNDED_RANGE = Expression(Symbol("UNBOUNDED_RANGE"))
"""The first or last row of the partition, for RANGE frames."""
CURRENT_ROW = Expression(Symbol("CURRENT_ROW"))
"""The current row, for ROWS frames."""
CURRENT_RANGE = Expression(Symbol("CURRENT_RANGE"))
"""The current row and its peers, for RANGE frames."""


# --- JSON ----------------------------------------------------------------------------------------------------------------------------


def json(value: object) -> Expression:
    """Marks text as JSON, so that ``json_object`` and ``json_array`` embed it instead of quoting it."""
    return _built("JSON", value)


def json_string(value: object) -> Expression:
    """Serializes a value as JSON; NULL stays NULL."""
    return _built("JSON_STRING", value)


def json_object(on_null: JsonOnNull = JsonOnNull.NULL, *args: object) -> Expression:
    """Returns a JSON object of alternating keys and values."""
    return _built("JSON_OBJECT", on_null, *args)


def json_array(on_null: JsonOnNull = JsonOnNull.ABSENT, *args: object) -> Expression:
    """Returns a JSON array of values."""
    return _built("JSON_ARRAY", on_null, *args)


def json_object_agg(on_null: JsonOnNull, key_expr: object, value_expr: object) -> Expression:
    """Aggregates keys and values to a JSON object."""
    return _built(f"JSON_OBJECTAGG_{on_null.value}", key_expr, value_expr)


def json_array_agg(on_null: JsonOnNull, item_expr: object) -> Expression:
    """Aggregates values to a JSON array."""
    return _built(f"JSON_ARRAYAGG_{on_null.value}", item_expr)
