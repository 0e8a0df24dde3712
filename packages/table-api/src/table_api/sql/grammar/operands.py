"""Operands of expressions: literals, names, parentheses, rows and collections, CASE, with their prefixes and postfixes."""

from __future__ import annotations

from collections.abc import Callable

from table_api.expressions.unresolved import (
    Call,
    Literal,
    Reference,
    Span,
    Star,
    Subquery,
    SubqueryKind,
    Symbol,
    TypeLiteral,
    UnresolvedExpression,
)
from table_api.sql.ast import QueryNode
from table_api.sql.grammar.keywords import CALLABLE, NILADIC
from table_api.sql.grammar.lexer import IDENTIFIER, NUMBER, PREFIXED_STRING, STRING
from table_api.sql.grammar.literals import INTERVAL_UNITS, LiteralRules, interval_of_one
from table_api.sql.grammar.operators import operator
from table_api.sql.grammar.token_stream import NAMES
from table_common.functions.builtin import NILADIC as FUNCTIONS_WITHOUT_PARENTHESES
from table_common.types import CharType, LocalZonedTimestampType, LogicalType, NullType, TimestampType

QUERY_STARTS = frozenset({"SELECT", "WITH", "VALUES", "TABLE"})
SET_OPERATORS = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
QUERY_CONTINUES = SET_OPERATORS | {"ORDER", "LIMIT", "OFFSET", "FETCH"}
_ENDS_OF_ITEM = frozenset({",", ")", "]"})
_POSTFIX = frozenset({".", "[", "::"})
_NULL_TYPE = NullType()


