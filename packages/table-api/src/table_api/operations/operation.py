"""The base classes of operations and query operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass
from table_common.tree import Node, children_of


class Operation(Node):
    """The operation of one statement: immutable data, without reference to an engine."""

    __slots__ = ()

    @property
    def children(self) -> tuple[QueryOperation, ...]:
        """The input queries, left to right."""
        return children_of(self, QueryOperation)

    @property
    def summary_name(self) -> str:
        """The node's name in plans."""
        return type(self).__name__.removesuffix("QueryOperation").removesuffix("Operation")

    @property
    def pact(self) -> str:
        """What the node is in the JSON form of plans."""
        return "Data Sink"

    @property
    def insertions(self) -> tuple[ModifyOperation, ...]:
        """The insertions of which the statement consists, which run as one job; none for other statements."""
        return ()

    def summary_details(self) -> Iterator[tuple[str, Any]]:
        """Yields the details that EXPLAIN shows for the node, as pairs of name and value."""
        yield from ()


class QueryOperation(Operation):
    """An operation that produces rows."""

    __slots__ = ("_schema",)
    _schema: ResolvedSchema

    @property
    def resolved_schema(self) -> ResolvedSchema:
        """The columns produced."""
        try:
            return self._schema
        except AttributeError:  # cached: otherwise each node of a chain would compute the schemas below it again
            node, passed = self, [self]
        while type(node)._make_schema is QueryOperation._make_schema:  # without a call for each: chains may be long
            (node,) = node.children
            if hasattr(node, "_schema") or type(node).resolved_schema is not QueryOperation.resolved_schema:
                break
            passed.append(node)
        schema = node._make_schema() if node is passed[-1] else node.resolved_schema
        for one in passed:
            object.__setattr__(one, "_schema", schema)
        return schema

    @property
    def children_in_scope(self) -> tuple[QueryOperation, ...]:
        """The inputs whose outer references are to the same arguments as those of this node."""
        return self.children

    @property
    @override
    def pact(self) -> str:
        return "Operator" if self.children else "Data Source"

    @property
    def is_known_empty(self) -> bool:
        """Whether the node says itself that it has no rows."""
        return False

    @property
    def is_one_group(self) -> bool:
        """Whether the node aggregates all rows as one group, so that the result is exactly one row."""
        return False

    @property
    def removes_duplicates_only(self) -> bool:
        """Whether the node does nothing but remove rows that are equal in some columns, its grouping, and keeps these columns."""
        return False

    def _make_schema(self) -> ResolvedSchema:
        """Returns the columns produced; by default those of the only input."""
        (child,) = self.children
        return child.resolved_schema

    @property
    def expressions(self) -> tuple[ResolvedExpression, ...]:
        """The expressions of this node, without those of its inputs."""
        return children_of(self, ResolvedExpression)


def below(node: QueryOperation, *classes: type[QueryOperation]) -> QueryOperation:
    """Returns the first node that is of none of the classes, which have one input: the node itself, or what is below it."""
    while isinstance(node, classes):
        (node,) = node.children
    return node


@dataclass(frozen=True, slots=True)
class ModifyOperation(Operation):
    """The root of an executable plan: a query and the target of its rows."""

    child: QueryOperation

    @property
    def target_name(self) -> str | None:
        """The full name of the table to which the rows go; None: they go to the caller."""
        return None

    @property
    def conflict_strategy(self) -> str | None:
        """What ON CONFLICT says of rows with one primary key; None: nothing."""
        return None

    @property
    def keeps_rows(self) -> bool:
        """Whether rows are kept in front of the target."""
        return False
