"""Subqueries in expressions, and their references to the outer row.

A subquery refers to the outer row by number only: the node that contains it has ``arguments``, expressions over the outer row, and an
``OuterReferenceExpression`` has the position of one of them. A deeper nested subquery gets its values through the arguments of each level,
so a reference never crosses more than one level. Rewrites that move or regroup the outer row treat the arguments like any other expression
and need not visit the subquery.

No engine sees subqueries: the rule ``subquery_to_join`` rewrites them to joins and aggregates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations.operation import QueryOperation
from table_api.operations.query.correlate import CorrelateQueryOperation
from table_common.annotation import override
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass, field
from table_common.functions import FunctionDefinition
from table_common.tree import fold, map_children_of, preorder, transform_up
from table_common.types import LogicalType

__all__ = [
    "OuterReferenceExpression",
    "SubqueryExpression",
    "contains_subquery",
    "has_outer_references",
    "is_outer",
    "map_outer_references",
]


@dataclass(frozen=True, slots=True)
class OuterReferenceExpression(ResolvedExpression):
    """A reference to the argument at ``position`` of the node that contains the subquery; ``name`` is for display."""

    name: str
    output_type: LogicalType
    position: int

    @override
    def as_serializable_string(self) -> str:
        return f"outer.{self.name}"


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


def _text(query: QueryOperation) -> str:
    """Returns a query in one line, for plans."""

    def combine(node: QueryOperation, children: Any) -> str:
        details = ", ".join(
            f"{name}=[{', '.join(map(str, value)) if isinstance(value, list) else value}]" for name, value in node.summary_details()
        )
        return f"{node.summary_name}({details})" + (f" <- {children[0]}" if len(children) == 1 else "".join(f" <- [{c}]" for c in children))

    text: str = fold(query, QueryOperation, combine)
    return text


def contains_subquery(expression: ResolvedExpression) -> bool:
    """Returns whether the expression contains a subquery."""
    return any(isinstance(node, SubqueryExpression) for node in preorder(expression, ResolvedExpression))


def is_outer(expression: ResolvedExpression) -> bool:
    """Returns whether the expression contains an outer reference."""
    return any(isinstance(node, OuterReferenceExpression) for node in preorder(expression, ResolvedExpression))


def has_outer_references(query: QueryOperation) -> bool:
    """Returns whether the query is correlated: it uses arguments of the node that contains it."""
    stack, seen = [query], {id(query)}
    while stack:
        node = stack.pop()
        if any(is_outer(expression) for expression in node.expressions):
            return True
        # The right side of a correlate has references of its own, to the correlate's arguments.
        children = (node.left,) if isinstance(node, CorrelateQueryOperation) else node.children
        for child in children:
            if id(child) not in seen:
                seen.add(id(child))
                stack.append(child)
    return False


def map_outer_references(query: QueryOperation, change: Callable[[OuterReferenceExpression], ResolvedExpression]) -> QueryOperation:
    """Returns the query with each of its outer references replaced."""

    def in_expression(expression: ResolvedExpression) -> ResolvedExpression:
        return transform_up(
            expression, ResolvedExpression, lambda node: change(node) if isinstance(node, OuterReferenceExpression) else node
        )

    changed: dict[int, QueryOperation] = {}
    stack: list[tuple[QueryOperation, bool]] = [(query, False)]
    while stack:
        node, expanded = stack.pop()
        if id(node) in changed:
            continue
        own = (node.left,) if isinstance(node, CorrelateQueryOperation) else node.children
        if not expanded and own:
            stack.append((node, True))
            stack.extend((child, False) for child in own)
            continue
        rebuilt = map_children_of(node, QueryOperation, lambda child: changed.get(id(child), child))
        changed[id(node)] = map_children_of(rebuilt, ResolvedExpression, in_expression)
    return changed[id(query)]
