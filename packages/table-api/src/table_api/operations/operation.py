"""The roots of the plan: an operation, and a query operation, which has a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_common.catalog import ResolvedSchema
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.tree import Node, children_of

__all__ = ["ModifyOperation", "Operation", "QueryOperation"]


class Operation(Node):
    """What one statement asks for: data only, no engine, no behaviour."""

    __slots__ = ()

    @property
    def children(self) -> tuple[QueryOperation, ...]:
        """The input queries, left to right."""
        return children_of(self, QueryOperation)

    @property
    def summary_name(self) -> str:
        """The node's name in plans."""
        return type(self).__name__.removesuffix("QueryOperation").removesuffix("Operation")

    def summary_details(self) -> Iterator[tuple[str, Any]]:
        """Yields what a plan shows in the node's parentheses, as pairs of name and value."""
        yield from ()


class QueryOperation(Operation):
    """An operation that produces rows."""

    __slots__ = ()

    @property
    def resolved_schema(self) -> ResolvedSchema:
        """The columns produced; by default those of the only input."""
        node = self
        while type(node).resolved_schema is QueryOperation.resolved_schema:  # without a call for each: chains may be long
            (node,) = node.children
        return node.resolved_schema

    @property
    def expressions(self) -> tuple[ResolvedExpression, ...]:
        """The expressions that this node holds itself."""
        return children_of(self, ResolvedExpression)


@dataclass(frozen=True, slots=True)
class ModifyOperation(Operation):
    """The root of what an engine executes: a query and where its rows go."""

    child: QueryOperation
