"""MATCH_RECOGNIZE: the clauses and the row pattern."""

from __future__ import annotations

from table_api.expressions.unresolved import UnresolvedExpression
from table_api.sql.ast import (
    MatchRecognizeRef,
    MeasureItem,
    PatternDefinition,
    PatternNode,
    PatternQuantifier,
    PatternSubset,
    TableRef,
)
from table_api.sql.grammar.pivot import PivotRules
from table_common.frozen_dataclass import replace

_VARIABLE = "pattern variable"


class MatchRecognizeRules(PivotRules):
    """The rules for MATCH_RECOGNIZE."""

    __slots__ = ()

    def match_recognize(self, source: TableRef, start: int) -> TableRef:
        self.expect("MATCH_RECOGNIZE", "(")
        partition_by = self.comma_list(self.expression) if self.accept_phrase("PARTITION", "BY") else ()
        order_by = self.order_by_items() if self.accept_phrase("ORDER", "BY") else ()
        measures = self.comma_list(self._measure) if self.accept("MEASURES") else ()
        all_rows = self._rows_per_match()
        after_match, after_match_variable = self._after_match()
        self.expect("PATTERN", "(")
        strict_start = self.accept("^")
        pattern = self._alternatives()
        strict_end = self._end_anchor()
        self.expect(")")
        within = self._within()
        subsets = self.comma_list(self._subset) if self.accept("SUBSET") else ()
        self.expect("DEFINE")
        definitions = self.comma_list(self._definition)
        self.expect(")")
        return MatchRecognizeRef(
            source,
            partition_by,
            order_by,
            measures,
            all_rows,
            after_match,
            after_match_variable,
            pattern,
            strict_start,
            strict_end,
            within,
            subsets,
            definitions,
            span=self.span(start),
        )

    def _within(self) -> UnresolvedExpression | None:
        if not self.accept("WITHIN"):
            return None
        if self.kind != "INTERVAL":
            raise self.unexpected("INTERVAL")
        return self.expression()

    def _measure(self) -> MeasureItem:
        semantics = ""
        if self.kind in ("RUNNING", "FINAL") and self.peek() != ".":
            semantics = self.kind
            self.advance()
        expression = self.expression()
        self.expect("AS")
        return MeasureItem(expression, self.name("alias"), semantics)

    def _rows_per_match(self) -> bool:
        if self.accept("ONE"):
            self.expect("ROW", "PER", "MATCH")
            return False
        if self.accept("ALL"):
            self.expect("ROWS", "PER", "MATCH")
            return True
        return False

    def _after_match(self) -> tuple[str, str | None]:
        """Consumes ``AFTER MATCH SKIP …``; without it, the search continues at the row after the first one of the match, as in Flink."""
        if not self.accept_words("AFTER", "MATCH"):
            return "TO NEXT ROW", None
        self.expect("SKIP")
        if self.expect_one("TO", "PAST") == "PAST":
            self.expect("LAST", "ROW")
            return "PAST LAST ROW", None
        if self.accept("NEXT"):
            self.expect("ROW")
            return "TO NEXT ROW", None
        side = self.kind if self.kind in ("FIRST", "LAST") and self.peek() != "PATTERN" else None
        if side is None:
            return "TO", self.name(_VARIABLE)
        self.advance()
        return f"TO {side}", self.name(_VARIABLE)

    def _subset(self) -> PatternSubset:
        name = self.name("subset name")
        self.expect("=")
        return PatternSubset(name, self.names_in_parentheses(_VARIABLE))

    def _definition(self) -> PatternDefinition:
        name = self.name(_VARIABLE)
        self.expect("AS")
        return PatternDefinition(name, self.expression())

    # --- the pattern --------------------------------------------------------------------------------------------------------------

    def _alternatives(self) -> PatternNode:
        items = [self._sequence()]
        while self.accept("|"):
            items.append(self._sequence())
        return items[0] if len(items) == 1 else PatternNode("ALTERNATE", items=tuple(items))

    def _sequence(self) -> PatternNode:
        items = [self._factor()]
        while self.kind in ("(", "PERMUTE", "{-") or (self.at_name(_VARIABLE) and self.values[self.index] != "$"):
            items.append(self._factor())
        return items[0] if len(items) == 1 else PatternNode("CONCAT", items=tuple(items))

    def _factor(self) -> PatternNode:
        if self.accept("("):
            if self.accept(")"):
                return PatternNode("EMPTY")
            node = self._alternatives()
            self.expect(")")
        elif self.accept("PERMUTE"):
            self.expect("(")
            node = PatternNode("PERMUTE", items=self.comma_list(self._alternatives))
            self.expect(")")
        elif self.accept("{-"):
            node = PatternNode("EXCLUDE", items=(self._alternatives(),))
            self.expect("-}")
        else:
            node = PatternNode("VARIABLE", self.name(_VARIABLE))
        quantifier = self._quantifier()
        if quantifier is None:
            return node
        if node.quantifier is not None:
            node = PatternNode("CONCAT", items=(node,))
        return replace(node, quantifier=quantifier)

    def _quantifier(self) -> PatternQuantifier | None:
        maximum: int | None
        sign = self.accept_one("*", "+", "?", "{")
        match sign:
            case None:
                return None
            case "*":
                minimum, maximum = 0, None
            case "+":
                minimum, maximum = 1, None
            case "?":
                minimum, maximum = 0, 1
            case _:
                minimum, maximum = self._repetition()
        return PatternQuantifier(minimum, maximum, greedy=not self.accept("?"))

    def _repetition(self) -> tuple[int, int | None]:
        """Consumes ``n}``, ``n,}``, ``n,m}`` or ``,m}``."""
        minimum = 0 if self.at(",") else self.unsigned_integer()
        maximum: int | None = minimum
        if self.accept(","):
            maximum = None if self.at("}") else self.unsigned_integer()
        self.expect("}")
        return minimum, maximum

    def _end_anchor(self) -> bool:
        """Consumes ``$``, which the tokenizer reads as a name."""
        if self.values[self.index] != "$":
            return False
        self.advance()
        return True
