"""Joining each row with the rows of a correlated query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from table_api.operations.operation import QueryOperation
from table_api.operations.query.join import JoinQueryOperation, JoinType
from table_common.annotation import override
from table_common.catalog import ResolvedSchema
from table_common.expressions import ResolvedExpression
from table_common.frozen_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CorrelateQueryOperation(QueryOperation):
    """Joins each left row with the rows of the right query for it; ``join_type`` is INNER or LEFT_OUTER.

    ``arguments`` are over the left row; an ``OuterReferenceExpression`` in the right query is one of them. The schema is that of a join.
    No engine sees this node: the rule ``subquery_to_join`` rewrites it to a join.
    """

    left: QueryOperation
    right: QueryOperation
    join_type: JoinType
    arguments: tuple[ResolvedExpression, ...]

    @property
    @override
    def children_in_scope(self) -> tuple[QueryOperation, ...]:
        return (self.left,)

    @override
    def _make_schema(self) -> ResolvedSchema:
        return JoinQueryOperation(self.left, self.right, self.join_type, None).resolved_schema

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        yield "joinType", self.join_type.value
        yield "arguments", [str(argument) for argument in self.arguments]
