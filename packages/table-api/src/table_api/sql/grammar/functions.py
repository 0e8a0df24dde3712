"""Calls: arguments and the clauses after them, functions with keywords between their arguments, OVER windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table_api.expressions.unresolved import (
    Call,
    FrameBound,
    FrameBoundKind,
    FrameUnit,
    Literal,
    NamedArgument,
    Over,
    OverWindowSpec,
    QueryArgument,
    SortKey,
    Star,
    Subquery,
    SubqueryKind,
    Symbol,
    TypeLiteral,
    UnresolvedExpression,
)
from table_api.sql.ast import QueryNode, Select, TableNameRef
from table_api.sql.grammar.expressions import SUM, ExpressionRules
from table_api.sql.grammar.operands import QUERY_STARTS
from table_api.sql.grammar.operators import operator
from table_api.sql.grammar.token_stream import NAMES
from table_common.frozen_dataclass import replace
from table_common.types import CharType, LogicalType

_SPACE = Literal(" ", CharType(1, nullable=False))
_AFTER_CALL = frozenset({"WITHIN", "FILTER", "IGNORE", "RESPECT", "OVER"})
_UNITS = frozenset(
    [
        "NANOSECOND",
        "MICROSECOND",
        "MILLISECOND",
        "SECOND",
        "MINUTE",
        "HOUR",
        "DAY",
        "WEEK",
        "MONTH",
        "QUARTER",
        "YEAR",
        "DECADE",
        "CENTURY",
        "MILLENNIUM",
        "EPOCH",
        "DOW",
        "DOY",
        "ISODOW",
        "ISOYEAR",
    ]
)
_OTHER_UNITS = {
    "FRAC_SECOND": "MICROSECOND",
    "SQL_TSI_FRAC_SECOND": "NANOSECOND",
    **{f"SQL_TSI_{unit}": unit for unit in ("MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")},
    **{f"{unit}S": unit for unit in ("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")},
}


class FunctionRules(ExpressionRules):
    """The rules for calls."""

    __slots__ = ()

    # --- calls by name ------------------------------------------------------------------------------------------------------------

    def call_after_name(self, name: tuple[str, ...], start: int) -> UnresolvedExpression:
        name_span = self.span(start)
        self.expect("(")
        args: tuple[UnresolvedExpression, ...] = ()
        distinct = star = False
        order_by: tuple[SortKey, ...] = ()
        if self.kind == "*":
            star = True
            self.advance()
        elif self.kind != ")":
            distinct = self.accept_one("DISTINCT", "ALL") == "DISTINCT"
            args = self.comma_list(self._argument)
            order_by = self.order_by_items() if self.accept_phrase("ORDER", "BY") else ()
        ignore_nulls = self._null_treatment()
        self.expect(")")
        call = Call(name, args, distinct, None, order_by, (), ignore_nulls, star, span=self.span(start), name_span=name_span)
        return self.after_call(call, start) if self.kind in _AFTER_CALL or self.index == self.watch else call

    def after_call(self, call: Call, start: int) -> UnresolvedExpression:
        """Consumes the clauses after an aggregate call: WITHIN GROUP, FILTER, IGNORE NULLS, OVER."""
        changes: dict[str, Any] = {}
        if self.accept_phrase("WITHIN", "GROUP"):
            self.expect("(", "ORDER", "BY")
            changes["within_group"] = self.order_by_items()
            self.expect(")")
        if self.accept("FILTER"):
            self.expect("(", "WHERE")
            changes["filter"] = self.expression()
            self.expect(")")
        ignore_nulls = self._null_treatment()
        if ignore_nulls is not None:
            changes["ignore_nulls"] = ignore_nulls
        if changes:
            call = replace(call, **changes, span=self.span(start))
        return self._over(call, start) if self.accept("OVER") else call

    def _null_treatment(self) -> bool | None:
        treatment = self.kind if self.kind in ("IGNORE", "RESPECT") and self.peek() == "NULLS" else None
        self.note("IGNORE", "RESPECT")
        if treatment is None:
            return None
        self.expect(treatment, "NULLS")
        return treatment == "IGNORE"

    def _argument(self) -> UnresolvedExpression:
        start = self.index
        if self.kind in NAMES and self.kinds[start + 1] == "=>":
            name = self.name()
            self.advance()
            value = self._plain_argument()
            return NamedArgument(name, value, span=self.span(start))
        return self._plain_argument()

    def _plain_argument(self) -> UnresolvedExpression:
        start = self.index
        kind = self.kind
        if kind == "TABLE":
            return self._table_argument()
        if kind in QUERY_STARTS:
            return Subquery(SubqueryKind.SCALAR, self.query(), span=self.span(start))
        if kind == "DESCRIPTOR" and self.peek() == "(":
            return self._descriptor()
        if kind == "MODEL" and self.peek() in NAMES:
            self.advance()
            path = self.path("model name")
            return Call(("MODEL",), tuple(Literal(p, CharType(len(p), nullable=False)) for p in path), span=self.span(start))
        if kind == "DEFAULT":
            self.advance()
            return self.symbol("DEFAULT")
        value = self.list_item()
        if (
            isinstance(value, Subquery)
            and value.kind is SubqueryKind.SCALAR
            and self.kind in ("PARTITION", "ORDER")
            and self.peek() == "BY"
        ):
            return self._query_argument(value.query, start)
        return value

    def _table_argument(self) -> UnresolvedExpression:
        """Consumes ``TABLE t [PARTITION BY …] [ORDER BY …]`` or ``TABLE (query) …``."""
        start = self.index
        self.advance()
        if self.accept("("):
            query: object = self.query()
            self.expect(")")
        else:
            path, span = self.path_with_span("table name")
            query = Select((Star(),), TableNameRef(path, span=span, path_span=span), span=span)
        return self._query_argument(query, start)

    def _query_argument(self, query: object, start: int) -> UnresolvedExpression:
        assert isinstance(query, QueryNode)
        partition_by: tuple[UnresolvedExpression, ...] = ()
        if self.accept_phrase("PARTITION", "BY"):
            if self.accept("("):
                partition_by = self.comma_list(self.expression)
                self.expect(")")
            else:
                # Without parentheses only one expression: a comma ends the argument.
                partition_by = (self.expression(),)
        order_by: tuple[SortKey, ...] = ()
        if self.accept_phrase("ORDER", "BY"):
            if self.accept("("):
                order_by = self.order_by_items()
                self.expect(")")
            else:
                order_by = (self.order_by_item(),)
        return QueryArgument(query, partition_by, order_by, span=self.span(start))

    def _descriptor(self) -> UnresolvedExpression:
        start = self.index
        self.advance()
        self.expect("(")
        columns = self.comma_list(self.plain_reference)
        self.expect(")")
        return Call(("DESCRIPTOR",), columns, span=self.span(start))

    # --- ORDER BY and OVER --------------------------------------------------------------------------------------------------------

    def order_by_items(self) -> tuple[SortKey, ...]:
        """Consumes the items of ORDER BY."""
        return self.comma_list(self.order_by_item)

    def order_by_item(self) -> SortKey:
        """Consumes ``expression [ASC|DESC] [NULLS FIRST|LAST]``."""
        start = self.index
        expression = self.expression()
        ascending = self.accept_one("ASC", "DESC") != "DESC"
        nulls_first = self.expect_one("FIRST", "LAST") == "FIRST" if self.accept("NULLS") else None
        return SortKey(expression, ascending, nulls_first, span=self.span(start))

    def _over(self, call: Call, start: int) -> UnresolvedExpression:
        window = self.name("window name") if not self.at("(") else self.window()
        return Over(call, window, span=self.span(start))

    def window(self) -> OverWindowSpec:
        """Consumes ``([name] [PARTITION BY …] [ORDER BY …] [ROWS|RANGE …])``."""
        self.expect("(")
        base = self.name("window name") if self.kind in NAMES else None
        partition_by = self.comma_list(self.expression) if self.accept_phrase("PARTITION", "BY") else ()
        order_by = self.order_by_items() if self.accept_phrase("ORDER", "BY") else ()
        unit = lower = upper = None
        frame = self.accept_one("ROWS", "RANGE")
        if frame is not None:
            unit = FrameUnit(frame)
            if self.accept("BETWEEN"):
                lower = self._frame_bound()
                self.expect("AND")
                upper = self._frame_bound()
            else:
                lower = self._frame_bound()
        self.expect(")")
        return OverWindowSpec(partition_by, order_by, unit, lower, upper, base)

    def _frame_bound(self) -> FrameBound:
        if self.accept_words("CURRENT", "ROW"):
            return FrameBound(FrameBoundKind.CURRENT_ROW)
        if self.accept("UNBOUNDED"):
            return FrameBound(FrameBoundKind(f"UNBOUNDED {self.expect_one('PRECEDING', 'FOLLOWING')}"))
        offset = self.expression()
        return FrameBound(FrameBoundKind(self.expect_one("PRECEDING", "FOLLOWING")), offset)

    # --- functions with keywords --------------------------------------------------------------------------------------------------

    def special_call(self) -> UnresolvedExpression | None:
        rule = SPECIAL_CALLS.get(self.kind)
        # EXTRACT and the like are reserved words; TIMESTAMPADD, FIRST, … are names unless a parenthesis follows.
        if rule is None or (self.peek() != "(" and self.kind in NAMES):
            return None
        start = self.index
        self.advance()
        self.expect("(")
        return rule(self, start)

    def _done(self, name: str, start: int, *args: UnresolvedExpression) -> Call:
        self.expect(")")
        return Call(operator(name), args, span=self.span(start))

    def cast_type(self) -> LogicalType:
        return self.interval_type() if self.accept("INTERVAL") else self.type()

    def _cast(self, start: int) -> UnresolvedExpression:
        name = self.kinds[start]
        value = self.expression()
        self.expect("AS")
        place = self.index
        target = self.cast_type()
        if name == "SAFE_CAST":
            raise self.invalid("SAFE_CAST is not supported.", start, hint="TRY_CAST does the same")
        return self._done(name, start, value, TypeLiteral(target, span=self.span(place)))

    def _unit(self, function: str) -> Symbol:
        start = self.index
        word = self.values[start].upper()
        unit = _OTHER_UNITS.get(word, word)
        if unit not in _UNITS:
            if self.kind not in NAMES:
                raise self.unexpected("time unit")
            self.advance()
            raise self.invalid(f"{function} requires a time unit, but got '{word}'.", start, hint=f"units are {', '.join(sorted(_UNITS))}")
        self.advance()
        return self.symbol(unit)

    def _extract(self, start: int) -> UnresolvedExpression:
        unit = self._unit("EXTRACT")
        self.expect("FROM")
        return self._done("EXTRACT", start, unit, self.expression())

    def _floor(self, start: int) -> UnresolvedExpression:
        name = "FLOOR" if self.kinds[start] == "FLOOR" else "CEIL"
        value = self.expression()
        return self._done(name, start, value, self._unit(name)) if self.accept("TO") else self._done(name, start, value)

    def _timestamp_arithmetic(self, start: int) -> UnresolvedExpression:
        name = self.kinds[start]
        unit = self._unit(name)
        self.expect(",")
        first = self.expression()
        self.expect(",")
        return self._done(name, start, unit, first, self.expression())

    def _position(self, start: int) -> UnresolvedExpression:
        args = [self.expression(SUM)]
        self.expect("IN")
        args.append(self.expression(SUM))
        if self.accept("FROM"):
            args.append(self.expression())
        return self._done("POSITION", start, *args)

    def _overlay(self, start: int) -> UnresolvedExpression:
        args = [self.expression()]
        self.expect("PLACING")
        args.append(self.expression())
        self.expect("FROM")
        args.append(self.expression())
        if self.accept("FOR"):
            args.append(self.expression())
        return self._done("OVERLAY", start, *args)

    def _substring(self, start: int) -> UnresolvedExpression:
        args = [self.expression()]
        self.expect_one("FROM", ",")
        args.append(self.expression())
        if self.accept_one("FOR", ",") is not None:
            args.append(self.expression())
        return self._done("SUBSTRING", start, *args)

    def _trim(self, start: int) -> UnresolvedExpression:
        mode = self.accept_one("BOTH", "LEADING", "TRAILING")
        symbol = self.symbol(mode) if mode is not None else Symbol("BOTH")
        if mode is not None and self.accept("FROM"):
            return self._done("TRIM", start, symbol, _SPACE, self.expression())
        first = self.expression()
        if self.accept("FROM"):
            return self._done("TRIM", start, symbol, first, self.expression())
        if mode is not None:
            raise self.unexpected()
        return self._done("TRIM", start, symbol, _SPACE, first)


SPECIAL_CALLS: dict[str, Callable[[FunctionRules, int], UnresolvedExpression]] = {
    "CAST": FunctionRules._cast,
    "CEIL": FunctionRules._floor,
    "CEILING": FunctionRules._floor,
    "EXTRACT": FunctionRules._extract,
    "FLOOR": FunctionRules._floor,
    "OVERLAY": FunctionRules._overlay,
    "POSITION": FunctionRules._position,
    "SAFE_CAST": FunctionRules._cast,
    "SUBSTRING": FunctionRules._substring,
    "TIMESTAMPADD": FunctionRules._timestamp_arithmetic,
    "TIMESTAMPDIFF": FunctionRules._timestamp_arithmetic,
    "TRIM": FunctionRules._trim,
    "TRY_CAST": FunctionRules._cast,
}
"""Keyword to the rule of the call that begins with it."""