class OperandRules(LiteralRules):
    """The rules for operands; functions with special syntax are in ``functions.py``."""

    __slots__ = ()

    # Rules that other classes of the chain define.
    def expression(self, lowest: int = 0) -> UnresolvedExpression:
        """Consumes an expression; ``lowest`` is the lowest precedence of an operator that belongs to it."""
        raise NotImplementedError

    def negation(self) -> UnresolvedExpression:
        """Consumes ``NOT …``."""
        raise NotImplementedError

    def query(self) -> QueryNode:
        """Consumes a query."""
        raise NotImplementedError

    def query_after(self, left: QueryNode) -> QueryNode:
        """Consumes the clauses that can follow a query in parentheses: set operations, ORDER BY, …"""
        raise NotImplementedError

    def call_after_name(self, name: tuple[str, ...], start: int) -> UnresolvedExpression:
        """Consumes the arguments of a call and the clauses that can follow them."""
        raise NotImplementedError

    def cast_type(self) -> LogicalType:
        """Consumes the target of a cast."""
        raise NotImplementedError

    def symbol(self, name: str) -> Symbol:
        """Returns a keyword as an argument; it is the last token consumed."""
        return Symbol(name, span=self.span(self.index - 1))

    def special_call(self) -> UnresolvedExpression | None:
        """Consumes a function with special syntax; None if the current token does not begin one."""
        raise NotImplementedError

    # --- operands -----------------------------------------------------------------------------------------------------------------

    def operand(self) -> UnresolvedExpression:
        """Consumes an operand with its prefixes and postfixes."""
        kind = self.kind
        if kind == "NOT":
            return self.negation()
        if kind == "-" or kind == "+":
            return self._signed()
        if kind == IDENTIFIER:
            operand = self.reference_or_call()
        else:
            rule = _OPERANDS.get(kind)
            if rule is not None:
                operand = rule(self)
            else:
                operand = self._other_operand()
        return self._postfix(operand) if self.kind in _POSTFIX else operand

    def _other_operand(self) -> UnresolvedExpression:
        special = self.special_call()
        if special is not None:
            return special
        if self.kind in NAMES or (self.kind in CALLABLE and self.peek() == "("):
            return self.reference_or_call()
        if self.kind in NILADIC:
            start = self.index
            self.advance()
            if self.kinds[start] not in FUNCTIONS_WITHOUT_PARENTHESES:  # USER and the like are no functions here, so they are names
                return Reference((self.values[start],), span=self.span(start))
            return Call((self.kinds[start],), span=self.span(start), name_span=self.span(start))
        from table_api.sql.grammar.syntax_error import EXPRESSION  # only an error needs it

        raise self.unexpected(EXPRESSION)

    def _signed(self) -> UnresolvedExpression:
        starts = []
        while self.kind in ("-", "+"):
            if self.kind == "-":
                starts.append(self.index)
            self.advance()
        # A minus belongs to the number literal, so that the smallest INT can be written; except before a postfix, which binds tighter.
        if self.kind == NUMBER and starts and starts[-1] == self.index - 1 and self.peek() not in _POSTFIX:
            starts.pop()
            operand: UnresolvedExpression = self.number(negative=True)
        else:
            operand = self.operand()
        for start in reversed(starts):
            operand = Call(operator("NEGATE"), (operand,), span=self.span(start))
        return operand

    def _postfix(self, operand: UnresolvedExpression) -> UnresolvedExpression:
        start = self.index - 1
        span_start = operand.span.start if operand.span is not None else self.starts[start]
        while True:
            if self.kind == "[":
                self.advance()
                position = self.expression()
                self.expect("]")
                operand = Call(operator("AT"), (operand, position), span=Span(span_start, self.ends[self.index - 1]))
            elif self.kind == ".":
                self.advance()
                place = self.index
                field = self.name("field name")
                key = Literal(field, CharType(len(field), nullable=False), span=self.span(place))
                operand = Call(operator("GET"), (operand, key), span=Span(span_start, self.ends[self.index - 1]))
            elif self.kind == "::":  # an extension
                self.advance()
                target = TypeLiteral(self.cast_type(), span=self.span(self.index - 1))
                operand = Call(operator("CAST"), (operand, target), span=Span(span_start, self.ends[self.index - 1]))
            else:
                return operand

    def at_excluded(self) -> bool:
        """Returns whether ``EXCEPT (a, b)`` or ``EXCLUDE (a, b)`` follows a star (an extension), rather than a set operation."""
        is_word = self.kind == "EXCEPT" or (self.kind in NAMES and self.values[self.index].upper() == "EXCLUDE")
        return is_word and self.peek() == "(" and self.peek(2) not in QUERY_STARTS and self.peek(2) != "("

    def excluded(self) -> tuple[str, ...]:
        """Consumes the columns that a star excludes."""
        self.advance()
        return self.names_in_parentheses()

    def reference_or_call(self) -> UnresolvedExpression:
        """Consumes a name of one or more parts: a column, ``t.*``, or a call if a parenthesis follows."""
        start = self.index
        first = self.values[start]
        spans = [Span(self.starts[start], self.ends[start])]
        self.advance()
        if self.kind != "." and self.kind != "(":
            if self.index == self.watch:
                self.expected.update(("(", "."))
            return Reference((first,), span=spans[0], part_spans=(spans[0],))
        parts = [first]
        while self.kind == ".":
            self.advance()
            if self.kind == "*":
                self.advance()
                excluded = self.excluded() if self.at_excluded() else ()
                return Star(tuple(parts), excluded, span=self.span(start))
            spans.append(Span(self.starts[self.index], self.ends[self.index]))
            parts.append(self.name("column name"))
        if self.kind == "(":
            return self.call_after_name(tuple(parts), start)
        self.note("(", ".")
        return Reference(tuple(parts), span=Span(spans[0].start, spans[-1].end), part_spans=tuple(spans))

    def _parenthesized(self) -> UnresolvedExpression:
        """Consumes ``(expression)``, ``(a, b)`` (a row), ``(query)``, or ``(later - earlier) unit``."""
        start = self.index
        self.advance()
        if self.kind in QUERY_STARTS:
            query = self.query()
            self.expect(")")
            return Subquery(SubqueryKind.SCALAR, query, span=self.span(start))
        values = self.list_items()
        if self.kind in QUERY_CONTINUES and (query_after := self.query_of(values)) is not None:
            self.expect(")")
            return Subquery(SubqueryKind.SCALAR, query_after, span=self.span(start))
        self.expect(")")
        if len(values) > 1:
            return Call(operator("ROW"), values, span=self.span(start))
        (value,) = values
        if self.kind in INTERVAL_UNITS and isinstance(value, Call) and value.function is operator("MINUS"):
            unit, _, _ = self.interval_qualifier()
            return Call(operator("MINUS_DATETIME"), (*value.args, self.symbol(unit)), span=self.span(start))
        return value

    def _row(self) -> UnresolvedExpression:
        start = self.index
        self.advance()
        self.expect("(")
        values = () if self.kind == ")" else self.list_items()
        self.expect(")")
        return Call(operator("ROW"), values, span=self.span(start))

    def period(self) -> UnresolvedExpression:
        """Consumes ``PERIOD (begin, end)``, a side of OVERLAPS."""
        if self.peek() != "(":
            from table_api.sql.grammar.syntax_error import EXPRESSION  # only an error needs it

            raise self.unexpected(EXPRESSION)
        return self._row()

    def _left_period(self) -> UnresolvedExpression:
        period = self.period()
        if self.kind != "OVERLAPS":
            raise self.unexpected("OVERLAPS")
        return period

    def _collection(self) -> UnresolvedExpression:
        """Consumes ``ARRAY[…]``, ``MAP[…]``, ``MULTISET[…]``, or the same with a query in parentheses."""
        start = self.index
        kind = self.kind
        if kind == "MAP" and self.peek() not in ("[", "("):
            return self.reference_or_call()  # MAP is not a reserved word
        self.advance()
        if kind == "MULTISET" and self.kind == "[":
            raise self.invalid("MULTISET[…] is not supported.", start, hint="COLLECT(column) creates a multiset of the values of a group")
        if self.accept("["):
            values = () if self.kind == "]" else self.list_items()
            self.expect("]")
            return Call(operator(kind), values, span=self.span(start))
        self.expect("(")
        query = self.query()
        self.expect(")")
        return Subquery(SubqueryKind[kind], query, span=self.span(start))

    def _temporal(self) -> UnresolvedExpression:
        if self.kind == "TIMESTAMP" and self.peek() == "WITH":
            return self._local_zoned_timestamp()
        if self.peek() != STRING:
            from table_api.sql.grammar.syntax_error import EXPRESSION  # only an error needs it

            raise self.unexpected(EXPRESSION)
        return self.temporal_literal()

    def _local_zoned_timestamp(self) -> UnresolvedExpression:
        """Consumes ``TIMESTAMP WITH LOCAL TIME ZONE '…'``, whose text is a time of UTC in every session, as in Flink."""
        start = self.index
        self.expect("TIMESTAMP", "WITH", "LOCAL", "TIME", "ZONE")
        local = self.temporal_value("TIMESTAMP", self.string(), start)
        assert isinstance(local.type, TimestampType)
        return Literal(local.value, LocalZonedTimestampType(local.type.precision, nullable=False), span=local.span)

    def _decimal(self) -> UnresolvedExpression:
        if self.peek() != STRING:
            from table_api.sql.grammar.syntax_error import EXPRESSION  # only an error needs it

            raise self.unexpected(EXPRESSION)
        return self.decimal_literal()

    def _interval(self) -> UnresolvedExpression:
        start = self.index
        self.advance()
        sign = self.accept_one("-", "+")
        if self.at(STRING):
            return self.interval_literal(start, negative=sign == "-")
        # An extension: Flink parses INTERVAL (n) DAY but has no such operator.
        count = self._parenthesized() if self.kind == "(" else self.number() if self.kind == NUMBER else self.plain_reference()
        place = self.index
        unit, last, _ = self.interval_qualifier()
        if last is not None:
            raise self.error("INTERVAL of an expression takes one unit.", at=place)
        product: UnresolvedExpression = Call(operator("TIMES"), (count, interval_of_one(unit)), span=self.span(start))
        return Call(operator("NEGATE"), (product,), span=product.span) if sign == "-" else product

    def plain_reference(self) -> UnresolvedExpression:
        """Consumes a name of one or more parts as a column."""
        from table_api.sql.grammar.syntax_error import EXPRESSION  # only an error needs it

        if not self.at_name(EXPRESSION):
            raise self.unexpected()
        return self.reference_or_call()

    def _exists(self) -> UnresolvedExpression:
        start = self.index
        self.advance()
        self.expect("(")
        query = self.query()
        self.expect(")")
        return Subquery(SubqueryKind.EXISTS, query, span=self.span(start))

    def _case(self) -> UnresolvedExpression:
        start = self.index
        self.advance()
        value = None if self.at("WHEN") else self.expression()
        args: list[UnresolvedExpression] = []
        self.expect("WHEN")
        while True:
            condition = self.expression()
            if value is not None:
                tests = [Call(operator("EQUALS"), (value, condition), span=condition.span)]
                while self.accept(","):
                    other = self.expression()
                    tests.append(Call(operator("EQUALS"), (value, other), span=other.span))
                condition = tests[0] if len(tests) == 1 else Call(operator("OR"), tuple(tests), span=condition.span)
            self.expect("THEN")
            args += [condition, self.expression()]
            if not self.accept("WHEN"):
                break
        args.append(self.expression() if self.accept("ELSE") else Literal(None, _NULL_TYPE))
        self.expect("END")
        return Call(operator("CASE"), tuple(args), span=self.span(start))

    def _escape(self) -> UnresolvedExpression:
        """Consumes ``{d '…'}``, ``{t '…'}``, ``{ts '…'}`` or ``{fn f(…)}``."""
        start = self.index
        self.advance()
        word = self.values[self.index].lower()
        kind = {"d": "DATE", "t": "TIME", "ts": "TIMESTAMP"}.get(word)
        if kind is None and word != "fn":
            raise self.unexpected("d", "t", "ts", "fn")
        self.advance()
        result = self.expression() if kind is None else self.temporal_value(kind, self.string(), start)
        self.expect("}")
        return result

    def list_items(self) -> tuple[UnresolvedExpression, ...]:
        """Consumes one or more expressions separated by commas, with a fast path for long lists of literals."""
        items: list[UnresolvedExpression] = []
        while True:
            items.append(self.list_item())
            if self.kind != ",":
                self.note(",")
                return tuple(items)
            self.advance()

    def list_item(self) -> UnresolvedExpression:
        """Consumes an item of a list."""
        if self.kind == NUMBER and self.kinds[self.index + 1] in _ENDS_OF_ITEM:
            return self.number()
        if self.kind == STRING and self.kinds[self.index + 1] in _ENDS_OF_ITEM:
            return self.string_literal()
        return self.expression()

    def query_of(self, values: tuple[UnresolvedExpression, ...]) -> QueryNode | None:
        """Returns the query if the parsed parentheses hold one: ``((SELECT 1) UNION (SELECT 2))``, ``((SELECT 1))``; else None."""
        (first, *others) = values
        if others or not isinstance(first, Subquery) or first.kind is not SubqueryKind.SCALAR or not isinstance(first.query, QueryNode):
            return None
        return self.query_after(first.query) if self.kind in QUERY_CONTINUES else first.query


_OPERANDS: dict[str, Callable[[OperandRules], UnresolvedExpression]] = {
    NUMBER: OperandRules.number,
    STRING: OperandRules.string_literal,
    PREFIXED_STRING: OperandRules.prefixed_string,
    "(": OperandRules._parenthesized,
    ":": OperandRules.parameter,
    "{": OperandRules._escape,
    "ARRAY": OperandRules._collection,
    "CASE": OperandRules._case,
    "DATE": OperandRules._temporal,
    "DECIMAL": OperandRules._decimal,
    "EXISTS": OperandRules._exists,
    "FALSE": OperandRules.constant_word,
    "INTERVAL": OperandRules._interval,
    "MAP": OperandRules._collection,
    "MULTISET": OperandRules._collection,
    "NULL": OperandRules.constant_word,
    "PERIOD": OperandRules._left_period,
    "ROW": OperandRules._row,
    "TIME": OperandRules._temporal,
    "TIMESTAMP": OperandRules._temporal,
    "TRUE": OperandRules.constant_word,
    "UNKNOWN": OperandRules.constant_word,
}
"""Kind of the first token to the rule of the operand that begins with it."""
