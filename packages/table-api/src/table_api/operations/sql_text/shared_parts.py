"""Finds the parts of a query that its text names in WITH: written out at each use, a query of shared parts can be of any length."""

from __future__ import annotations

from collections import Counter

from table_api.operations.operation import QueryOperation
from table_api.operations.query.aggregate import AggregateQueryOperation
from table_api.operations.query.distinct import DistinctQueryOperation
from table_api.operations.query.filter import FilterQueryOperation
from table_api.operations.query.join import JoinQueryOperation
from table_api.operations.query.project import ProjectQueryOperation
from table_api.operations.query.set import SetQueryOperation
from table_api.operations.query.sort import SortQueryOperation
from table_api.operations.subquery import SubqueryExpression, has_outer_references
from table_common.expressions import ResolvedExpression
from table_common.tree import nodes_of

_MAX_NODES = 1_000
"""Operations that a text may hold, each counted as often as it is written, before its shared parts get names."""
_NAMED = (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    ProjectQueryOperation,
    SetQueryOperation,
    SortQueryOperation,
)


def shared_parts(query: QueryOperation) -> frozenset[int]:
    """Returns the ids of the operations that are used several times and do not refer to an outer row; none if the text is short anyway."""
    inputs: dict[int, list[QueryOperation]] = {}
    sizes: dict[int, int] = {}
    nodes: list[QueryOperation] = []
    stack = [query]
    while stack:
        node = stack[-1]
        if id(node) in sizes:
            stack.pop()
            continue
        below = inputs.setdefault(id(node), _inputs(node))
        pending = [one for one in below if id(one) not in sizes]
        if pending:
            stack.extend(pending)
            continue
        stack.pop()
        sizes[id(node)] = 1 + sum(sizes[id(one)] for one in below)
        nodes.append(node)
    if sizes[id(query)] <= _MAX_NODES:
        return frozenset()
    uses = Counter(id(one) for below in inputs.values() for one in below)
    return frozenset(id(node) for node in nodes if uses[id(node)] > 1 and isinstance(node, _NAMED) and not has_outer_references(node))


def _inputs(node: QueryOperation) -> list[QueryOperation]:
    """Returns the inputs of an operation and the queries in its expressions."""
    within = (found for expression in node.expressions for found in nodes_of(expression, ResolvedExpression, SubqueryExpression))
    return [*node.children, *(found.query for found in within)]
