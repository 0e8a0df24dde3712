"""The build side of joins that are not symmetric: the left input where it is clearly smaller than the right one.

The build side of an inner join is its right input, which ``order_joins`` chooses. A semi, anti or left outer join keeps the order of its inputs in
the plan. With the left input in memory, its keys filter the scans below the right one.
"""

from __future__ import annotations

from collections.abc import Callable

from table_api.operations import JoinQueryOperation, JoinType, QueryOperation
from table_common.tree import nodes_of

SMALLER = 0.5
"""The left input is the build side if it has at most this fraction of the right one's estimated rows."""
FEWEST_ROWS = 10_000
"""Estimated rows of a right input that is not worth a choice."""
_LEFT_PRESERVING = (JoinType.LEFT_OUTER, JoinType.SEMI, JoinType.ANTI)


def built_left(root: QueryOperation, estimates: Callable[[QueryOperation], Callable[[QueryOperation], float]]) -> frozenset[int]:
    """Returns the joins whose left input is the better build side, by the identity of their nodes.

    ``estimates`` returns the estimated rows of the nodes of a plan; it is called if the plan has a join to decide about.
    """
    joins = [node for node in nodes_of(root, QueryOperation, JoinQueryOperation) if node.join_type in _LEFT_PRESERVING]
    if not joins:
        return frozenset()
    estimated_rows = estimates(root)
    return frozenset(
        id(node) for node in joins if (right := estimated_rows(node.right)) >= FEWEST_ROWS and estimated_rows(node.left) <= SMALLER * right
    )
