"""Random aggregate calls, whose results do not depend on the order of rows."""

from __future__ import annotations

import random
from dataclasses import dataclass

from random_sql.expressions import ExpressionGenerator
from random_sql.sql_types import BIGINT, COMPARABLE, DOUBLE, STRING, SqlType, decimal
from random_sql.tree import Expr


@dataclass
class AggregateGenerator:
    """Makes aggregates of the rows that ``rows`` knows."""

    rng: random.Random
    rows: ExpressionGenerator

    def call(self) -> Expr:
        """Returns any aggregate."""
        return self.rng.choice(
            (self._count, self._count, self._sum, self._average, self._extreme, self._extreme, self._spread, self._list)
        )()

    def call_of(self, of: SqlType) -> Expr:
        """Returns an aggregate of exactly this type."""
        if of == BIGINT and self.rng.random() < 0.5:
            return self._count()
        if of.kind == "int" and self.rng.random() < 0.4:
            return self._sum_of(of)
        if of.kind in ("list", "row", "bytes"):
            return Expr(of, f"CASE WHEN COUNT(*) > 1000000 THEN CAST(NULL AS {of.name}) END", "CASE WHEN COUNT(*) > 1000000 THEN NULL END")
        return self._extreme_of(self.rows.value(of, 1))

    def _filtered(self, call: Expr) -> Expr:
        if self.rng.random() > 0.12:
            return call
        place = len(call.args)
        both = f" FILTER (WHERE ${place})"
        flink, duck = call.flink, call.duck
        if flink != duck and not duck.endswith(")"):
            return call
        if flink == duck:
            return Expr(call.type, flink + both, duck + both, (*call.args, self.rows.condition(1)), call.is_exact)
        return call

    def _count(self) -> Expr:
        if self.rng.random() < 0.4:
            return self._filtered(Expr(BIGINT, "COUNT(*)", "COUNT(*)"))
        word = self.rng.choice(("", "DISTINCT "))
        return self._filtered(Expr(BIGINT, f"COUNT({word}$0)", f"COUNT({word}$0)", (self.rows.any_value(COMPARABLE, 1),)))

    def _sum(self) -> Expr:
        arg = self.rows.any_value(("int", "dec", "float"), 0, tame=True)
        if arg.type.kind == "int":
            return self._sum_of(arg.type)
        of = decimal(38, arg.type.scale) if arg.type.kind == "dec" else arg.type
        word = self.rng.choice(("", "", "DISTINCT "))
        return self._filtered(Expr(of, f"SUM({word}$0)", f"SUM({word}$0)", (arg,), is_exact=of.kind == "dec"))

    def _sum_of(self, of: SqlType) -> Expr:
        arg = self.rows.column(of, tame=True) or self.rows.literal(of, tame=True)
        word = self.rng.choice(("", "", "DISTINCT "))
        return Expr(of, f"SUM({word}$0)", f"CAST(SUM({word}$0) AS {of.duck})", (arg,))

    def _average(self) -> Expr:
        arg = self.rows.any_value(("int", "float", "dec"), 0, tame=self.rng.random() < 0.8)
        if arg.type.kind == "int":
            total = "SUM(CAST($0 AS HUGEINT)) // COUNT($0)"
            return Expr(arg.type, "AVG($0)", f"CAST({total} AS {arg.type.duck})", (arg,))
        if arg.type.kind == "dec":
            return Expr(decimal(38, max(6, arg.type.scale)), "AVG($0)", "AVG(CAST($0 AS DOUBLE))", (arg,), is_exact=False)
        arg = self.rows.any_value(("float",), 0, tame=True)
        return Expr(arg.type, "AVG($0)", "AVG($0)", (arg,), is_exact=False)

    def _extreme(self) -> Expr:
        return self._filtered(self._extreme_of(self.rows.any_value([kind for kind in COMPARABLE if kind not in ("bytes", "bool")], 1)))

    def _extreme_of(self, arg: Expr) -> Expr:
        if arg.type.kind == "bool":
            return Expr(arg.type, "(COUNT(*) > 2)", "(COUNT(*) > 2)")
        name = self.rng.choice(("MIN", "MAX"))
        return Expr(arg.type, f"{name}($0)", f"{name}($0)", (arg,))

    def _spread(self) -> Expr:
        name = self.rng.choice(("STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP"))
        arg = self.rows.column(DOUBLE, tame=True)
        return self._count() if arg is None else Expr(DOUBLE, f"{name}($0)", f"{name}($0)", (arg,), is_exact=False)

    def _list(self) -> Expr:
        arg = self.rows.column(STRING)
        if arg is None:
            return self._count()
        word = "DISTINCT " if self.rng.random() < 0.3 else ""
        flink = f"LISTAGG({word}$0, '|') WITHIN GROUP (ORDER BY $0)"
        return Expr(STRING, flink, f"STRING_AGG({word}$0, '|' ORDER BY $0)", (arg,))
