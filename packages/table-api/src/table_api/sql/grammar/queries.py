"""Queries: SELECT and its clauses, VALUES, WITH, set operations, ORDER BY and LIMIT."""

from __future__ import annotations

import re
from array import array

from table_api.expressions.unresolved import Alias, Call, NamedWindow, Star, UnresolvedExpression
from table_api.sql.ast import (
    Cte,
    DistinctGroupingSets,
    GroupingSets,
    GroupingSetsKind,
    Hint,
    ParenthesizedRef,
    QueryNode,
    Select,
    SetOperationQuery,
    SetOperator,
    TableNameRef,
    TableRef,
    Values,
    WithQuery,
)
from table_api.sql.grammar.json_functions import JsonFunctionRules
from table_api.sql.grammar.lexer import END, HINT, NUMBER, STRING, tokenize
from table_api.sql.grammar.operands import QUERY_STARTS, SET_OPERATORS
from table_api.sql.grammar.operators import operator
from table_api.sql.grammar.token_stream import NAMES, TokenStream
from table_common.exceptions import SqlParserException, closest
from table_common.frozen_dataclass import replace

_AFTER_GROUP_BY = frozenset(
    {END, ";", ")", "HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "OFFSET", "FETCH", "INTERSECT", *SET_OPERATORS}
)


class QueryRules(JsonFunctionRules):
    """The rules for queries; those for FROM are in ``table_refs.py``."""

    __slots__ = ()

    def from_clause(self) -> TableRef:
        """Consumes what follows FROM."""
        raise NotImplementedError

    def query(self) -> QueryNode:
        if self.at("WITH"):
            return self._with_query()
        return self.query_after(self._query_operand())

    def query_after(self, left: QueryNode) -> QueryNode:
        return self._ordered(self._set_operations(left, left.span.start if left.span else self.starts[self.index]))

    def _with_query(self) -> QueryNode:
        start = self.index
        self.advance()
        recursive = self.accept("RECURSIVE")
        ctes = self.comma_list(self._cte)
        body = self.query_after(self._query_operand())
        return WithQuery(ctes, body, recursive, span=self.span(start))

    def _cte(self) -> Cte:
        start = self.index
        name = self.name("query name")
        columns = self.names_in_parentheses() if self.at("(") else ()
        self.expect("AS", "(")
        query = self.query()
        self.expect(")")
        return Cte(name, columns, query, span=self.span(start))

    # --- set operations -----------------------------------------------------------------------------------------------------------

    def _set_operations(self, left: QueryNode, start: int, *, only_intersect: bool = False) -> QueryNode:
        """Consumes ``UNION [ALL] query …``; INTERSECT binds tighter. ``start`` is an offset in the text."""
        while self.kind == "INTERSECT" or (self.kind in SET_OPERATORS and not only_intersect):
            kind = "EXCEPT" if self.kind == "MINUS" else self.kind
            self.advance()
            keep_all = self.accept_one("ALL", "DISTINCT") == "ALL"
            right = self._query_operand()
            if kind != "INTERSECT" and self.kind == "INTERSECT":
                right = self._set_operations(right, right.span.start if right.span else start, only_intersect=True)
            left = SetOperationQuery(SetOperator(kind), keep_all, left, right, span=self.span(0)._replace(start=start))
        if self.index == self.watch:
            self.expected.update(SET_OPERATORS)
        return left

    def _query_operand(self) -> QueryNode:
        """Consumes SELECT, VALUES, TABLE t, or a query in parentheses."""
        kind = self.kind
        if kind == "SELECT":
            return self._select()
        if kind == "VALUES":
            return self._values()
        if kind == "(":
            self.advance()
            query = self.query()
            self.expect(")")
            return query
        if kind == "TABLE":
            start = self.index
            self.advance()
            path, span = self.path_with_span("table name")
            return Select((Star(),), TableNameRef(path, span=span, path_span=span), span=self.span(start))
        raise self.unexpected("SELECT", "VALUES", "WITH", "(")

    def _ordered(self, query: QueryNode) -> QueryNode:
        """Consumes ORDER BY, LIMIT, OFFSET and FETCH of the query."""
        order_by = self.order_by_items() if self.accept_phrase("ORDER", "BY") else ()
        offset = fetch = None
        if self.accept("LIMIT"):
            fetch = None if self.accept("ALL") else self._count()
        if self.accept("OFFSET"):
            offset = self._count()
            self.accept_one("ROW", "ROWS")
        if fetch is None and self.accept("FETCH"):
            self.expect_one("FIRST", "NEXT")
            fetch = self._count()
            self.expect_one("ROW", "ROWS")
            self.expect("ONLY")
        if not order_by and offset is None and fetch is None:
            return query
        if query.order_by or query.offset is not None or query.fetch is not None or isinstance(query, WithQuery):
            # The query in parentheses keeps its own order; the outer clauses belong to a query around it.
            query = Select((Star(),), ParenthesizedRef(query, span=query.span), span=query.span)
        start = query.span.start if query.span else 0
        return replace(query, order_by=order_by, offset=offset, fetch=fetch, span=self.span(0)._replace(start=start))

    def _count(self) -> UnresolvedExpression:
        if self.kind == ":":
            return self.parameter()
        if self.kind != NUMBER or not self.values[self.index].isdecimal():
            raise self.unexpected("unsigned integer")
        return self.number()

    # --- SELECT -------------------------------------------------------------------------------------------------------------------

    def _select(self) -> QueryNode:
        start = self.index
        self.advance()
        hints = self.hints()
        self.accept("STREAM")
        distinct = self.accept_one("DISTINCT", "ALL") == "DISTINCT"
        projection = self.comma_list(self._select_item)
        source = where = having = qualify = group_by = None
        windows: tuple[NamedWindow, ...] = ()
        if self.accept("FROM"):
            source = self.from_clause()
        if self.accept("WHERE"):
            where = self.expression()
        if self.accept_phrase("GROUP", "BY"):
            group_by = self._group_by()
        if self.accept("HAVING"):
            having = self.expression()
        if self.accept("WINDOW"):
            windows = self.comma_list(self._named_window)
        if self.accept("QUALIFY"):
            qualify = self.expression()
        return Select(projection, source, where, group_by, having, windows, qualify, distinct, hints, span=self.span(start))

    def _select_item(self) -> UnresolvedExpression:
        start = self.index
        if self.accept("*"):
            if self.at_excluded():
                return Star((), self.excluded(), span=self.span(start))
            if self.kind in NAMES:
                word = self.values[self.index]
                self.advance()
                raise self.invalid(
                    "* takes no alias.", start, hint=f"did you mean FROM instead of '{word}'?" if closest(word, ["FROM"]) else None
                )
            return Star(span=self.span(start))
        expression = self.expression()
        if self.accept("AS"):
            return Alias(expression, self.name("alias"), span=self.span(start))
        if self.kind in NAMES:
            return Alias(expression, self.name("alias"), span=self.span(start))
        return expression

    def _named_window(self) -> NamedWindow:
        name = self.name("window name")
        self.expect("AS")
        return NamedWindow(name, self.window())

    def hints(self) -> tuple[Hint, ...]:
        """Consumes ``/*+ NAME(…), … */``."""
        if not self.accept(HINT):
            return ()
        hint = self.index - 1
        offset = self.starts[hint] + 3
        try:
            inside = tokenize(self.text[offset : self.ends[hint] - 2])
        except SqlParserException as error:
            raise self.error(error.message, at=hint) from None
        inside.text = self.text
        for places in (inside.starts, inside.ends):
            places[:] = array("q", [place + offset for place in places])
        return HintRules(inside).all()

    # --- GROUP BY -----------------------------------------------------------------------------------------------------------------

    def _group_by(self) -> tuple[UnresolvedExpression, ...]:
        start = self.index
        quantifier = self.accept_one("ALL", "DISTINCT")
        if quantifier == "ALL" and self.kind in _AFTER_GROUP_BY:
            return (Star(span=self.span(start)),)  # an extension: GROUP BY ALL groups by all items without an aggregate
        items = self._grouping_elements()
        return (DistinctGroupingSets(items, span=self.span(start)),) if quantifier == "DISTINCT" else items

    def _grouping_elements(self) -> tuple[UnresolvedExpression, ...]:
        items: list[UnresolvedExpression] = []
        while True:
            item = self._grouping_element()
            items.extend(item) if isinstance(item, tuple) else items.append(item)
            if not self.accept(","):
                return tuple(items)

    def _grouping_element(self) -> tuple[UnresolvedExpression, ...] | GroupingSets:
        """Consumes an expression, ``(a, b)``, ``()``, ``ROLLUP (…)``, ``CUBE (…)`` or ``GROUPING SETS (…)``."""
        start = self.index
        if self.kind in ("ROLLUP", "CUBE"):
            kind = GroupingSetsKind(self.kind)
            self.advance()
            self.expect("(")
            items: tuple[tuple[UnresolvedExpression, ...] | GroupingSets, ...] = self.comma_list(self._grouping_items)
        elif self.kind == "GROUPING" and self.peek() == "SETS":
            kind = GroupingSetsKind.GROUPING_SETS
            self.expect("GROUPING", "SETS", "(")
            items = self.comma_list(self._grouping_element)
        else:
            return self._grouping_items()
        self.expect(")")
        return GroupingSets(kind, items, span=self.span(start))

    def _grouping_items(self) -> tuple[UnresolvedExpression, ...]:
        if self.kind == "(" and self.peek() == ")":
            self.expect("(", ")")
            return ()
        expression = self.expression()
        return expression.args if isinstance(expression, Call) and expression.function is operator("ROW") else (expression,)

    # --- VALUES -------------------------------------------------------------------------------------------------------------------

    def _values(self) -> QueryNode:
        start = self.index
        self.advance()
        return Values(self.comma_list(self._values_row), span=self.span(start))

    def _values_row(self) -> tuple[UnresolvedExpression, ...]:
        """Consumes ``(a, b)``, ``ROW(a, b)``, ``(ROW(a, b))``, which is the same, or a single value."""
        if self.kind == "ROW" and self.peek() == "(":
            self.advance()
        elif self.kind != "(" or self.peek() in QUERY_STARTS:
            return (self.expression(),)
        self.advance()
        is_row = self.kind == "ROW"
        row = self.comma_list(self._row_item)
        self.expect(")")
        (first, *others) = row
        return first.args if is_row and not others and isinstance(first, Call) and first.function is operator("ROW") else row

    def _row_item(self) -> UnresolvedExpression:
        if self.accept("DEFAULT"):
            return self.symbol("DEFAULT")
        return self.list_item()


class HintRules(TokenStream):
    """The rules for the contents of ``/*+ … */``."""

    __slots__ = ()

    def unexpected(self, *expected: str) -> Exception:
        self.watch = self.index  # a hint is short: no second parse
        return TokenStream.unexpected(self, *expected)

    def all(self) -> tuple[Hint, ...]:
        """Consumes every hint."""
        hints = [self._hint()]
        while self.kind != self.kinds[-1]:
            self.accept(",")
            hints.append(self._hint())
        return tuple(hints)

    def _hint(self) -> Hint:
        start = self.index
        name = self._word().upper()
        options: list[tuple[str, str]] = []
        arguments: list[str] = []
        if self.accept("(") and not self.accept(")"):
            while True:
                key = self.string() if self.at(STRING) else self._word()
                if self.accept("="):
                    options.append((key, self.string() if self.at(STRING) else self._word()))
                else:
                    arguments.append(key)
                if not self.accept(","):
                    break
            self.expect(")")
        return Hint(name, tuple(options), tuple(arguments), span=self.span(start))

    def _word(self) -> str:
        """Consumes a name with dots; in hints, reserved words are names too."""
        parts = []
        while True:
            value = self.values[self.index]
            if not re.match(r"[\w$`]", value):
                raise self.unexpected("hint", STRING)
            self.advance()
            parts.append(value)
            if not self.accept("."):
                return ".".join(parts)
