"""Statements as trees of pieces: the position, kind and type of each part of the syntax tree."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from table_api.expressions.unresolved import (
    Alias,
    Call,
    Literal,
    OverWindowSpec,
    Reference,
    SortKey,
    Star,
    Subquery,
    Symbol,
    TypeLiteral,
    UnresolvedExpression,
)
from table_api.sql.ast import JoinRef, QueryNode, Select, SetOperationQuery, TableNameRef, TableRef
from table_api.sql.parser import parse_statement
from table_common.tree import Part

__all__ = ["Piece", "Tree", "Typed", "family", "tree_of"]

Typed = Mapping[tuple[int, int], tuple[str, str]]
"""The type of the expression at a position, and the class of the resolved expression."""

_FAMILIES = {"TINYINT": "INT", "SMALLINT": "INT", "BIGINT": "INT", "FLOAT": "DOUBLE", "CHAR": "STRING", "VARCHAR": "STRING"}
_FAMILIES |= {"BINARY": "BYTES", "VARBINARY": "BYTES"}
_OPERATOR = re.compile(r"\s*(=|<>|!=|<=|>=|<|>|\+|-|\*|/|%|\|\||LIKE|IS (NOT )?DISTINCT FROM|AND|OR)\s*", re.IGNORECASE)
_JOIN = re.compile(r"\s*((NATURAL )?((LEFT|RIGHT|FULL|INNER)( OUTER)?|CROSS|LEFT SEMI|LEFT ANTI)? ?JOIN|,)\s*", re.IGNORECASE)
_SET = re.compile(r"\s*\)?\s*(UNION|INTERSECT|EXCEPT|MINUS)( ALL| DISTINCT)?\s*\(?\s*", re.IGNORECASE)


def family(type_text: str) -> str:
    """Returns the family of a type; types of one family are interchangeable."""
    text = type_text.removesuffix(" NOT NULL")
    if "<" in text:
        return text.replace(" NOT NULL", "")
    if text.startswith("INTERVAL"):
        return "INTERVAL MONTH" if "YEAR" in text or text.startswith("INTERVAL MONTH") else "INTERVAL DAY"
    root = text.split("(", maxsplit=1)[0]
    return _FAMILIES.get(root, root)


@dataclass(frozen=True)
class Piece:
    """A part of the tree. ``type`` is that of an expression; ``scope`` the number of the SELECT around it; ``detail`` depends on the sort.

    Sorts: expression, sort key, query, relation, over, and the gaps between nodes: join, set, operator, name (of a function; ``detail`` of both is
    the types of arguments and result).
    """

    start: int
    end: int
    sort: str
    type: str = ""
    scope: int = -1
    kind: str = ""
    detail: str = ""

    def holds(self, other: Piece) -> bool:
        """Returns whether this piece contains another one."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True)
class Tree:
    """The pieces of a statement. ``lists`` has the positions of consecutive items; ``world`` identifies the tables."""

    text: str
    world: str
    pieces: tuple[Piece, ...]
    lists: tuple[tuple[tuple[int, int], ...], ...]
    grouped: frozenset[int] = field(default=frozenset())

    def of(self, piece: Piece) -> str:
        """Returns the text of a piece."""
        return self.text[piece.start : piece.end]

    @cached_property
    def expressions(self) -> tuple[Piece, ...]:
        """Expressions whose type is known."""
        return tuple(piece for piece in self.pieces if piece.sort == "expression" and piece.type)

    @cached_property
    def references(self) -> tuple[Piece, ...]:
        """Columns whose type is known."""
        return tuple(piece for piece in self.expressions if piece.kind == "Reference")

    def inside(self, outer: Piece, sort: str) -> list[Piece]:
        """Returns the pieces of a sort within another piece."""
        return [piece for piece in self.pieces if piece.sort == sort and outer.holds(piece)]

    def has_aggregate(self, outer: Piece) -> bool:
        """Returns whether a piece contains an aggregate or a window function."""
        return any(piece.kind in ("aggregate", "Over") for piece in self.inside(outer, "expression"))


def tree_of(text: str, world: str, typed: Typed) -> Tree:
    """Returns the tree of a valid statement.

    Raises:
        TableError: it is not.
    """
    builder = _Builder(text, typed)
    builder.visit(parse_statement(text), -1)
    return Tree(text, world, tuple(builder.pieces), tuple(builder.lists), frozenset(builder.grouped))


