"""A table of a SQL database, which says how the database names, reads and compares its columns.

Databases compare by other rules than SQL here: texts without case or by a language, NaN as a number, times with fewer digits. So each comparison is
written as SQL text only if the table says that its result is the same for all rows; the engine evaluates the others.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from table_common.connector.sql.quoting import quote_name, quote_text
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.types import (
    EXACT_INTEGERS,
    BooleanType,
    CharacterType,
    DoubleType,
    LogicalType,
    RowField,
    RowType,
    VarCharType,
    holds_integers_of,
)

ORDERED = ("LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL")
"""The comparisons by order; BETWEEN is two of them."""


class SqlTable(ABC):
    """A table of a SQL database, and the dialect of the database: a connector has one subclass, a dataclass with ``name`` among its fields.

    Methods that return SQL text return None for what the database could do with another result than SQL here.

    Source: Flink's ``org.apache.flink.connector.jdbc.core.database.dialect.JdbcDialect``.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class ShopTable(SqlTable):
        ...     name: str
        ...     columns: dict
        ...     DATABASE = "Shop"
        ...     def operand(self, name, type_, *, ordered=False):
        ...         return quote_name(name) if isinstance(type_, EXACT_INTEGERS) else None
        >>> ShopTable("orders", {"id": "int"}).described
        "Shop's table 'orders'"
    """

    DATABASE: ClassVar[str]
    """What messages call the database."""
    KEYS: ClassVar[str] = "integers, booleans and texts"
    """The columns whose values identify rows, for messages."""
    KINDS: ClassVar[tuple[tuple[type | tuple[type, ...], str], ...]] = (
        (EXACT_INTEGERS, "integer"),
        (DoubleType, "double"),
        (BooleanType, "boolean"),
        (CharacterType, "text"),
    )
    """Types and the kind of their values; the database compares values of one kind with each other as SQL does."""
    COMPARISONS: ClassVar[Mapping[str, str]] = {
        "EQUALS": "=",
        "NOT_EQUALS": "<>",
        "LESS_THAN": "<",
        "LESS_THAN_OR_EQUAL": "<=",
        "GREATER_THAN": ">",
        "GREATER_THAN_OR_EQUAL": ">=",
        "IS_DISTINCT_FROM": "IS DISTINCT FROM",
        "IS_NOT_DISTINCT_FROM": "IS NOT DISTINCT FROM",
    }
    """The operators of comparisons."""
    NAN_IS_GREATEST: ClassVar[bool] = False
    """Whether NaN equals itself and is greater than all numbers in the database."""

    name: str
    columns: Mapping[str, object]
    """The columns in the database; ``str`` of one is its type there, an empty text if it has none."""

    # --- names and columns ----------------------------------------------------------------------------------------------------

    @property
    def shown(self) -> str:
        """The name in messages."""
        return self.name

    @property
    def described(self) -> str:
        """The table in messages, with its database."""
        return f"{self.DATABASE}'s table '{self.shown}'"

    @property
    def sql(self) -> str:
        """The quoted name."""
        return self.quoted(self.name)

    def quoted(self, name: str) -> str:
        """Returns a quoted name of the database."""
        return quote_name(name)

    def selected(self, name: str, type_: LogicalType) -> str | None:
        """Returns the SQL that reads a column as values of a type, None if the column has values of another type."""
        return self.quoted(name)

    def described_column(self, name: str, type_: LogicalType) -> str:
        """Returns the type of a column here and in the database, for messages."""
        stored = str(self.columns[name])
        return f"{type_}, {f'declared as {stored}' if stored else 'without a declared type'} in {self.DATABASE}"

    def suggested_type(self, name: str) -> str | None:
        """Returns the type to declare for a column, for the error of another type."""
        return None

    def require_columns(self, row_type: RowType, where: str) -> None:
        """Checks that the table has each declared column, with a type as which it can be read.

        Raises:
            ValidationException: it does not; the message shows both schemas.
        """
        declared = {field.name: f"{field.name} {field.type}" for field in row_type.fields}
        lacking = [name for name in declared if name not in self.columns]
        others = [f.name for f in row_type.fields if f.name not in lacking and self.selected(f.name, f.type) is None]
        if not lacking and not others:
            return
        lines = [f"  {'declared':<40} in {self.DATABASE}"]
        for name in {**declared, **self.columns}:
            right = f"{name} {self.columns[name]}".strip() if name in self.columns else "-"
            lines.append(f"  {declared.get(name, '-'):<40} {right}")
        problem = f"has no column {', '.join(lacking)}" if lacking else f"has other types for {', '.join(others)}"
        suggested = [f"{name} as {type_}" for name in others if (type_ := self.suggested_type(name))]
        raise ValidationException(
            f"{self.described} {problem}, which {where} declares:\n" + "\n".join(lines),
            hint=f"declare {', '.join(suggested)}" if suggested and not lacking else None,
        )

    # --- values ---------------------------------------------------------------------------------------------------------------

    def kind_of(self, type_: LogicalType) -> str | None:
        """Returns the kind of values of a type, None for types that the database compares in another way."""
        return next((kind for types, kind in self.KINDS if isinstance(type_, types)), None)

    @abstractmethod
    def operand(self, name: str, type_: LogicalType, *, ordered: bool = False) -> str | None:
        """Returns a column as an operand of a comparison; ``ordered``: of one by order."""

    def literal(self, literal: ValueLiteralExpression) -> str | None:
        """Returns a constant."""
        value, type_ = literal.value, literal.output_type
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, int) and isinstance(type_, EXACT_INTEGERS):
            return str(value)
        if isinstance(value, float) and isinstance(type_, DoubleType) and math.isfinite(value):
            return repr(value)
        if isinstance(value, str) and isinstance(type_, CharacterType) and "\0" not in value:
            return quote_text(value)
        return None

    def value(self, expression: ResolvedExpression, *, ordered: bool = False) -> str | None:
        """Returns an operand of a comparison: a column, a constant, or a cast of one that keeps its value."""
        while isinstance(expression, CallExpression) and expression.function.name == "CAST" and len(expression.args) == 2:
            source, target = expression.args[0].output_type, expression.output_type
            is_text = isinstance(source, CharacterType) and isinstance(target, VarCharType) and target.length >= source.length
            if not is_text and not holds_integers_of(target, source):
                return None
            expression = expression.args[0]
        if isinstance(expression, FieldReferenceExpression):
            return self.operand(expression.name, expression.output_type, ordered=ordered)
        return self.literal(expression) if isinstance(expression, ValueLiteralExpression) else None

    def operands(self, comparison: CallExpression, *, ordered: bool = False) -> list[str] | None:
        """Returns the operands of a comparison, BETWEEN or IN, all of one kind."""
        kinds = {self.kind_of(arg.output_type) for arg in comparison.args}
        if None in kinds or len(kinds) > 1 or (self.NAN_IS_GREATEST and kinds == {"double"} and _could_select_nan(comparison)):
            return None
        texts = [self.value(arg, ordered=ordered) for arg in comparison.args]
        return [text for text in texts if text is not None] if None not in texts else None

    def like(self, operand: str, pattern: str, *, negated: bool) -> str | None:
        """Returns LIKE with a pattern that has no escape character; SQL's LIKE distinguishes upper and lower case."""
        return f"({operand} {'NOT ' if negated else ''}LIKE {quote_text(pattern)})"

    # --- keys and aggregates --------------------------------------------------------------------------------------------------

    def key_operand(self, name: str, type_: LogicalType) -> str | None:
        """Returns a column as an operand by which rows are looked up; floating-point numbers cannot be keys."""
        return self.operand(name, type_) if self.kind_of(type_) != "double" else None

    def identifies(self, name: str, type_: LogicalType) -> bool:
        """Returns whether UPDATE and DELETE can identify rows by a column of the primary key."""
        return self.key_operand(name, type_) is not None

    def group_key(self, name: str, type_: LogicalType, selected: str) -> str | None:
        """Returns a column, which is read by the SQL ``selected``, for GROUP BY."""
        return selected if self.key_operand(name, type_) == selected else None

    def aggregate(self, name: str, argument: FieldReferenceExpression, result: RowField) -> str | None:
        """Returns SUM, MIN or MAX of a column as the type of the result; by default none, so the engine computes it."""
        return None


def _could_select_nan(comparison: CallExpression) -> bool:
    """Returns whether a comparison of floating-point numbers could be true for a NaN that equals itself and is greater than all numbers."""
    name, args = comparison.function.name, comparison.args
    if sum(isinstance(arg, FieldReferenceExpression) for arg in args) != 1:
        return True  # NaN could meet NaN
    is_left = isinstance(args[0], FieldReferenceExpression)
    if name in ORDERED:
        return ("GREATER" if is_left else "LESS") in name
    return not is_left and name not in SqlTable.COMPARISONS
