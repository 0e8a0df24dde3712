"""Random calls by the type of their result. Each maker takes the generator, the type and a depth, and may give None."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from random_sql.comparisons import compare
from random_sql.sql_types import BIGINT, COMPARABLE, DATE, INT, STRING, SqlType
from random_sql.tree import Expr

if TYPE_CHECKING:
    from random_sql.expressions import ExpressionGenerator

Maker = Callable[["ExpressionGenerator", SqlType, int], Expr | None]


def _case(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr:
    condition, left, right = g.condition(depth - 1), g.value(of, depth - 1), g.value(of, depth - 1)
    if g.rng.random() < 0.25:
        return Expr(of, "CASE WHEN $0 THEN $1 END", "CASE WHEN $0 THEN $1 END", (condition, left))
    both = "CASE WHEN $0 THEN $1 ELSE $2 END"
    return Expr(of, both, both, (condition, left, right))


def _coalesce(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr:
    return Expr(of, "COALESCE($0, $1)", "COALESCE($0, $1)", (g.value(of, depth - 1), g.value(of, depth - 1)))


def _nullif(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of.kind not in COMPARABLE:
        return None
    left, right = g.value(of, depth - 1), g.value(of, 0)
    equal = compare("=", left, right)
    return equal and Expr(of, "NULLIF($0, $1)", "CASE WHEN $2 THEN NULL ELSE $0 END", (left, right, equal))


def _greatest(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of.kind not in ("int", "dec", "str", "date", "ts"):
        return None
    name = g.rng.choice(("GREATEST", "LEAST"))
    args = (g.value(of, depth - 1), g.value(of, depth - 1))
    return Expr(of, f"{name}($0, $1)", f"CASE WHEN $0 IS NULL OR $1 IS NULL THEN NULL ELSE {name}($0, $1) END", args)


def _scalar_query(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if g.subquery is None or of.kind not in ("int", "dec", "str", "date", "ts"):
        return None
    return Expr(of, "($0)", "($0)", (g.subquery([of], "scalar"),))


def _tame(g: ExpressionGenerator, of: SqlType) -> Expr:
    return (g.column(of, tame=True) if g.rng.random() < 0.8 else None) or g.literal(of, tame=True)


def _arithmetic(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of.kind == "dec":
        return None
    operator = g.rng.choice(("+", "-", "*"))
    template = f"$0 {operator} $1"
    cast = f"CAST($0 AS {of.duck}) {operator} CAST($1 AS {of.duck})"
    return Expr(of, f"({template})", f"({cast})", (_tame(g, of), _tame(g, of)))


def _mixed_integers(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of.kind != "int" or of.name == "TINYINT":
        return None
    other = g.rng.choice([one for one in g.integer_types if one.precision <= of.precision])
    operator = g.rng.choice(("+", "-", "*"))
    duck = f"(CAST($0 AS {of.duck}) {operator} CAST($1 AS {of.duck}))"
    return Expr(of, f"($0 {operator} $1)", duck, (_tame(g, of), _tame(g, other)))


def _divided(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of.kind not in ("int", "float"):
        return None
    left, right = _tame(g, of), _tame(g, of)
    if of.kind == "float":
        return Expr(of, "($0 / NULLIF($1, 0))", "($0 / CASE WHEN $1 = 0 THEN NULL ELSE $1 END)", (left, right), is_exact=False)
    if g.rng.random() < 0.5:
        return Expr(of, f"($0 / NULLIF($1, CAST(0 AS {of.name})))", "($0 // NULLIF($1, 0))", (left, right))
    return Expr(of, f"MOD($0, NULLIF($1, CAST(0 AS {of.name})))", "($0 % NULLIF($1, 0))", (left, right))


def _unary_number(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    arg = _tame(g, of) if of.kind != "dec" else g.value(of, depth - 1)
    if g.rng.random() < 0.5:
        return Expr(of, "ABS($0)", "ABS($0)", (arg,))
    return Expr(of, "(- $0)", "(- $0)", (arg,))


def _decimal_sum(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of.kind != "dec" or of.precision > 20:
        return None
    return g.narrowed(g.number(depth - 1, ("dec", "int")), of)


def _char_length(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of != INT:
        return None
    if g.rng.random() < 0.3:
        needle = g.rng.choice(("a", "b", "x"))
        return Expr(INT, f"POSITION('{needle}' IN $0)", f"CAST(POSITION('{needle}' IN $0) AS INTEGER)", (g.value(STRING, depth - 1),))
    return Expr(INT, "CHAR_LENGTH($0)", "CAST(LENGTH($0) AS INTEGER)", (g.value(STRING, depth - 1),))


def _extract(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of != BIGINT:
        return None
    unit = g.rng.choice(("YEAR", "MONTH", "DAY", "QUARTER", "DOY"))
    return Expr(BIGINT, f"EXTRACT({unit} FROM $0)", f"CAST(EXTRACT({unit} FROM $0) AS BIGINT)", (g.value(DATE, depth - 1),))


def _string_call(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    arg = g.value(STRING, depth - 1)
    start, count = g.rng.choice((1, 2, 3, 5)), g.rng.choice((0, 1, 2, 100))
    one = [f"SUBSTRING($0, {start})", f"SUBSTRING($0, {start}, {count})", "UPPER($0)", "LOWER($0)", "REPLACE($0, 'a', 'bb')", "TRIM($0)"]
    one += [f"LPAD($0, {start}, 'xy')", f"RPAD($0, {start}, 'z')", "REVERSE($0)", f"LEFT($0, {count})", f"RIGHT($0, {count})", "$0 || 'q'"]
    template = g.rng.choice(one)
    if template in ("UPPER($0)", "LOWER($0)"):
        return Expr(of, template, template, (arg,))
    return Expr(of, f"({template})", f"({template})", (arg,))


def _concatenated(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    return Expr(of, "($0 || $1)", "($0 || $1)", (g.value(STRING, depth - 1), g.value(STRING, depth - 1)))


def _cast_to_string(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    arg = g.any_value(("bool", "int", "dec", "date", "time"), depth - 1)
    duck = "CAST($0 AS VARCHAR)"
    return Expr(of, "CAST($0 AS STRING)", f"UPPER({duck})" if arg.type.kind == "bool" else duck, (arg,))


def _cast_number(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    return g.narrowed(g.any_value(("int", "dec", "float", "bool"), depth - 1, tame=True), of)


def _date_arithmetic(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    arg = g.value(of, depth - 1)
    if of.kind == "date" and g.rng.random() < 0.5:
        source = g.column(kind="ts")
        return source and Expr(of, "CAST($0 AS DATE)", "CAST($0 AS DATE)", (source,))
    safe = "(CASE WHEN EXTRACT(YEAR FROM $0) BETWEEN 1000 AND 3000 THEN $0 END {0})"
    sign, unit, count = g.rng.choice("+-"), g.rng.choice(("DAY", "MONTH", "YEAR")), g.rng.choice((1, 2, 13))
    shift = f"{sign} INTERVAL '{count}' {unit}"
    return Expr(of, safe.format(shift), f"CAST({safe.format(shift)} AS {of.duck})", (arg,))


def _simple_case(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    operand = g.any_value(("int", "str", "date", "bool"), 0)
    one, two = g.literal(operand.type), g.literal(operand.type)
    both = "CASE $0 WHEN $1 THEN $2 WHEN $3 THEN $4 ELSE $5 END"
    values = [g.value(of, depth - 1) for _ in range(3)]
    return Expr(of, both, both, (operand, one, values[0], two, values[1], values[2]))


def _element(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if g.rng.random() < 0.3:
        row = g.column(kind="row")
        return row and Expr(of, "($0).x", "($0).x", (row,))
    items = g.column(kind="list")
    if items is None:
        return None
    if g.rng.random() < 0.4:
        return Expr(of, "CARDINALITY($0)", "CAST(LEN($0) AS INTEGER)", (items,))
    place = g.rng.choice((1, 2, 3))
    return Expr(of, f"$0[{place}]", f"$0[{place}]", (items,))


def _try_cast(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    arg = g.value(STRING, 0)
    # DuckDB reads '1.5' as 2; Flink cuts it, and neither reads other texts of the pool.
    return Expr(of, f"TRY_CAST($0 AS {of.name})", f"TRY_CAST($0 AS {of.duck})", (arg,))


def _timestamp_part(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    if of != BIGINT:
        return None
    source = g.column(kind="ts")
    unit = g.rng.choice(("YEAR", "MONTH", "DAY", "HOUR", "MINUTE"))
    return source and Expr(BIGINT, f"EXTRACT({unit} FROM $0)", f"CAST(EXTRACT({unit} FROM $0) AS BIGINT)", (source,))


def _floored(g: ExpressionGenerator, of: SqlType, depth: int) -> Expr | None:
    unit = g.rng.choice(("YEAR", "MONTH", "DAY", "HOUR") if of.kind == "ts" else ("YEAR", "MONTH", "QUARTER"))
    return Expr(of, f"FLOOR($0 TO {unit})", f"CAST(DATE_TRUNC('{unit}', $0) AS {of.duck})", (g.value(of, 0),))


def makers_of(of: SqlType) -> list[Maker]:
    """Returns what can make a value of the type."""
    makers: list[Maker] = [_case, _simple_case, _coalesce, _nullif, _greatest, _scalar_query]
    if of.is_number:
        makers += [_arithmetic, _mixed_integers, _divided, _unary_number, _cast_number, _decimal_sum]
    if of in (INT, BIGINT):
        makers += [_char_length, _extract, _timestamp_part]
    if of == INT:
        makers += [_element, _element, _try_cast]
    if of.kind == "str":
        makers += [_string_call, _string_call, _concatenated, _cast_to_string]
    if of.kind in ("date", "ts"):
        makers += [_date_arithmetic, _floored]
    return makers
