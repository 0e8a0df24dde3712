"""Translates predicates to the SQL of a database, but only those that it evaluates with the same result for all rows."""

from __future__ import annotations

from table_common.connector.sql.table import ORDERED, SqlTable
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.types import BooleanType, CharacterType


def condition_sql(expression: ResolvedExpression, table: SqlTable) -> str | None:
    """Returns a predicate as SQL over the columns of a table, or None if its result could differ there.

    Example:
        >>> from table_common.functions.builtin import comparison
        >>> from table_common.types import IntType
        >>> age = FieldReferenceExpression("age", IntType(), 0, 0)
        >>> over = CallExpression(comparison.GREATER_THAN, (age, ValueLiteralExpression(30, IntType(nullable=False))), BooleanType())
        >>> class People(SqlTable):
        ...     def operand(self, name, type_, *, ordered=False):
        ...         return self.quoted(name)
        >>> condition_sql(over, People())
        '("age" > 30)'
    """
    if not isinstance(expression, CallExpression):
        return table.value(expression) if isinstance(expression.output_type, BooleanType) else None
    name, args = expression.function.name, expression.args
    words = name.replace("_", " ")
    match name:
        case "AND" | "OR":
            parts = [condition_sql(part, table) for part in args]
            return f"({f' {name} '.join(filter(None, parts))})" if all(parts) else None
        case "NOT" | "IS_TRUE" | "IS_FALSE" | "IS_NOT_TRUE" | "IS_NOT_FALSE":
            inner = condition_sql(args[0], table)
            if inner is None:
                return None
            return f"(NOT {inner})" if name == "NOT" else f"({inner} {words})"
        case "IS_NULL" | "IS_NOT_NULL":
            # Valid for any column, also one whose values the database compares in another way.
            return f"({table.quoted(args[0].name)} {words})" if isinstance(args[0], FieldReferenceExpression) else None
        case "LIKE" | "NOT_LIKE":
            return _like(expression, table, negated=name == "NOT_LIKE")
        case "BETWEEN" | "NOT_BETWEEN":
            values = table.operands(expression, ordered=True)
            if values is None:
                return None
            # The grammar of PostgreSQL has no COLLATE without parentheses in a bound.
            low, high = (f"({value})" if " COLLATE " in value else value for value in values[1:])
            return f"({values[0]} {words} {low} AND {high})"
        case "IN" | "NOT_IN":
            values = table.operands(expression)
            return f"({values[0]} {words} ({', '.join(values[1:])}))" if values else None
        case _ if name in table.COMPARISONS:
            values = table.operands(expression, ordered=name in ORDERED)
            return f"({values[0]} {table.COMPARISONS[name]} {values[1]})" if values else None
        case _:
            return None


def _like(expression: CallExpression, table: SqlTable, *, negated: bool) -> str | None:
    """Returns LIKE; None for patterns with an escape character or a backslash, which escapes in some databases."""
    subject, *rest = expression.args
    if len(rest) != 1 or not isinstance(rest[0], ValueLiteralExpression) or not isinstance(subject.output_type, CharacterType):
        return None
    pattern, operand = rest[0].value, table.value(subject)
    if operand is None or not isinstance(pattern, str) or "\\" in pattern or "\0" in pattern:
        return None
    return table.like(operand, pattern, negated=negated)