class _Builder:
    def __init__(self, text: str, typed: Typed) -> None:
        self.text = text
        self.typed = typed
        self.pieces: list[Piece] = []
        self.lists: list[tuple[tuple[int, int], ...]] = []
        self.grouped: set[int] = set()
        self._scopes = 0

    def visit(self, node: Any, scope: int) -> None:
        if isinstance(node, tuple):
            places = [_span(item) for item in node]
            if all(places):
                self.lists.append(tuple((place[0], place[1]) for place in places if place))
            for item in node:
                self.visit(item, scope)
            return
        if not isinstance(node, Part) or isinstance(node, (TypeLiteral, Symbol)):
            return
        if isinstance(node, Select):
            scope, self._scopes = self._scopes, self._scopes + 1
            if node.group_by is not None:
                self.grouped.add(scope)
        span = _span(node)
        if span:
            self._add(node, span, scope)
        for name, value in _fields(node):
            if name not in ("span", "name_span", "path_span", "part_spans", "function", "type"):
                self.visit(value, scope)

    def _add(self, node: Any, span: tuple[int, int], scope: int) -> None:
        start, end = span
        match node:
            case SortKey():
                self.pieces.append(Piece(start, end, "sort key", scope=scope))
            case Alias() | Star():
                return
            case UnresolvedExpression():
                self._add_expression(node, start, end, scope)
            case QueryNode():
                self.pieces.append(Piece(start, end, "query", scope=scope, kind=type(node).__name__))
                if isinstance(node, SetOperationQuery):
                    self._gap(node.left, node.right, _SET, "set", scope)
            case TableRef():
                self.pieces.append(Piece(start, end, "relation", scope=scope, kind=type(node).__name__))
                if isinstance(node, TableNameRef):
                    self.pieces.append(Piece(start, end, "name of a table", scope=scope))
                if isinstance(node, JoinRef):
                    self._gap(node.left, node.right, _JOIN, "join", scope)

    def _add_expression(self, node: UnresolvedExpression, start: int, end: int, scope: int) -> None:
        type_text, resolved = self.typed.get((start, end), ("", ""))
        kind = "aggregate" if resolved == "AggregateExpression" and isinstance(node, Call) else type(node).__name__
        if type_text == "SYMBOL" or "DESCRIPTOR" in type_text:
            type_text = ""
        self.pieces.append(Piece(start, end, "expression", type_text, scope, kind))
        if isinstance(node, Call):
            types = [self.typed.get(_span(arg) or (-1, -1), ("?", ""))[0] for arg in node.args]
            detail = f"{', '.join(map(family, types))} -> {family(type_text)} {kind}"
            if node.name_span and node.args and isinstance(node.function, tuple):
                self.pieces.append(Piece(*node.name_span, "name", scope=scope, detail=detail))
            if len(node.args) == 2 and not isinstance(node.function, tuple):
                self._gap(*node.args, _OPERATOR, "operator", scope, detail)
        over = getattr(node, "window", None)
        if isinstance(over, OverWindowSpec):
            call_end = (_span(getattr(node, "call", None)) or (0, end))[1]
            found = re.compile(r"\s*OVER\s*(?=\()", re.IGNORECASE).search(self.text, call_end, end)
            if found:
                self.pieces.append(Piece(found.end(), end, "over", scope=scope))

    def _gap(self, left: Any, right: Any, pattern: re.Pattern[str], sort: str, scope: int, detail: str = "") -> None:
        first, second = _span(left), _span(right)
        if first and second:
            found = pattern.fullmatch(self.text, first[1], second[0])
            if found:
                self.pieces.append(Piece(*found.span(1 if sort == "operator" else 0), sort, scope=scope, detail=detail))


def _span(node: Any) -> tuple[int, int] | None:
    span = getattr(node, "span", None)
    return (span[0], span[1]) if span else None


def _fields(node: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(node):
        for one in dataclasses.fields(node):
            yield one.name, getattr(node, one.name)


def is_leaf(kind: str) -> bool:
    """Returns whether an expression needs no parentheses."""
    return kind in (Reference.__name__, Literal.__name__, Subquery.__name__)
