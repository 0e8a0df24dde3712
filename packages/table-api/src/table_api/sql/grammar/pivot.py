"""PIVOT and UNPIVOT of a table."""

from __future__ import annotations

from table_api.expressions.unresolved import Alias, Reference, UnresolvedExpression
from table_api.sql.ast import PivotRef, PivotValue, TableRef, UnpivotColumns, UnpivotRef
from table_api.sql.grammar.lexer import STRING
from table_api.sql.grammar.table_refs import TableRefRules
from table_api.sql.grammar.token_stream import NAMES


class PivotRules(TableRefRules):
    """The rules for PIVOT and UNPIVOT."""

    __slots__ = ()

    def pivot(self, source: TableRef, start: int) -> TableRef:
        self.expect("PIVOT", "(")
        aggregates = self.comma_list(self._pivot_aggregate)
        self.expect("FOR")
        columns = self._pivot_columns()
        self.expect("IN", "(")
        values = self.comma_list(lambda: self._pivot_value(len(columns)))
        self.expect(")", ")")
        return PivotRef(source, aggregates, columns, values, span=self.span(start))

    def _pivot_aggregate(self) -> UnresolvedExpression:
        start = self.index
        expression = self.expression()
        name = self._pivot_name()
        return expression if name is None else Alias(expression, name, span=self.span(start))

    def _pivot_value(self, width: int) -> PivotValue:
        start = self.index
        values: tuple[UnresolvedExpression, ...]
        if width > 1:
            self.expect("(")
            values = self.comma_list(self.expression)
            self.expect(")")
        else:
            values = (self.expression(),)
        return PivotValue(values, self._pivot_name(), span=self.span(start))

    def unpivot(self, source: TableRef, start: int) -> TableRef:
        self.expect("UNPIVOT")
        # INCLUDE and EXCLUDE are not keywords, so that they can be names.
        include_nulls = self.values[self.index].upper() == "INCLUDE"
        if include_nulls or self.values[self.index].upper() == "EXCLUDE":
            self.advance()
            self.expect("NULLS")
        self.expect("(")
        value_names = self.names_in_parentheses() if self.at("(") else (self.name("column name"),)
        self.expect("FOR")
        label_name = self.name("column name")
        self.expect("IN", "(")
        groups = self.comma_list(self._unpivot_columns)
        self.expect(")", ")")
        return UnpivotRef(source, include_nulls, value_names, label_name, groups, span=self.span(start))

    def _unpivot_columns(self) -> UnpivotColumns:
        start = self.index
        columns = self._pivot_columns()
        label = None
        if self.accept("AS"):
            label = self.string() if self.kind == STRING else self.name("alias")
        elif self.kind == STRING:
            label = self.string()
        elif self.kind in NAMES:
            label = self.name()
        return UnpivotColumns(columns, label, span=self.span(start))

    def _pivot_columns(self) -> tuple[Reference, ...]:
        """Consumes a column, or several in parentheses."""
        if not self.accept("("):
            return (self._pivot_column(),)
        columns = self.comma_list(self._pivot_column)
        self.expect(")")
        return columns

    def _pivot_column(self) -> Reference:
        path, span = self.path_with_span("column name")
        return Reference(path, span=span)

    def _pivot_name(self) -> str | None:
        if self.accept("AS") or self.kind in NAMES:
            return self.name("alias")
        return None
