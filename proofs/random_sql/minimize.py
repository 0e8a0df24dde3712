"""Delta debugging: makes a query and its tables smaller for as long as the difference stays the same."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from random_sql.sql_types import BOOLEAN, SqlType
from random_sql.tables import Table
from random_sql.tree import Derived, Expr, GroupBy, Join, Query, Select, SetQuery, TableRef, With
from random_sql.values import literal, random_value

Check = Callable[[Query, Sequence[Table]], bool]
"""Whether the difference is there with a query and tables."""


def minimized(query: Query, tables: Sequence[Table], is_different: Check, seconds: float = 60) -> tuple[Query, list[Table]]:
    """Returns the smallest query and tables that were found in the time given."""
    end = time.monotonic() + seconds
    left = list(tables)
    size = -1
    while size != (size := _size(query) + sum(len(table.rows) * len(table.columns) for table in left)) and time.monotonic() < end:
        left = _smaller_tables(query, left, is_different, end)
        query = _smaller_query(query, left, is_different, end)
    return query, left


# --- the query --------------------------------------------------------------------------------------------------------------------


def _smaller_query(query: Query, tables: Sequence[Table], is_different: Check, end: float) -> Query:
    found = True
    while found:
        found = False
        for candidate in sorted(_smaller(query), key=_size):
            if time.monotonic() > end:
                return query
            if _size(candidate) < _size(query) and is_different(candidate, tables):
                query, found = candidate, True
                break
    return query


def _size(node: Any) -> int:
    if isinstance(node, tuple):
        return sum(map(_size, node))
    if not dataclasses.is_dataclass(node) or isinstance(node, SqlType):
        return 0
    own = len(node.flink) // 8 + 2 if isinstance(node, Expr) else 3
    return (
        own
        + sum(_size(getattr(node, f.name)) for f in dataclasses.fields(node))
        + sum(1 for f in dataclasses.fields(node) if f.name in ("limit", "offset", "distinct") and getattr(node, f.name))
    )


def _smaller(node: Any) -> Iterator[Any]:
    """Yields the same tree with one part taken out or replaced by a part of itself."""
    yield from _replacements(node)
    if isinstance(node, tuple):
        for i, part in enumerate(node):
            for smaller in _smaller(part):
                yield (*node[:i], smaller, *node[i + 1 :])
        return
    if not dataclasses.is_dataclass(node) or isinstance(node, (SqlType, type)):
        return
    for f in dataclasses.fields(node):
        for smaller in _smaller(getattr(node, f.name)):
            yield dataclasses.replace(node, **{f.name: smaller})
    if isinstance(node, (Select, GroupBy)):
        for name in ("items", "sets", "plain", "order_by"):
            parts = getattr(node, name, ())
            for i in range(len(parts)):
                yield dataclasses.replace(node, **{name: parts[:i] + parts[i + 1 :]})
    if isinstance(node, GroupBy):
        for i, one in enumerate(node.sets):
            for j in range(len(one)):
                yield dataclasses.replace(node, sets=(*node.sets[:i], one[:j] + one[j + 1 :], *node.sets[i + 1 :]))


def _replacements(node: Any) -> Iterator[Any]:
    match node:
        case Expr(type=of, args=args):
            yield from (arg for arg in args if isinstance(arg, Expr) and arg.type == of)
            yield from (deeper for arg in args if isinstance(arg, Expr) for deeper in _of_type(arg, of))
            if args and of == BOOLEAN:
                yield from (Expr(of, word, word) for word in ("TRUE", "FALSE"))
            elif args and of.kind not in ("row", "list"):
                for value in (None, _simple(of)):
                    yield Expr(of, literal(value, of, "flink"), literal(value, of, "duck"))
        case Select():
            for name in ("where", "having", "qualify", "group_by", "limit", "offset"):
                if getattr(node, name) is not None:
                    yield dataclasses.replace(node, **{name: None})
            if node.group_by is not None and node.group_by.kind:
                yield dataclasses.replace(node, group_by=GroupBy("", (tuple(dict.fromkeys(k for s in node.group_by.sets for k in s)),)))
            if node.distinct:
                yield dataclasses.replace(node, distinct=False)
            if isinstance(node.source, Derived):
                yield node.source.query
            if node.order_by and node.limit is None:
                yield dataclasses.replace(node, order_by=())
        case SetQuery(left=left, right=right):
            yield from (left, right)
        case With(query=query, body=body):
            yield from (body, query)
        case Join(left=left, right=right):
            yield from (left, right)


def _of_type(node: Expr, of: SqlType) -> Iterator[Expr]:
    for arg in node.args:
        if isinstance(arg, Expr):
            if arg.type == of:
                yield arg
            yield from _of_type(arg, of)


def _simple(of: SqlType) -> Any:
    import random

    return random_value(random.Random(0), of, tame=True)


# --- the tables -------------------------------------------------------------------------------------------------------------------


def _used(node: Any) -> Iterator[str]:
    if isinstance(node, TableRef):
        yield node.table
    elif isinstance(node, tuple):
        for part in node:
            yield from _used(part)
    elif dataclasses.is_dataclass(node) and not isinstance(node, SqlType):
        for f in dataclasses.fields(node):
            yield from _used(getattr(node, f.name))


def _smaller_tables(query: Query, tables: Sequence[Table], is_different: Check, end: float) -> list[Table]:
    names = set(_used(query))
    left = [table for table in tables if table.name in names]
    if len(left) < len(tables) and not is_different(query, left):
        return list(tables)
    for place in range(len(left)):

        def attempt(candidate: Table, place: int = place) -> bool:
            if time.monotonic() > end or not is_different(query, [*left[:place], candidate, *left[place + 1 :]]):
                return False
            left[place] = candidate
            return True

        if left[place].format is not None:
            attempt(dataclasses.replace(left[place], format=None))
        _fewer_rows(left, place, attempt)
        for column in left[place].columns[1:]:
            attempt(left[place].without(column.name))
    return left


def _fewer_rows(left: list[Table], place: int, attempt: Callable[[Table], bool]) -> None:
    step = max(1, len(left[place].rows) // 2)
    while step:
        start = 0
        while start < len(left[place].rows):
            rows = left[place].rows
            if not attempt(left[place].with_rows(rows[:start] + rows[start + step :])):
                start += step
        step //= 2
