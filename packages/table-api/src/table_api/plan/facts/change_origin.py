"""Finds the operator that produces the updates of a query, for error messages."""

from __future__ import annotations

from table_api.operations import (
    STATELESS_OPERATIONS,
)
from table_api.operations.operation import QueryOperation
from table_api.plan.node_details import node_details
from table_common.tree import children_of


def origin_of_updates(node: QueryOperation) -> str:
    """Returns the text of the node that produces the updates of ``node``; skips nodes that only forward them."""
    while isinstance(node, STATELESS_OPERATIONS):
        node = children_of(node, QueryOperation)[0]
    return f"{node.summary_name}({node_details(node)})"
