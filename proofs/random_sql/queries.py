"""Random queries over random tables."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from random_sql.aggregates import AggregateGenerator
from random_sql.comparisons import compare, distinct
from random_sql.expressions import ExpressionGenerator, InReach
from random_sql.sql_types import BIGINT, BOOLEAN, COLUMN_TYPES, COMPARABLE, DATE, DOUBLE, INT, STRING, SqlType, decimal
from random_sql.tables import Table
from random_sql.tree import (
    Derived,
    Expr,
    GroupBy,
    Item,
    Join,
    Order,
    Query,
    Relation,
    Select,
    SetQuery,
    TableRef,
    Unnest,
    Values,
    With,
    text,
    types_of,
)
from random_sql.windows import window_call

JOINS = ("INNER", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "LEFT SEMI", "LEFT ANTI")
SET_OPERATORS = ("UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
_GROUPABLE = (*COMPARABLE, "list")


@dataclass
class QueryGenerator:
    """Makes queries of the tables."""

    rng: random.Random
    tables: Sequence[Table]
    _aliases: int = 0
    _depth: int = 0
    _outer: Sequence[InReach] = field(default=())
    _named: list[tuple[str, Query]] = field(default_factory=list)

    def query(self) -> Query:
        """Returns a whole query."""
        self._named = []
        kind = self.rng.random()
        if kind < 0.08:
            body_of = self.select()
            self._named = [("w", body_of)]
            return With("w", body_of, self._plain())
        return self._plain()

    def _plain(self) -> Query:
        if self.rng.random() < 0.15:
            return self.set_query(None)
        made = self.select()
        if self.rng.random() < 0.2 and all(item.expression.is_exact and item.expression.type.kind in COMPARABLE for item in made.items):
            return self._ordered(made)
        return made

    def _ordered(self, made: Select) -> Select:
        """Adds ORDER BY of all columns, so that LIMIT cuts the same rows everywhere."""
        positions = list(range(1, len(made.items) + 1))
        self.rng.shuffle(positions)
        orders = tuple(Order(position, self.rng.random() < 0.5, self.rng.random() < 0.5) for position in positions)
        limit = self.rng.choice((None, 0, 1, 3, 10))
        offset = self.rng.choice((None, None, 1, 2)) if limit is not None else None
        return Select(**{**vars_of(made), "order_by": orders, "limit": limit, "offset": offset})

    def set_query(self, types: Sequence[SqlType] | None) -> Query:
        """Returns a set operation."""
        types = types or self._types()
        left, right = self.select(types), self.select(types)
        if self.rng.random() < 0.2:
            left = self.set_query(types)  # type: ignore[assignment]
        return SetQuery(self.rng.choice(SET_OPERATORS), left, right)

    def _types(self) -> list[SqlType]:
        types = [c.type for table in self.tables for c in table.columns if c.type.kind in COMPARABLE]
        return [self.rng.choice(types) for _ in range(self.rng.choice((1, 1, 2, 3)))]

    # --- SELECT -------------------------------------------------------------------------------------------------------------------

    def select(self, types: Sequence[SqlType] | None = None) -> Select:
        """Returns a SELECT, of columns of the types if they are given."""
        source, reach = self._from()
        where_rows = self.expressions(reach)
        where = where_rows.condition() if self.rng.random() < 0.5 else None
        kind = self.rng.random()
        if kind < 0.35:
            return self._grouped(source, reach, where, types)
        if kind < 0.5 and types is None:
            return self._windowed(source, reach, where)
        plain = self.expressions(reach)
        wanted = types or [self._any_type(reach) for _ in range(self.rng.choice((1, 2, 3, 4)))]
        values = [plain.value(of) for of in wanted]
        if types is None and self.rng.random() < 0.05:
            values.append(plain.quotient())
        items = tuple(Item(value, f"x{i}") for i, value in enumerate(values))
        can_be_distinct = all(i.expression.is_exact and i.expression.type.kind in _GROUPABLE for i in items)
        distinct = can_be_distinct and self.rng.random() < 0.15
        return Select(items, source, where, distinct=distinct)

    def _any_type(self, reach: Sequence[InReach]) -> SqlType:
        return self.rng.choice(reach).type if reach and self.rng.random() < 0.8 else self.rng.choice(COLUMN_TYPES)

    def expressions(self, reach: Sequence[InReach]) -> ExpressionGenerator:
        """Returns a generator of expressions over the columns; queries in them go two levels deep."""

        def subquery(types: Sequence[SqlType], use: str) -> Query:
            return self._subquery(types, use, reach)

        can_nest = self._depth < 2 and not any(table.is_big for table in self.tables)
        return ExpressionGenerator(self.rng, reach, subquery if can_nest and self.rng.random() < 0.5 else None, self._outer)

    def _subquery(self, types: Sequence[SqlType], use: str, reach: Sequence[InReach]) -> Query:
        outer, self._outer = self._outer, reach if self.rng.random() < 0.6 else ()
        self._depth += 1
        try:
            if use != "scalar":
                return self.select(types)
            source, inner = self._from()
            generator = self.expressions(inner)
            where = generator.condition() if self.rng.random() < 0.8 else None
            # An aggregate of outer columns alone would be one of the outer query, says the standard.
            call = AggregateGenerator(self.rng, ExpressionGenerator(self.rng, inner)).call_of(types[0])
            return Select((Item(call, "x0"),), source, where)
        finally:
            self._depth -= 1
            self._outer = outer

    def _grouped(self, source: Relation, reach: list[InReach], where: Expr | None, types: Sequence[SqlType] | None) -> Select:
        candidates = [c.expression for c in reach if c.type.kind in _GROUPABLE]
        keys = self.rng.sample(candidates, min(len(candidates), self.rng.choice((0, 1, 1, 2, 2, 3))))
        if keys and self.rng.random() < 0.2:
            keys[0] = self._computed_key(reach, keys[0])
        group_by = self._group_by(keys) if keys else None
        keys = list(dict.fromkeys(keys))
        is_nested = self._outer
        self._outer = ()
        rows = ExpressionGenerator(self.rng, reach)
        aggregates = AggregateGenerator(self.rng, rows)
        over_groups = [InReach(key) for key in keys]
        calls = [aggregates.call() for _ in range(self.rng.choice((1, 1, 2, 3)))]
        over_groups += [InReach(call) for call in calls if call.is_exact]
        groups = ExpressionGenerator(self.rng, over_groups)
        if types is not None:
            items = [groups.value(of) for of in types]
        else:
            items = [*keys, *calls]
            if keys and group_by is not None and group_by.kind and self.rng.random() < 0.5:
                grouping = f"GROUPING_ID({', '.join(f'${i}' for i in range(len(keys)))})"
                items.append(Expr(BIGINT, grouping, grouping, tuple(keys)))
            if self.rng.random() < 0.3 and over_groups:
                items.append(groups.value(self.rng.choice(over_groups).type))
        having = groups.condition(1) if self.rng.random() < 0.25 and over_groups else None
        self._outer = is_nested
        if not keys and not any("(" in item.flink for item in items if isinstance(item, Expr)) and having is None:
            items[0] = aggregates.call_of(items[0].type) if types is not None else items[0]
        is_total = not keys
        if is_total and types is not None:
            items = [aggregates.call_of(of) for of in types]
        return Select(tuple(Item(item, f"x{i}") for i, item in enumerate(items)), source, where, group_by, having)

    def _computed_key(self, reach: list[InReach], key: Expr) -> Expr:
        outer, self._outer = self._outer, ()
        made = ExpressionGenerator(self.rng, reach).value(key.type, 2)
        self._outer = outer
        return made if made.is_exact and re.search(r"\ba\d+\.", text(made, "flink")) and made.type.kind != "bool" else key

    def _group_by(self, keys: list[Expr]) -> GroupBy:
        kind = self.rng.random()
        if kind < 0.55:
            return GroupBy("", (tuple(keys),))
        if kind < 0.7:
            return GroupBy(self.rng.choice(("ROLLUP", "CUBE")), tuple((key,) for key in keys))
        sets = []
        for _ in range(self.rng.choice((1, 2, 3))):
            one = self.rng.sample(keys, self.rng.randint(0, len(keys)))
            sets.append(tuple(one))
        if self.rng.random() < 0.2:
            sets.append(self.rng.choice(sets))
        missing = [key for key in keys if not any(key in one for one in sets)]
        if missing:
            self.rng.shuffle(missing)
            sets.append(tuple(missing))
        self.rng.shuffle(sets)
        plain = (self.rng.choice(keys),) if self.rng.random() < 0.2 else ()
        return GroupBy("GROUPING SETS", tuple(sets), plain)

    def _windowed(self, source: Relation, reach: list[InReach], where: Expr | None) -> Select:
        # What orders rows has to be unique: the identities of all tables in FROM.
        ids = [c.expression for c in reach if c.expression.flink.endswith(".id")]
        ids = ids if len(ids) == _leaves(source) else []
        plain = [c.expression for c in self.rng.sample(reach, min(2, len(reach)))]
        calls = [window_call(self.rng, ExpressionGenerator(self.rng, reach), ids) for _ in range(self.rng.choice((1, 1, 2, 3)))]
        items = tuple(Item(item, f"x{i}") for i, item in enumerate([*plain, *calls]))
        qualify = None
        if self.rng.random() < 0.3 and calls[0].is_exact and calls[0].type.kind in COMPARABLE:
            over_calls = ExpressionGenerator(self.rng, [InReach(call) for call in calls if call.is_exact and call.type.kind in COMPARABLE])
            qualify = over_calls.condition(1)
            qualify = qualify if " OVER " in text(qualify, "flink") else None
        return Select(items, source, where, qualify=qualify)

    # --- FROM ---------------------------------------------------------------------------------------------------------------------

    def _from(self) -> tuple[Relation, list[InReach]]:
        source, reach = self._relation()
        for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2))):
            source, reach = self._join(source, reach)
        return source, reach

    def _relation(self) -> tuple[Relation, list[InReach]]:
        self._aliases += 1
        alias = f"a{self._aliases}"
        if self._named and self.rng.random() < 0.6:
            name, query = self._named[0]
            return TableRef(name, alias), _outputs(query, alias)
        if self._depth < 2 and self.rng.random() < 0.15 and not any(table.is_big for table in self.tables):
            outer, self._outer = self._outer, ()
            self._depth += 1
            query = self.select() if self.rng.random() < 0.75 else self.set_query(None)
            self._depth -= 1
            self._outer = outer
            return Derived(query, alias), _outputs(query, alias)
        if self.rng.random() < 0.06:
            return self._values(alias)
        table = self.rng.choice(self.tables)
        columns = [InReach(Expr(c.type, f"{alias}.{c.name}", f"{alias}.{c.name}"), c.is_tame) for c in table.columns]
        return TableRef(table.name, alias), columns

    def _values(self, alias: str) -> tuple[Relation, list[InReach]]:
        types = [self.rng.choice((INT, BIGINT, STRING, DATE, decimal(5, 2), DOUBLE)) for _ in range(self.rng.choice((1, 2)))]
        literals = ExpressionGenerator(self.rng, ())
        rows = tuple(tuple(literals.literal(of) for of in types) for _ in range(self.rng.choice((1, 2, 4))))
        columns = [InReach(Expr(of, f"{alias}.x{i}", f"{alias}.x{i}")) for i, of in enumerate(types)]
        return Values(rows, alias), columns

    def _lateral(self, left: Relation, reach: list[InReach]) -> tuple[Relation, list[InReach]] | None:
        """Joins what depends on the row to the left: the elements of an array, or a query."""
        self._aliases += 1
        alias = f"a{self._aliases}"
        lists = [c.expression for c in reach if c.type.kind == "list"]
        if lists and self.rng.random() < 0.7:
            unnest = Unnest(self.rng.choice(lists), alias)
            return Join("CROSS", left, unnest, None), [*reach, InReach(Expr(INT, f"{alias}.x0", f"{alias}.x0"))]
        if self._depth > 1 or any(table.is_big for table in self.tables):
            return None
        outer, self._outer = self._outer, reach
        self._depth += 1
        query = self.select()
        self._depth -= 1
        self._outer = outer
        return Join("CROSS", left, Derived(query, alias, is_lateral=True), None), [*reach, *_outputs(query, alias)]

    def _join(self, left: Relation, reach: list[InReach]) -> tuple[Relation, list[InReach]]:
        if self.rng.random() < 0.12:
            lateral = self._lateral(left, reach)
            if lateral is not None:
                return lateral
        right, added = self._relation()
        kind = self.rng.choice(JOINS)
        is_big = any(table.is_big for table in self.tables)
        if kind == "CROSS" and not is_big:
            return Join(kind, left, right, None), [*reach, *added]
        if kind == "CROSS":
            kind = "INNER"
        # DuckDB 1.5 loses rows of anti-joins that have no equality.
        condition = self._join_condition(reach, added, is_big, only_equal=kind in ("LEFT SEMI", "LEFT ANTI"))
        joined = Join(kind, left, right, condition)
        return joined, reach if kind in ("LEFT SEMI", "LEFT ANTI") else [*reach, *added]

    def _join_condition(self, left: list[InReach], right: list[InReach], is_big: bool, *, only_equal: bool) -> Expr:
        if is_big:
            ids = [c.expression for c in left if c.expression.flink.endswith(".id")], [c.expression for c in right]
            pairs = [(a, b) for a in ids[0] for b in ids[1] if b.flink.endswith(".id")]
            if not pairs:
                return Expr(BOOLEAN, "FALSE", "FALSE")
            return Expr(BOOLEAN, "($0 = $1)", "($0 = $1)", self.rng.choice(pairs))
        pairs = [(a.expression, b.expression) for a in left for b in right]
        self.rng.shuffle(pairs)
        tests: list[Expr] = []
        wanted = self.rng.choice((1, 1, 1, 2))
        operator = "=" if only_equal or self.rng.random() < 0.85 else self.rng.choice(("<", ">=", "<>"))
        for a, b in pairs:
            test = None
            if a.type.kind in COMPARABLE and b.type.kind in COMPARABLE:
                is_null_safe = operator == "=" and not only_equal and self.rng.random() < 0.15
                test = distinct(a, b, negated=True) if is_null_safe else compare(operator, a, b)
            if test is not None:
                tests.append(test)
                operator = "="
            if len(tests) == wanted:
                break
        if self.rng.random() < 0.2 or not tests:
            tests.append(ExpressionGenerator(self.rng, [*left, *right]).condition(1))
        if len(tests) == 1:
            return tests[0]
        template = " AND ".join(f"${i}" for i in range(len(tests)))
        return Expr(BOOLEAN, template, template, tuple(tests))


def _leaves(source: Relation) -> int:
    """Returns the number of tables whose rows make the rows of FROM."""
    if isinstance(source, Join):
        return _leaves(source.left) + (0 if source.kind.startswith("LEFT ") else _leaves(source.right))
    return 1


def vars_of(made: Select) -> dict[str, object]:
    """Returns the fields of a SELECT."""
    return {name: getattr(made, name) for name in made.__dataclass_fields__}


def _outputs(query: Query, alias: str) -> list[InReach]:
    exact = [item.expression.is_exact for item in query.items] if isinstance(query, Select) else [True] * len(types_of(query))
    return [
        InReach(Expr(of, f"{alias}.x{i}", f"{alias}.x{i}"))
        for i, (of, is_exact) in enumerate(zip(types_of(query), exact, strict=True))
        if is_exact
    ]
