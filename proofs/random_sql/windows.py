"""Random OVER windows, ordered by what is unique, so that every engine sees the same frames."""

from __future__ import annotations

import random
from collections.abc import Sequence

from random_sql.expressions import ExpressionGenerator
from random_sql.sql_types import BIGINT, COMPARABLE, DOUBLE, SqlType, decimal
from random_sql.tree import Expr

_FRAMES = (
    "",
    "",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
    "ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
)


def window_call(rng: random.Random, rows: ExpressionGenerator, ids: Sequence[Expr]) -> Expr:
    """Returns a call over a window."""
    partition = [rows.any_value([kind for kind in COMPARABLE if kind != "float"], 0) for _ in range(rng.choice((0, 1, 1, 2)))]
    keys = [one for one in [rows.any_value(("int", "str", "date", "dec"), 0)] if rng.random() < 0.6]
    ranks = rng.random()
    if ranks < 0.15 and keys:
        name = rng.choice(("RANK()", "DENSE_RANK()"))
        return _over(rng, name, name, BIGINT, (), partition, keys, "")
    if not ids or len(ids) > 3:
        return _whole(rng, rows, partition)
    keys = [*keys, *ids]
    if ranks < 0.3:
        return _over(rng, "ROW_NUMBER()", "ROW_NUMBER()", BIGINT, (), partition, keys, "")
    if ranks < 0.35:
        name = rng.choice(("PERCENT_RANK()", "CUME_DIST()"))
        return _over(rng, name, name, DOUBLE, (), partition, keys, "", is_exact=False)
    if ranks < 0.38:
        name = f"NTILE({rng.choice((1, 2, 3))})"
        return _over(rng, name, name, BIGINT, (), partition, keys, "")
    if ranks < 0.6:
        arg = rows.any_value(COMPARABLE, 0)
        name = rng.choice(("LAG($0)", "LEAD($0)", "LAG($0, 2)", "LEAD($0, 3)"))
        return _over(rng, name, name, arg.type, (arg,), partition, keys, "")
    if ranks < 0.75:
        arg = rows.any_value(COMPARABLE, 0)
        name = rng.choice(("FIRST_VALUE", "LAST_VALUE"))  # in Flink these pass over NULLs
        return _over(rng, f"{name}($0)", f"{name}($0 IGNORE NULLS)", arg.type, (arg,), partition, keys, rng.choice(_FRAMES))
    flink, duck, of, args, is_exact = _aggregate(rng, rows)
    return _over(rng, flink, duck, of, args, partition, keys, rng.choice(_FRAMES), is_exact)


def _whole(rng: random.Random, rows: ExpressionGenerator, partition: Sequence[Expr]) -> Expr:
    flink, duck, of, args, is_exact = _aggregate(rng, rows)
    return _over(rng, flink, duck, of, args, partition, (), "", is_exact)


def _aggregate(rng: random.Random, rows: ExpressionGenerator) -> tuple[str, str, SqlType, tuple[Expr, ...], bool]:
    kind = rng.choice(("count", "sum", "min", "avg"))
    if kind == "count":
        return "COUNT(*)", "COUNT(*)", BIGINT, (), True
    if kind == "min":
        arg = rows.any_value(("int", "dec", "str", "date", "ts", "float"), 0)
        name = rng.choice(("MIN($0)", "MAX($0)"))
        return name, name, arg.type, (arg,), True
    arg = rows.any_value(("int", "dec", "float") if kind == "sum" else ("int", "float"), 0, tame=True)
    if kind == "avg":
        if arg.type.kind == "int":
            arg = rows.column(DOUBLE, tame=True) or Expr(DOUBLE, "CAST(1 AS DOUBLE)", "CAST(1 AS DOUBLE)")
        return "AVG($0)", "AVG($0)", arg.type, (arg,), False
    of = decimal(38, arg.type.scale) if arg.type.kind == "dec" else arg.type
    return "SUM($0)", "SUM($0)", of, (arg,), of.kind != "float"


def _over(
    rng: random.Random,
    flink: str,
    duck: str,
    of: SqlType,
    args: tuple[Expr, ...],
    partition: Sequence[Expr],
    keys: Sequence[Expr],
    frame: str,
    is_exact: bool = True,
) -> Expr:
    place = len(args)
    parts = []
    if partition:
        parts.append("PARTITION BY " + ", ".join(f"${place + i}" for i in range(len(partition))))
        place += len(partition)
    if keys:
        orders = [f"${place + i} {rng.choice(('ASC', 'DESC'))} NULLS {rng.choice(('FIRST', 'LAST'))}" for i in range(len(keys))]
        parts.append("ORDER BY " + ", ".join(orders))
    if frame and keys and not (frame.startswith("RANGE") and len(keys) > 1):
        parts.append(frame)
    over = f" OVER ({' '.join(parts)})"
    template = duck + over
    return Expr(of, flink + over, f"CAST({template} AS {of.duck})" if of.kind == "int" else template, (*args, *partition, *keys), is_exact)
