"""Comparisons of mixed types, written for DuckDB with Flink's meaning: NaN equals nothing, numbers are compared exactly."""

from __future__ import annotations

from random_sql.sql_types import BOOLEAN, SqlType, common_decimal
from random_sql.tree import Expr

OPERATORS = ("=", "<>", "<", "<=", ">", ">=")


def compare(operator: str, left: Expr, right: Expr) -> Expr | None:
    """Returns the comparison, None if the dialects cannot say the same of the two types."""
    if not left.is_exact or not right.is_exact:
        return None
    duck = duck_comparison(operator, left.type, right.type)
    return None if duck is None else Expr(BOOLEAN, f"($0 {operator} $1)", f"({duck})", (left, right))


def distinct(left: Expr, right: Expr, *, negated: bool) -> Expr | None:
    """Returns ``IS DISTINCT FROM``, or with ``negated`` the opposite: NaN is distinct from itself, NULL is not."""
    equal = compare("=", left, right)
    if equal is None:
        return None
    same = f"(CASE WHEN $0 IS NULL OR $1 IS NULL THEN $0 IS NULL AND $1 IS NULL ELSE {equal.duck} END)"
    if negated:
        return Expr(BOOLEAN, "($0 IS NOT DISTINCT FROM $1)", same, (left, right))
    return Expr(BOOLEAN, "($0 IS DISTINCT FROM $1)", f"(NOT {same})", (left, right))


def duck_comparison(operator: str, left: SqlType, right: SqlType, first: str = "$0", second: str = "$1") -> str | None:
    """Returns the template of a comparison for DuckDB."""
    if left.kind == right.kind and left.kind not in ("float", "dec"):
        return f"{first} {operator} {second}"
    if not left.is_number or not right.is_number:
        return None
    if "float" in (left.kind, right.kind):
        if left != right:
            both = "FLOAT" if {left.name, right.name} <= {"FLOAT", "TINYINT", "SMALLINT", "INT", "BIGINT"} else "DOUBLE"
            first, second = f"CAST({first} AS {both})", f"CAST({second} AS {both})"
        unordered = "TRUE" if operator == "<>" else "FALSE"
        return (
            f"CASE WHEN {first} IS NULL OR {second} IS NULL THEN NULL WHEN isnan({first}) OR isnan({second}) THEN {unordered} "
            f"ELSE {first} {operator} {second} END"
        )
    both = common_decimal(left, right)
    return None if both is None else f"CAST({first} AS {both.duck}) {operator} CAST({second} AS {both.duck})"
