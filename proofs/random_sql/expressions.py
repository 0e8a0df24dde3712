"""Random expressions over the columns in reach: values of a type, and conditions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from random_sql.comparisons import OPERATORS, compare, distinct
from random_sql.functions import makers_of
from random_sql.sql_types import (
    BIGINT,
    BOOLEAN,
    COLUMN_TYPES,
    COMPARABLE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TINYINT,
    SqlType,
    common_decimal,
    decimal,
    wider,
)
from random_sql.tree import Expr, Query
from random_sql.values import literal, random_value


@dataclass(frozen=True)
class InReach:
    """A column that an expression may use."""

    expression: Expr
    is_tame: bool = False

    @property
    def type(self) -> SqlType:
        """Its type."""
        return self.expression.type


@dataclass
class ExpressionGenerator:
    """Makes expressions; ``subquery`` makes queries of given types for them, or is None where there may be none."""

    rng: random.Random
    columns: Sequence[InReach]
    subquery: Callable[[Sequence[SqlType], str], Query] | None = None
    outer: Sequence[InReach] = ()
    integer_types = (TINYINT, SMALLINT, INT, BIGINT)

    # --- leaves -------------------------------------------------------------------------------------------------------------------

    def literal(self, of: SqlType, *, tame: bool = False, may_be_null: bool = True) -> Expr:
        """Returns a literal, seldom NULL."""
        is_null = of.kind == "row" or (may_be_null and self.rng.random() < 0.06)
        value = None if is_null else random_value(self.rng, of, tame=tame)
        if value == []:
            value = None  # Flink has no literal of an empty array
        return Expr(of, literal(value, of, "flink"), literal(value, of, "duck"))

    def column(self, of: SqlType | None = None, *, kind: str | None = None, tame: bool = False) -> Expr | None:
        """Returns a column of the type or kind wanted, None if there is none."""
        reach = self.outer if self.outer and (not self.columns or self.rng.random() < 0.3) else self.columns
        found = [c for c in reach if (of is None or c.type == of) and (kind is None or c.type.kind == kind) and (c.is_tame or not tame)]
        return self.rng.choice(found).expression if found else None

    # --- values -------------------------------------------------------------------------------------------------------------------

    def value(self, of: SqlType, depth: int = 2) -> Expr:
        """Returns an expression of exactly this type."""
        if of == BOOLEAN and depth > 0 and self.rng.random() < 0.5:
            return self.condition(depth - 1)
        if depth > 0 and self.rng.random() < 0.6:
            made = self.rng.choice(makers_of(of))(self, of, depth)
            if made is not None and (made.is_exact or depth > 9):
                return made
        return (self.column(of) if self.rng.random() < 0.85 else None) or self.literal(of)

    def any_value(self, kinds: Sequence[str], depth: int = 1, *, tame: bool = False) -> Expr:
        """Returns an expression of one of the kinds, mostly a column."""
        for _ in range(3):
            column = self.column(kind=self.rng.choice(kinds), tame=tame)
            if column is not None:
                return column
        of = self.rng.choice([one for one in COLUMN_TYPES if one.kind in kinds])
        return self.literal(of, tame=True) if tame else self.value(of, depth)

    def number(self, depth: int, kinds: Sequence[str] = ("int", "dec")) -> Expr:
        """Returns an exact number of whatever type: sums and products of mixed types."""
        left, right = self.any_value(kinds, 0, tame=True), self.any_value(kinds, 0, tame=True)
        operator = self.rng.choice("+-*")
        if left.type.kind == right.type.kind == "int":
            of = wider(left.type, right.type)
        else:
            both = common_decimal(left.type, right.type)
            if both is None or both.precision >= 37:
                return left
            if operator == "*":
                of = decimal(min(left.type.precision + right.type.precision + 1, 38), left.type.scale + right.type.scale)
                if left.type.precision + right.type.precision + 1 > 38:
                    return left
                if left.type.kind == "int" or right.type.kind == "int":
                    operator, of = "+", decimal(both.precision + 1, both.scale)
            else:
                of = decimal(both.precision + 1, both.scale)
        if of.kind == "int":
            duck = f"(CAST($0 AS {of.duck}) {operator} CAST($1 AS {of.duck}))"
        elif operator == "*":
            duck = "($0 * $1)"
        else:
            duck = f"(CAST($0 AS {of.duck}) {operator} CAST($1 AS {of.duck}))"
        return Expr(of, f"($0 {operator} $1)", duck, (left, right))

    def quotient(self) -> Expr:
        """Returns a division of decimals, which DuckDB divides as DOUBLE."""
        left, right = self.any_value(("dec",), 0, tame=True), self.any_value(("dec", "int"), 0, tame=True)
        duck = "CAST($0 AS DOUBLE) / NULLIF(CAST($1 AS DOUBLE), 0)"
        return Expr(decimal(38, 6), "($0 / NULLIF($1, 0))", f"({duck})", (left, right), is_exact=False)

    def narrowed(self, expression: Expr, to: SqlType) -> Expr | None:
        """Returns a cast between numbers: Flink cuts where an integer is wanted, and rounds half up otherwise."""
        source = expression.type
        flink = f"CAST($0 AS {to.name})"
        match source.kind, to.kind:
            case ("bool", "int") | ("int", "int") | ("int", "float") | ("float", "float") | ("int", "dec") | ("dec", "dec"):
                return Expr(to, flink, f"CAST($0 AS {to.duck})", (expression,))
            case "dec", "int":
                return Expr(to, flink, f"CAST(TRUNC($0) AS {to.duck})", (expression,))
            case "dec", "float":
                return Expr(to, flink, f"CAST($0 AS {to.duck})", (expression,), is_exact=False)
            case "float", "int":
                return Expr(to, flink, f"CAST(TRUNC($0) AS {to.duck})", (expression,))
        return None

    # --- conditions ---------------------------------------------------------------------------------------------------------------

    def condition(self, depth: int = 2) -> Expr:
        """Returns a BOOLEAN."""
        if depth > 0 and self.rng.random() < 0.45:
            one, two = self.condition(depth - 1), self.condition(depth - 1)
            template = self.rng.choice(("($0 AND $1)", "($0 OR $1)", "(NOT $0)", "($0 IS TRUE)", "($0 IS NOT FALSE)", "($0 IS NULL)"))
            return Expr(BOOLEAN, template, template, (one, two) if "$1" in template else (one,))
        makers = (self._comparison, self._comparison, self._mixed, self._mixed, self._is_null, self._in_list, self._between, self._like)
        queries = (
            (self._exists, self._exists, self._in_query, self._in_query, self._rows_in_query, self._quantified)
            if self.subquery is not None
            else ()
        )
        for _ in range(4):
            made = self.rng.choice((*makers, *queries, self._distinct_from, self._boolean_column))(depth)
            if made is not None:
                return made
        return Expr(BOOLEAN, "TRUE", "TRUE")

    def _comparison(self, depth: int) -> Expr | None:
        left = self.any_value(COMPARABLE, depth)
        return compare(self.rng.choice(OPERATORS), left, self.value(left.type, depth))

    def _mixed(self, depth: int) -> Expr | None:
        left = self.any_value(("int", "dec", "float"), depth)
        if self.rng.random() < 0.3:
            scale = self.rng.choice((0, 1, 2, 5, 9))
            of: SqlType = decimal(scale + self.rng.choice((2, 3, 9)), scale)
        else:
            of = self.rng.choice((INT, BIGINT, DOUBLE, FLOAT, TINYINT, decimal(5, 2), decimal(18, 6), decimal(3, 1)))
        right = self.column(of) or self.literal(of)
        pair = (left, right) if self.rng.random() < 0.7 else (right, left)
        return compare(self.rng.choice(OPERATORS), *pair)

    def _is_null(self, depth: int) -> Expr:
        arg = self.any_value(COMPARABLE, depth)
        template = self.rng.choice(("$0 IS NULL", "$0 IS NOT NULL"))
        return Expr(BOOLEAN, f"({template})", f"({template})", (arg,))

    def _boolean_column(self, depth: int) -> Expr | None:
        return self.column(BOOLEAN)

    def _distinct_from(self, depth: int) -> Expr | None:
        left = self.any_value(COMPARABLE, depth)
        return distinct(left, self.value(left.type, depth), negated=self.rng.random() < 0.5)

    def _in_list(self, depth: int) -> Expr | None:
        left = self.any_value(COMPARABLE, depth)
        items: list[Expr] = []
        for _ in range(self.rng.choice((1, 2, 3, 5))):
            of = left.type
            if of.is_number and self.rng.random() < 0.4:
                of = self.rng.choice((INT, decimal(3, 1), decimal(5, 2)))
            items.append(self.literal(of))
        tests = [compare("=", left, item) for item in items]
        kept = [test for test in tests if test is not None]
        if len(kept) < len(tests) or len(items) > 8:
            return None
        negated = self.rng.random() < 0.5
        flink = f"($0 {'NOT ' if negated else ''}IN ({', '.join(f'${i + 1}' for i in range(len(items)))}))"
        ors = " OR ".join(test.duck.replace("$1", f"${i + 1}") for i, test in enumerate(kept))
        return Expr(BOOLEAN, flink, f"({'NOT ' if negated else ''}({ors}))", (left, *items))

    def _between(self, depth: int) -> Expr | None:
        middle = self.any_value(COMPARABLE, depth)
        low, high = self.value(middle.type, 0), self.value(middle.type, 0)
        parts = compare(">=", middle, low), compare("<=", middle, high)
        if parts[0] is None or parts[1] is None:
            return None
        negated = self.rng.random() < 0.3
        both = f"({parts[0].duck} AND {parts[1].duck.replace('$1', '$2')})"
        flink = f"($0 {'NOT ' if negated else ''}BETWEEN $1 AND $2)"
        return Expr(BOOLEAN, flink, f"(NOT {both})" if negated else both, (middle, low, high))

    def _like(self, depth: int) -> Expr:
        pattern = self.rng.choice(("%", "a%", "%b", "_", "%a%", "", "__%", "ab", "%''%", "% "))
        word = self.rng.choice(("LIKE", "NOT LIKE"))
        template = f"($0 {word} '{pattern}')"
        return Expr(BOOLEAN, template, template, (self.value(STRING, depth),))

    # --- conditions on queries ----------------------------------------------------------------------------------------------------

    def _exists(self, depth: int) -> Expr | None:
        assert self.subquery is not None
        template = self.rng.choice(("EXISTS ($0)", "NOT EXISTS ($0)"))
        return Expr(BOOLEAN, f"({template})", f"({template})", (self.subquery([INT], "exists"),))

    def _in_query(self, depth: int) -> Expr | None:
        assert self.subquery is not None
        left = self.any_value([kind for kind in COMPARABLE if kind != "float"], depth)
        template = self.rng.choice(("($0 IN ($1))", "($0 NOT IN ($1))"))
        return Expr(BOOLEAN, template, template, (left, self.subquery([left.type], "in")))

    def _rows_in_query(self, depth: int) -> Expr | None:
        assert self.subquery is not None
        operands = [self.any_value(("int", "str", "date", "dec", "bool"), depth) for _ in range(2)]
        # DuckDB gives NULL for a row with a NULL even where the other values differ.
        template = self.rng.choice(("((($0, $1) IN ($2)) IS TRUE)", "((($0, $1) IN ($2)) IS NOT TRUE)"))
        query = self.subquery([one.type for one in operands], "in")
        return Expr(BOOLEAN, template, template, (*operands, query))

    def _quantified(self, depth: int) -> Expr | None:
        assert self.subquery is not None
        left = self.any_value(("int", "str", "date"), depth)
        template = f"($0 {self.rng.choice(OPERATORS)} {self.rng.choice(('ANY', 'ALL'))} ($1))"
        return Expr(BOOLEAN, template, template, (left, self.subquery([left.type], "in")))
