"""Errors of values that only one engine computes: a part of the query raises one on the other engine, too, when it runs alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from random_sql.engines import Engine, Outcome
from random_sql.sql_types import SqlType
from random_sql.tree import Expr, Item, Join, Select, SetQuery

VALUE_ERRORS = ("TableRuntimeException", "OutOfRangeException", "ConversionException", "InvalidInputException")
"""Errors of ours and of DuckDB that values raise."""
_MOST_PARTS = 200


def is_of_a_part(query: Any, ours: Outcome, theirs: Outcome, our_engine: Engine, their_engine: Engine) -> bool:
    """Returns whether one outcome is the error of a value, and a part of the query raises one on the other engine as well."""
    if (ours.error is None) == (theirs.error is None):
        return False
    failed, other = (ours, their_engine) if ours.error is not None else (theirs, our_engine)
    if failed.kind not in VALUE_ERRORS:
        return False
    return any(other.run(part).kind in VALUE_ERRORS for part, _ in zip(_parts(query), range(_MOST_PARTS), strict=False))


def _parts(node: Any) -> Iterator[Any]:
    """Yields the queries in a tree, and queries of each expression over all rows of its FROM, small ones first.

    A part that refers to a row outside of it cannot run alone, which is no error of a value.
    """
    if isinstance(node, tuple):
        for part in node:
            yield from _parts(part)
        return
    if not dataclasses.is_dataclass(node) or isinstance(node, (SqlType, type)):
        return
    for field in dataclasses.fields(node):
        yield from _parts(getattr(node, field.name))
    if isinstance(node, Join):
        for expression in _expressions(node.condition):
            yield Select((Item(expression, "x0"),), Join("CROSS", node.left, node.right, None))
    if isinstance(node, Select):
        places = (node.where, node.having, node.qualify, *(item.expression for item in node.items))
        for place in places:
            for expression in _expressions(place):
                yield Select((Item(expression, "x0"),), node.source)
        yield dataclasses.replace(node, having=None, qualify=None, order_by=(), limit=None, offset=None)
    if isinstance(node, (Select, SetQuery)):
        yield node


def _expressions(node: Any) -> Iterator[Expr]:
    if isinstance(node, Expr):
        for arg in node.args:
            yield from _expressions(arg)
        if node.args:
            yield node
