"""Expressions by precedence climbing. Highest first: ``. [] ::``, unary ``+ -``, ``* / % ||``, ``+ -``, BETWEEN IN LIKE, comparisons, IS,
NOT, AND, OR. AND and OR are one node however long the chain is."""

from __future__ import annotations

from table_api.expressions.unresolved import (
    Call,
    Span,
    Subquery,
    SubqueryKind,
    UnresolvedExpression,
)
from table_api.sql.ast import QueryNode
from table_api.sql.grammar.operands import QUERY_STARTS, OperandRules
from table_api.sql.grammar.operators import operator

_OR, _AND, _NOT, _IS, _COMPARISON, _RANGE, SUM, _PRODUCT = range(1, 9)

_BINARY = {
    "OR": (_OR, "OR"),
    "AND": (_AND, "AND"),
    "=": (_COMPARISON, "EQUALS"),
    "<>": (_COMPARISON, "NOT_EQUALS"),
    "!=": (_COMPARISON, "NOT_EQUALS"),
    "==": (_COMPARISON, "EQUALS"),  # these two are an extension
    "<=>": (_COMPARISON, "IS_NOT_DISTINCT_FROM"),
    "<": (_COMPARISON, "LESS_THAN"),
    "<=": (_COMPARISON, "LESS_THAN_OR_EQUAL"),
    ">": (_COMPARISON, "GREATER_THAN"),
    ">=": (_COMPARISON, "GREATER_THAN_OR_EQUAL"),
    "+": (SUM, "PLUS"),
    "-": (SUM, "MINUS"),
    "*": (_PRODUCT, "TIMES"),
    "/": (_PRODUCT, "DIVIDE"),
    "%": (_PRODUCT, "MOD"),
    "||": (_PRODUCT, "CONCAT_OP"),
    "IS": (_IS, ""),
    "BETWEEN": (_RANGE, ""),
    "IN": (_RANGE, ""),
    "LIKE": (_RANGE, ""),
    "ILIKE": (_RANGE, ""),
    "SIMILAR": (_RANGE, ""),
    "OVERLAPS": (_RANGE, ""),
    "NOT": (_RANGE, ""),
}
"""Kind of token to precedence and definition; operators without a definition are parsed by ``_special``."""

_AFTER_NOT = ("BETWEEN", "IN", "LIKE", "ILIKE", "SIMILAR")
_TESTS = ("NULL", "TRUE", "FALSE", "UNKNOWN", "DISTINCT", "JSON")


