"""Types inside of statements: ``CAST(x AS …)`` and the columns of DDL. The rules are those of ``table_common.types.read_type``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from table_api.sql.grammar.lexer import IDENTIFIER, STRING
from table_api.sql.grammar.token_stream import NAMES, TokenStream
from table_common.types import TYPE_NAMES, FloatType, LogicalType, find_named_type, read_type, suggest_type_names

TYPE = "a type"
_NAMES = (*sorted(TYPE_NAMES), "REAL")
TYPE_WORDS = frozenset(_NAMES) - {"NULL"}
"""The words that begin a type."""

_T = TypeVar("_T")


class TypeRules(TokenStream):
    """The rules for types: a ``TypeTokenStream`` over the tokens of SQL."""

    __slots__ = ("type_depth",)

    accepts_zero_length = True
    """As in Flink's SQL. Its parser of type texts refuses CHAR(0)."""

    def type(self) -> LogicalType:
        """Consumes a type with its nullability: ``INT NOT NULL``, ``ARRAY<ROW<a INT>>``, ``INT ARRAY``."""
        self.type_depth = 0
        return read_type(self)

    def type_name(self) -> str:
        """Returns the current word in capitals; for a token that is not an unquoted word, any text that is not the name of a type."""
        if self.kind == IDENTIFIER and self.text[self.starts[self.index]] != "`":
            return self.values[self.index].upper()
        return self.kind

    def other_type(self) -> LogicalType:
        """Consumes REAL, which only SQL has, or a named type."""
        if self.kind == "REAL":
            self.advance()
            return FloatType()
        named = find_named_type(self.values[self.index]) if self.kind in NAMES else None
        if named is None:
            raise self._unknown_type()
        self.advance()
        return named

    def nullability(self) -> bool:
        """Consumes NOT NULL or NULL, and returns whether the type is nullable."""
        if self.accept_words("NOT", "NULL"):
            return False
        if self.kind == "NULL" and self.peek() != "ON":  # JSON_VALUE(… RETURNING INT NULL ON EMPTY)
            self.advance()
        return True

    def field_name(self) -> str:
        """Consumes the name of a field."""
        return self.name("field name")

    def field_comment(self) -> str | None:
        """Consumes the comment of a field, if there is one."""
        return self.string() if self.at(STRING) else None

    def items(self, rule: Callable[[], _T], close: str) -> tuple[_T, ...]:
        """Consumes one or more items that ``rule`` reads, commas between them, and the closing sign."""
        items = self.comma_list(rule)
        self.expect(close)
        return items

    def _unknown_type(self) -> Exception:
        if not self.at_name(TYPE):
            return self.unexpected()
        start = self.index
        name = ".".join(self.path())
        if name.upper() in _NAMES:
            hint = f"without back-ticks it is the type {name.upper()}"
        elif suggestions := suggest_type_names(name, _NAMES, 2):
            hint = f"did you mean {' or '.join(suggestions)}?"
        else:
            hint = "user-defined types are written inline: STRUCTURED<'class', …>"
        return self.invalid(f"There is no type '{name}'.", start, hint=hint)
