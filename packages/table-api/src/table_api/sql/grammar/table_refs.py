"""The FROM clause: tables, queries, table functions, UNNEST, joins, MATCH_RECOGNIZE, PIVOT."""

from __future__ import annotations

from table_api.expressions.unresolved import UnresolvedExpression
from table_api.sql.ast import (
    AsOf,
    FileRef,
    JoinKind,
    JoinRef,
    LateralRef,
    ParenthesizedRef,
    QueryNode,
    SampledRef,
    TableFunctionRef,
    TableNameRef,
    TableRef,
    UnnestRef,
)
from table_api.sql.grammar.lexer import STRING
from table_api.sql.grammar.operands import QUERY_CONTINUES, QUERY_STARTS
from table_api.sql.grammar.queries import QueryRules
from table_api.sql.grammar.token_stream import NAMES
from table_common.frozen_dataclass import replace

_JOIN_STARTS = frozenset({"JOIN", "NATURAL", "INNER", "LEFT", "RIGHT", "FULL", "CROSS"})


class TableRefRules(QueryRules):
    """The rules for table references."""

    __slots__ = ()

    def match_recognize(self, source: TableRef, start: int) -> TableRef:
        """Consumes ``MATCH_RECOGNIZE (…)`` after a table."""
        raise NotImplementedError

    def pivot(self, source: TableRef, start: int) -> TableRef:
        """Consumes ``PIVOT (…)`` after a table."""
        raise NotImplementedError

    def unpivot(self, source: TableRef, start: int) -> TableRef:
        """Consumes ``UNPIVOT (…)`` after a table."""
        raise NotImplementedError

    def from_clause(self) -> TableRef:
        start = self.index
        return self._comma_joins(self._joined(), start)

    def _joined(self) -> TableRef:
        start = self.index
        return self._joins(self._table(), start)

    def _joins(self, left: TableRef, start: int) -> TableRef:
        while self.kind in _JOIN_STARTS:
            natural = self.accept("NATURAL")
            kind = self._join_kind()
            right = self._table()
            condition = None
            using: tuple[str, ...] = ()
            if kind is not JoinKind.CROSS and not natural:
                if self.accept("ON"):
                    condition = self.expression()
                elif self.accept("USING"):
                    using = self.names_in_parentheses()
            left = JoinRef(left, right, kind, condition, using, natural, span=self.span(start))
        self.note(*_JOIN_STARTS)
        return left

    def _join_kind(self) -> JoinKind:
        word = self.accept_one("INNER", "LEFT", "RIGHT", "FULL", "CROSS")
        kind = JoinKind(word or "INNER")
        if word == "LEFT" and self.kind != "JOIN":
            # SEMI and ANTI are an extension; they are not keywords, so that they can be names.
            side = self.values[self.index].upper()
            if side in ("SEMI", "ANTI") and self.peek() == "JOIN":
                self.advance()
                kind = JoinKind[side]
        if word in ("LEFT", "RIGHT", "FULL") and kind.name == word:
            self.accept("OUTER")
        self.expect("JOIN")
        return kind

    # --- one table ----------------------------------------------------------------------------------------------------------------

    def _table(self) -> TableRef:
        """Consumes a table with its clauses: FOR SYSTEM_TIME, MATCH_RECOGNIZE, PIVOT, alias, TABLESAMPLE."""
        start = self.index
        table = self._changed(self._table_primary(), start)
        return self._sampled(table, start) if self.kind == "TABLESAMPLE" else table

    def _changed(self, table: TableRef, start: int) -> TableRef:
        """Consumes the alias of a table, and then clauses such as PIVOT, each with an alias of its own."""
        table = self._aliased(table, start)
        while True:
            if self.kind == "MATCH_RECOGNIZE":
                table = self.match_recognize(table, start)
            elif self.kind == "PIVOT":
                table = self.pivot(table, start)
            elif self.kind == "UNPIVOT":
                table = self.unpivot(table, start)
            else:
                return table
            table = self._aliased(table, start)

    def _aliased(self, table: TableRef, start: int) -> TableRef:
        if self.accept("AS"):
            alias = self.name("alias")
        elif self.at_name("alias"):
            alias = self.name()
        else:
            return table
        columns = self.names_in_parentheses() if self.at("(") else ()
        return replace(table, alias=alias, column_aliases=columns, span=self.span(start))

    def _table_primary(self) -> TableRef:
        start = self.index
        kind = self.kind
        if kind == "(":
            return self._in_parentheses()
        if kind == "LATERAL":
            self.advance()
            if self.kind not in ("(", "TABLE", "UNNEST") and self.kind not in NAMES:
                raise self.unexpected("(", "TABLE", "UNNEST", "function name")
            inner = self._table_primary()
            return LateralRef(inner, span=self.span(start))
        if kind == "UNNEST":
            self.advance()
            self.expect("(")
            expressions = self.comma_list(self.expression)
            self.expect(")")
            return UnnestRef(expressions, self.accept_phrase("WITH", "ORDINALITY"), span=self.span(start))
        if kind == "TABLE":
            self.advance()
            if self.accept("("):
                call = self._function_call()
                self.expect(")")
                return TableFunctionRef(call, span=self.span(start))
            path, path_span = self.path_with_span("table name")
            return TableNameRef(path, self.hints(), span=self.span(start), path_span=path_span)
        if kind == STRING:  # extension: the path of a file
            return FileRef(self.string(), span=self.span(start))
        if kind == "VALUES":
            return ParenthesizedRef(self.query(), span=self.span(start))
        return self._named_table()

    def _named_table(self) -> TableRef:
        start = self.index
        if not self.at_name("table name"):
            raise self.unexpected("(", "LATERAL", "TABLE", "UNNEST")
        path, path_span = self.path_with_span("table name")
        if self.kind == "(":
            call = self.call_after_name(path, start)
            return TableFunctionRef(call, span=self.span(start))
        hints = self.hints()
        as_of = self._as_of()
        return TableNameRef(path, hints, as_of, span=self.span(start), path_span=path_span)

    def _as_of(self) -> AsOf | None:
        if not self.accept_phrase("FOR", "SYSTEM_TIME", "AS", "OF"):
            return None
        return AsOf(self.expression())

    def _function_call(self) -> UnresolvedExpression:
        start = self.index
        path = self.path("function name")
        return self.call_after_name(path, start)

    def _in_parentheses(self) -> TableRef:
        """Consumes ``(query)`` or ``(joined tables)``; inner parentheses may have to be parsed to tell which it is."""
        start = self.index
        inner = self._query_or_tables()
        return ParenthesizedRef(inner, span=self.span(start))

    def _query_or_tables(self) -> QueryNode | TableRef:
        self.expect("(")
        start = self.index
        inner: QueryNode | TableRef
        if self.kind == "(":
            inner = self._query_or_tables()
            if isinstance(inner, QueryNode) and self.kind in QUERY_CONTINUES:
                inner = self.query_after(inner)
            elif self.kind != ")":
                # The inner parentheses are a table, with an alias or a join after it.
                table = self._changed(ParenthesizedRef(inner, span=self.span(start)), start)
                inner = self._comma_joins(self._joins(table, start), start)
        elif self.kind in QUERY_STARTS and not (self.kind == "TABLE" and self.peek() == "("):
            inner = self.query()
        else:
            inner = self.from_clause()
        self.expect(")")
        return inner

    def _comma_joins(self, left: TableRef, start: int) -> TableRef:
        while self.accept(","):
            left = JoinRef(left, self._joined(), JoinKind.CROSS, is_comma=True, span=self.span(start))
        return left

    def _sampled(self, table: TableRef, start: int) -> SampledRef:
        self.expect("TABLESAMPLE")
        method = self.expect_one("BERNOULLI", "SYSTEM")
        self.expect("(")
        percentage = self.expression()
        self.expect(")")
        seed = None
        if self.accept("REPEATABLE"):
            self.expect("(")
            sign = -1 if self.accept("-") else 1
            seed = sign * self.unsigned_integer()
            self.expect(")")
        return SampledRef(table, method, percentage, seed, span=self.span(start))