class ExpressionRules(OperandRules):
    """The rules for operators."""

    __slots__ = ()

    # --- operators ----------------------------------------------------------------------------------------------------------------

    def expression(self, lowest: int = 0) -> UnresolvedExpression:
        """Consumes an expression; ``lowest`` is the lowest precedence of an operator that belongs to it."""
        start = self.index
        left = self.operand()
        from table_api.sql.grammar.syntax_error import OPERATOR  # only an error needs it

        while True:
            rule = _BINARY.get(self.kind)
            if rule is None or rule[0] < lowest:
                if self.index == self.watch:
                    self.expected.add(OPERATOR)
                return left
            precedence, name = rule
            if not name:
                if self.kind == "NOT" and self.peek() not in _AFTER_NOT:
                    return left
                left = self._special(left, start)
            elif precedence <= _AND:
                left = self._chain(left, start, self.kind, precedence)
            else:
                self.advance()
                if precedence == _COMPARISON and self.kind in ("ANY", "SOME", "ALL") and self.peek() == "(":
                    left = self._quantified(left, start, name)
                else:
                    right = self.expression(precedence + 1)
                    left = Call(operator(name), (left, right), span=self.span(start))

    def _chain(self, left: UnresolvedExpression, start: int, kind: str, precedence: int) -> UnresolvedExpression:
        args = [left]
        while self.kind == kind:
            self.advance()
            args.append(self.expression(precedence + 1))
        return Call(operator(kind), tuple(args), span=self.span(start))

    def _special(self, left: UnresolvedExpression, start: int) -> UnresolvedExpression:
        negated = self.accept("NOT")
        kind = self.kind
        self.advance()
        prefix = "NOT_" if negated else ""
        match kind:
            case "IS":
                return self._is(left, start)
            case "BETWEEN":
                symmetric = self.accept_one("SYMMETRIC", "ASYMMETRIC") == "SYMMETRIC"
                low = self.expression(_RANGE + 1)
                self.expect("AND")
                high = self.expression(_RANGE + 1)
                return self._between(left, low, high, negated, symmetric, self.span(start))
            case "IN":
                return self._in(left, start, negated)
            case "OVERLAPS":
                right = self.period() if self.kind == "PERIOD" else self.expression(_RANGE + 1)
                return Call(operator("OVERLAPS"), (*self._period(left), *self._period(right)), span=self.span(start))
            case "SIMILAR":
                self.expect("TO")
        args = [left, self.expression(_RANGE + 1)]
        if self.accept("ESCAPE"):
            args.append(self.expression(_RANGE + 1))
        if kind == "ILIKE":  # an extension: Flink parses it but has no such operator
            kind = "LIKE"
            args[:2] = [Call(operator("LOWER"), (arg,), span=arg.span) for arg in args[:2]]
        return Call(operator(prefix + kind), tuple(args), span=self.span(start))

    def _between(
        self, value: UnresolvedExpression, low: UnresolvedExpression, high: UnresolvedExpression, negated: bool, symmetric: bool, span: Span
    ) -> UnresolvedExpression:
        definition = operator("NOT_BETWEEN" if negated else "BETWEEN")
        between = Call(definition, (value, low, high), span=span)
        if not symmetric:
            return between
        return Call(operator("AND" if negated else "OR"), (between, Call(definition, (value, high, low), span=span)), span=span)

    def _period(self, period: UnresolvedExpression) -> tuple[UnresolvedExpression, ...]:
        if isinstance(period, Call) and period.function is operator("ROW") and len(period.args) == 2:
            return period.args
        raise self.error("OVERLAPS compares two periods.", hint="a period is (begin, end) or (begin, INTERVAL …)")

    def _is(self, left: UnresolvedExpression, start: int) -> UnresolvedExpression:
        negated = self.accept("NOT")
        test = self.expect_one(*_TESTS)
        if test == "DISTINCT":
            self.expect("FROM")
            right = self.expression(_COMPARISON + 1)
            return Call(operator("IS_NOT_DISTINCT_FROM" if negated else "IS_DISTINCT_FROM"), (left, right), span=self.span(start))
        if test == "JSON":
            kind = self.accept_one("VALUE", "OBJECT", "ARRAY", "SCALAR") or "VALUE"
            is_json = Call(operator("IS_JSON"), (left, self.symbol(kind)), span=self.span(start))
            return Call(operator("NOT"), (is_json,), span=is_json.span) if negated else is_json
        name = "NULL" if test == "UNKNOWN" else test
        return Call(operator(f"IS_NOT_{name}" if negated else f"IS_{name}"), (left,), span=self.span(start))

    def _in(self, left: UnresolvedExpression, start: int, negated: bool) -> UnresolvedExpression:
        values, query = self._values_or_query()
        if query is not None:
            return Subquery(SubqueryKind.NOT_IN if negated else SubqueryKind.IN, query, left, span=self.span(start))
        if len(values) == 1 and self.kinds[self.index - 3] == ":" and isinstance(values[0], Call):
            values = values[0].args  # IN (:name) with a list
            if not values:
                raise self.invalid("A list needs at least one value.", self.index - 3)
        return Call(operator("NOT_IN" if negated else "IN"), (left, *values), span=self.span(start))

    def _values_or_query(self) -> tuple[tuple[UnresolvedExpression, ...], QueryNode | None]:
        """Consumes ``(a, b, …)`` or ``(query)``."""
        self.expect("(")
        if self.kind in QUERY_STARTS:
            only_query = self.query()
            self.expect(")")
            return (), only_query
        values = self.list_items()
        query = self.query_of(values)
        self.expect(")")
        return values, query

    def _quantified(self, left: UnresolvedExpression, start: int, name: str) -> UnresolvedExpression:
        kind = SubqueryKind.ALL if self.kind == "ALL" else SubqueryKind.ANY
        self.advance()
        values, query = self._values_or_query()
        if query is not None:
            return Subquery(kind, query, left, operator(name), span=self.span(start))
        span = self.span(start)
        tests = tuple(Call(operator(name), (left, value), span=span) for value in values)
        return tests[0] if len(tests) == 1 else Call(operator("AND" if kind is SubqueryKind.ALL else "OR"), tests, span=span)

    def negation(self) -> UnresolvedExpression:
        starts = []
        while self.kind == "NOT":
            starts.append(self.index)
            self.advance()
        operand = self.expression(_NOT)
        for start in reversed(starts):
            operand = Call(operator("NOT"), (operand,), span=self.span(start))
        return operand
