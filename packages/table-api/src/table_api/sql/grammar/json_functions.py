"""The JSON functions, whose clauses ON NULL, ON EMPTY and ON ERROR become arguments in the order of the built-in definitions."""

from __future__ import annotations

from collections.abc import Callable

from table_api.expressions.unresolved import Call, Literal, SortKey, Symbol, TypeLiteral, UnresolvedExpression
from table_api.sql.grammar.functions import FunctionRules
from table_api.sql.grammar.operators import operator
from table_common.types import LogicalType, NullType, VarCharType

_NULL = Literal(None, NullType())


class JsonFunctionRules(FunctionRules):
    """The rules for JSON functions."""

    __slots__ = ()

    def special_call(self) -> UnresolvedExpression | None:
        rule = _JSON_CALLS.get(self.kind)
        if rule is None:
            return FunctionRules.special_call(self)
        start = self.index
        self.advance()
        self.expect("(")
        return rule(self, start)

    def _json_input(self) -> list[UnresolvedExpression]:
        document = self.expression()
        self.expect(",")
        return [document, self.expression()]

    def _exists_call(self, start: int) -> UnresolvedExpression:
        args = self._json_input()
        behavior = self.accept_one("TRUE", "FALSE", "UNKNOWN", "ERROR")
        if behavior is not None:
            args.append(self.symbol(behavior))
            self.expect("ON", "ERROR")
        return self._done("JSON_EXISTS", start, *args)

    def _returning(self) -> LogicalType | None:
        return self.type() if self.accept("RETURNING") else None

    def _value_call(self, start: int) -> UnresolvedExpression:
        args = self._json_input()
        returning = self._returning()
        empty, error = self._behaviors(self._value_behavior)
        if returning is not None or empty is not None or error is not None:
            default = (Symbol("NULL"), _NULL)
            args += [TypeLiteral(returning or VarCharType()), *(empty or default), *(error or default)]
        return self._done("JSON_VALUE", start, *args)

    def _query_call(self, start: int) -> UnresolvedExpression:
        args = self._json_input()
        returning = self._returning()
        wrapper = self._wrapper()
        empty, error = self._behaviors(self._query_behavior)
        if returning is not None or wrapper is not None or empty is not None or error is not None:
            null = (Symbol("NULL"),)
            args += [TypeLiteral(returning or VarCharType()), wrapper or Symbol("WITHOUT_ARRAY"), *(empty or null), *(error or null)]
        return self._done("JSON_QUERY", start, *args)

    def _behaviors(
        self, behavior: Callable[[], tuple[UnresolvedExpression, ...] | None]
    ) -> tuple[tuple[UnresolvedExpression, ...] | None, tuple[UnresolvedExpression, ...] | None]:
        """Consumes any number of ``… ON EMPTY`` and ``… ON ERROR``; the last of each counts."""
        given: dict[str, tuple[UnresolvedExpression, ...]] = {}
        while (found := behavior()) is not None:
            self.expect("ON")
            given[self.expect_one("EMPTY", "ERROR")] = found
        return given.get("EMPTY"), given.get("ERROR")

    def _value_behavior(self) -> tuple[UnresolvedExpression, ...] | None:
        kind = self.accept_one("NULL", "ERROR", "DEFAULT")
        if kind is None:
            return None
        symbol = self.symbol(kind)
        return symbol, self.expression() if kind == "DEFAULT" else _NULL

    def _query_behavior(self) -> tuple[UnresolvedExpression, ...] | None:
        kind = self.accept_one("NULL", "ERROR", "EMPTY")
        if kind == "EMPTY":
            kind = f"EMPTY_{self.expect_one('ARRAY', 'OBJECT')}"
        return None if kind is None else (self.symbol(kind),)

    def _wrapper(self) -> Symbol | None:
        if self.accept("WITHOUT"):
            self.accept("ARRAY")
            self.expect("WRAPPER")
            return self.symbol("WITHOUT_ARRAY")
        if not self.accept("WITH"):
            return None
        kind = self.accept_one("CONDITIONAL", "UNCONDITIONAL") or "UNCONDITIONAL"
        self.accept("ARRAY")
        self.expect("WRAPPER")
        return self.symbol(f"{kind}_ARRAY")

    def _on_null(self, default: str) -> Symbol:
        if self.kind in ("NULL", "ABSENT") and self.peek() == "ON":
            kind = self.kind
            self.expect(kind, "ON", "NULL")
            return self.symbol(f"{kind}_ON_NULL")
        self.note("NULL", "ABSENT")
        return Symbol(default)

    def _pair(self) -> tuple[UnresolvedExpression, UnresolvedExpression]:
        """Consumes ``[KEY] key VALUE value`` or ``key : value``."""
        if self.kind == "KEY" and self.peek() not in ("VALUE", ":", ",", ".", "("):
            self.advance()
        key = self.expression()
        self.expect_one("VALUE", ":")
        return key, self.expression()

    def _at_on_null(self) -> bool:
        return self.kind in ("NULL", "ABSENT") and self.peek() == "ON"

    def _object_call(self, start: int) -> UnresolvedExpression:
        pairs = () if self.kind == ")" or self._at_on_null() else self.comma_list(self._pair)
        on_null = self._on_null("NULL_ON_NULL")
        return self._done("JSON_OBJECT", start, on_null, *[side for pair in pairs for side in pair])

    def _array_call(self, start: int) -> UnresolvedExpression:
        values = () if self.kind == ")" or self._at_on_null() else self.comma_list(self.expression)
        on_null = self._on_null("ABSENT_ON_NULL")
        return self._done("JSON_ARRAY", start, on_null, *values)

    def _object_aggregate(self, start: int) -> UnresolvedExpression:
        args = self._pair()
        on_null = self._on_null("NULL_ON_NULL")
        return self.after_call(self._done(f"JSON_OBJECTAGG_{on_null.name}", start, *args), start)

    def _array_aggregate(self, start: int) -> UnresolvedExpression:
        value = self.expression()
        order_by: tuple[SortKey, ...] = self.order_by_items() if self.accept_phrase("ORDER", "BY") else ()
        on_null = self._on_null("ABSENT_ON_NULL")
        self.expect(")")
        definition = operator(f"JSON_ARRAYAGG_{on_null.name}")
        return self.after_call(Call(definition, (value,), order_by=order_by, span=self.span(start)), start)


_JSON_CALLS: dict[str, Callable[[JsonFunctionRules, int], UnresolvedExpression]] = {
    "JSON_ARRAY": JsonFunctionRules._array_call,
    "JSON_ARRAYAGG": JsonFunctionRules._array_aggregate,
    "JSON_EXISTS": JsonFunctionRules._exists_call,
    "JSON_OBJECT": JsonFunctionRules._object_call,
    "JSON_OBJECTAGG": JsonFunctionRules._object_aggregate,
    "JSON_QUERY": JsonFunctionRules._query_call,
    "JSON_VALUE": JsonFunctionRules._value_call,
}
