"""Subqueries in expressions, and their references to the outer row.

A subquery refers to the outer row by number only: the node that contains it has ``arguments``, expressions over the outer row, and an
``OuterReferenceExpression`` has the position of one of them. A deeper nested subquery gets its values through the arguments of each level,
so a reference never crosses more than one level. Rewrites that move or regroup the outer row treat the arguments like any other expression
and need not visit the subquery.

No engine sees subqueries: the rule ``subquery_to_join`` rewrites them to joins and aggregates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import fields
from typing import Any

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations.operation import QueryOperation
from table_common.annotation import override
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.functions import FunctionDefinition
from table_common.tree import fold, map_children_of, nodes_of, transform_up
from table_common.types import LogicalType


@dataclass(frozen=True, slots=True)
class OuterReferenceExpression(ResolvedExpression):
    """A reference to the argument at ``position`` of the node that contains the subquery; ``name`` is for display."""

    name: str
    output_type: LogicalType
    position: int

    @override
    def as_serializable_string(self) -> str:
        return f"outer.{self.name}"


def name_of_reference(expression: ResolvedExpression, default: str) -> str:
    """Returns the name of a column that an expression is, of this or an outer row; ``default`` for other expressions."""
    return expression.name if isinstance(expression, (FieldReferenceExpression, OuterReferenceExpression)) else default


@dataclass(frozen=True, slots=True)
class SubqueryExpression(ResolvedExpression):
    """A subquery used as a value.

    ``operands`` are what IN, ANY and ALL compare with the columns of the query, one for each, of equal types; ``comparison`` is the
    operator of ANY and ALL. ``output_type`` is BOOLEAN for these and EXISTS (NOT NULL), the nullable type of the only column for a scalar
    query.
    """

    kind: SubqueryKind
    query: QueryOperation = field(hash=False)
    output_type: LogicalType
    operands: tuple[ResolvedExpression, ...] = ()
    comparison: FunctionDefinition | None = None
    arguments: tuple[ResolvedExpression, ...] = ()

    @override
    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SubqueryExpression):
            return NotImplemented
        return self is other or (
            (self.kind, self.output_type, self.operands, self.comparison, self.arguments)
            == (other.kind, other.output_type, other.operands, other.comparison, other.arguments)
            and _are_equal(self.query, other.query)
        )

    @override
    def as_serializable_string(self) -> str:
        return self._text([operand.as_serializable_string() for operand in self.operands])

    @override
    def as_summary_string(self) -> str:
        return self._text([operand.as_summary_string() for operand in self.operands])

    def _text(self, operands: Sequence[str]) -> str:
        left = f"({', '.join(operands)})" if len(operands) > 1 else "".join(operands)
        operator = "" if self.comparison is None else self.comparison.render_sql(["", ""]).strip("() ") + " "
        kind = "" if self.kind is SubqueryKind.SCALAR else self.kind.value
        return " ".join(part for part in (left, f"{operator}{kind}({_text(self.query)})") if part)


_equal: ContextVar[set[tuple[int, int]] | None] = ContextVar("pairs of operations that are compared already", default=None)


def _are_equal(left: QueryOperation, right: QueryOperation) -> bool:
    """Compares two queries; each pair of operations once, as a shared part would be compared once for each way to it."""
    compared = _equal.get()
    if compared is None:
        token = _equal.set(set())
        try:
            return _are_equal(left, right)
        finally:
            _equal.reset(token)
    stack = [(left, right)]
    while stack:
        one, other = stack.pop()
        if one is other or (id(one), id(other)) in compared:
            continue
        if type(one) is not type(other):
            return False
        compared.add((id(one), id(other)))  # the first difference ends the whole comparison
        ours, theirs = one.children, other.children
        if len(ours) != len(theirs):
            return False
        stack.extend(zip(ours, theirs, strict=True))
        names = (f.name for f in fields(one) if f.compare)  # type: ignore[arg-type]  # operations are dataclasses
        if any(not _holds_inputs(value := getattr(one, name)) and value != getattr(other, name) for name in names):
            return False
    return True


def _holds_inputs(value: object) -> bool:
    """Returns whether the value of a field is an input, or the inputs, of the operation."""
    return isinstance(value, QueryOperation) or (isinstance(value, tuple) and bool(value) and isinstance(value[0], QueryOperation))


_MAX_TEXT = 4_000
"""Maximum characters that plans show of a query in an expression: a query that holds others several times could be of any length."""
_texts: ContextVar[dict[int, str] | None] = ContextVar("texts of the queries within the query that is being shown", default=None)


def _text(query: QueryOperation) -> str:
    """Returns a query in one line, for plans."""
    known = _texts.get()
    if known is None:
        token = _texts.set({})
        try:
            return _text(query)
        finally:
            _texts.reset(token)
    if id(query) not in known:
        known[id(query)] = _new_text(query)
    return known[id(query)]


def _new_text(query: QueryOperation) -> str:
    def combine(node: QueryOperation, children: Any) -> str:
        details = ", ".join(
            f"{name}=[{', '.join(map(str, value)) if isinstance(value, list) else value}]" for name, value in node.summary_details()
        )
        inputs = f" <- {children[0]}" if len(children) == 1 else "".join(f" <- [{c}]" for c in children)
        text = f"{node.summary_name}({details}){inputs}"
        return text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + "…"

    text: str = fold(query, QueryOperation, combine)
    return text


def contains_subquery(expression: ResolvedExpression) -> bool:
    """Returns whether the expression contains a subquery."""
    if type(expression) is ValueLiteralExpression:  # of VALUES there are many
        return False
    return bool(nodes_of(expression, ResolvedExpression, SubqueryExpression))


def is_outer(expression: ResolvedExpression) -> bool:
    """Returns whether the expression contains an outer reference."""
    return bool(nodes_of(expression, ResolvedExpression, OuterReferenceExpression))


def has_outer_references(query: QueryOperation) -> bool:
    """Returns whether the query is correlated: it uses arguments of the node that contains it."""
    stack, seen = [query], {id(query)}
    while stack:
        node = stack.pop()
        if any(is_outer(expression) for expression in node.expressions):
            return True
        for child in node.children_in_scope:
            if id(child) not in seen:
                seen.add(id(child))
                stack.append(child)
    return False


def map_outer_references(query: QueryOperation, change: Callable[[OuterReferenceExpression], ResolvedExpression]) -> QueryOperation:
    """Returns the query with each of its outer references replaced."""

    def in_expression(expression: ResolvedExpression) -> ResolvedExpression:
        return transform_up(expression, ResolvedExpression, change, of=OuterReferenceExpression)

    changed: dict[int, QueryOperation] = {}
    stack: list[tuple[QueryOperation, bool]] = [(query, False)]
    while stack:
        node, expanded = stack.pop()
        if id(node) in changed:
            continue
        own = node.children_in_scope
        if not expanded and own:
            stack.append((node, True))
            stack.extend((child, False) for child in own)
            continue
        rebuilt = map_children_of(node, QueryOperation, lambda child: changed.get(id(child), child))
        changed[id(node)] = map_children_of(rebuilt, ResolvedExpression, in_expression)
    return changed[id(query)]
