"""Queries as trees, and their text in two dialects: ``flink``, which both of our engines read, and ``duck``, DuckDB's with the same meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from random_sql.sql_types import SqlType


@dataclass(frozen=True)
class Expr:
    """An expression: a template per dialect, in which ``$0`` is the first argument.

    ``is_exact`` false means that engines may differ in the last digits, so that it may only be selected, not compared.
    """

    type: SqlType
    flink: str
    duck: str
    args: tuple[Expr | Query, ...] = ()
    is_exact: bool = True


@dataclass(frozen=True)
class TableRef:
    """A table in FROM."""

    table: str
    alias: str


@dataclass(frozen=True)
class Derived:
    """A query in FROM; ``is_lateral`` says that it may use what is to its left."""

    query: Query
    alias: str
    is_lateral: bool = False


@dataclass(frozen=True)
class Values:
    """VALUES in FROM; its columns are x0, x1 and so on."""

    rows: tuple[tuple[Expr, ...], ...]
    alias: str


@dataclass(frozen=True)
class Unnest:
    """The elements of an array to the left; the column is x0."""

    array: Expr
    alias: str


@dataclass(frozen=True)
class Join:
    """``kind`` is INNER, LEFT, RIGHT, FULL, CROSS, LEFT SEMI or LEFT ANTI."""

    kind: str
    left: Relation
    right: Relation
    condition: Expr | None


@dataclass(frozen=True)
class Item:
    """What is selected, and its name."""

    expression: Expr
    name: str


@dataclass(frozen=True)
class GroupBy:
    """``kind`` is the empty text, ROLLUP, CUBE or GROUPING SETS; without one the only set has the keys. ``plain`` keys are in every set."""

    kind: str
    sets: tuple[tuple[Expr, ...], ...]
    plain: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Order:
    """A key of ORDER BY: the number of an item, from 1."""

    position: int
    ascending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Select:
    """A SELECT."""

    items: tuple[Item, ...]
    source: Relation | None = None
    where: Expr | None = None
    group_by: GroupBy | None = None
    having: Expr | None = None
    distinct: bool = False
    qualify: Expr | None = None
    order_by: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int | None = None


@dataclass(frozen=True)
class SetQuery:
    """``operator`` is UNION, INTERSECT or EXCEPT, with ALL after it or not."""

    operator: str
    left: Query
    right: Query


@dataclass(frozen=True)
class With:
    """A query with a name, which the other may read several times."""

    name: str
    query: Query
    body: Query


Query: TypeAlias = Select | SetQuery | With
Relation: TypeAlias = TableRef | Derived | Values | Unnest | Join


def types_of(query: Query) -> list[SqlType]:
    """Returns the types of the columns."""
    match query:
        case Select(items=items):
            return [item.expression.type for item in items]
        case SetQuery(left=left):
            return types_of(left)
        case With(body=body):
            return types_of(body)


def text(node: Expr | Query, dialect: str) -> str:
    """Returns the SQL of a query or expression."""
    match node:
        case Expr():
            template = node.flink if dialect == "flink" else node.duck
            args = [text(arg, dialect) for arg in node.args]
            return re.sub(r"\$(\d)", lambda found: args[int(found[1])], template)
        case SetQuery():
            return f"({text(node.left, dialect)}) {node.operator} ({text(node.right, dialect)})"
        case With():
            return f"WITH {node.name} AS ({text(node.query, dialect)}) {text(node.body, dialect)}"
        case Select():
            return _select(node, dialect)


def _select(node: Select, dialect: str) -> str:
    parts = ["SELECT" + (" DISTINCT" if node.distinct else "")]
    parts.append(", ".join(f"{text(item.expression, dialect)} AS {item.name}" for item in node.items))
    if node.source is not None:
        parts.append(f"FROM {_relation(node.source, dialect)}")
    if node.where is not None:
        parts.append(f"WHERE {text(node.where, dialect)}")
    having = [text(node.having, dialect)] if node.having is not None else []
    if node.group_by is not None:
        parts.append(f"GROUP BY {_group_by(node.group_by, dialect)}")
        if node.group_by.kind and dialect == "duck":  # in Flink grouping sets with keys give no total of nothing
            having.append("COUNT(*) > 0")
    if having:
        parts.append("HAVING " + " AND ".join(f"({one})" for one in having))
    if node.qualify is not None:
        parts.append(f"QUALIFY {text(node.qualify, dialect)}")
    if node.order_by:
        parts.append("ORDER BY " + ", ".join(map(_order, node.order_by)))
    if node.limit is not None:
        parts.append(f"LIMIT {node.limit}")
    if node.offset is not None:
        parts.append(f"OFFSET {node.offset}" + (" ROWS" if dialect == "flink" else ""))
    return " ".join(parts)


def _order(order: Order) -> str:
    return f"{order.position} {'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}"


def _group_by(node: GroupBy, dialect: str) -> str:
    plain = [text(key, dialect) for key in node.plain]
    sets = [", ".join(text(key, dialect) for key in keys) for keys in node.sets]
    if not node.kind:
        return ", ".join([*plain, *(one for one in sets if one)]) or "()"
    inside = ", ".join(f"({one})" for one in sets)
    return ", ".join([*plain, f"{node.kind} ({inside})"])


def _relation(node: Relation, dialect: str) -> str:
    match node:
        case TableRef():
            return f"{node.table} AS {node.alias}"
        case Derived():
            return f"{'LATERAL ' if node.is_lateral else ''}({text(node.query, dialect)}) AS {node.alias}"
        case Values():
            rows = ", ".join(f"({', '.join(text(cell, dialect) for cell in row)})" for row in node.rows)
            return f"(VALUES {rows}) AS {node.alias}({', '.join(f'x{i}' for i in range(len(node.rows[0])))})"
        case Unnest():
            return f"UNNEST({text(node.array, dialect)}) AS {node.alias}(x0)"
        case Join():
            kind = node.kind if dialect == "flink" else node.kind.removeprefix("LEFT ") if node.kind in _HALF else node.kind
            condition = f" ON {text(node.condition, dialect)}" if node.condition is not None else ""
            right = _relation(node.right, dialect)
            return f"{_relation(node.left, dialect)} {kind} JOIN {f'({right})' if isinstance(node.right, Join) else right}{condition}"


_HALF = ("LEFT SEMI", "LEFT ANTI")
