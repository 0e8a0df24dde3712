"""Selects rules of Spark's optimizer to disable for a statement: their cost grows with the square of the plan."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinQueryOperation, Operation
from table_common.tree import preorder

__all__ = ["EXCLUDED_RULES", "rules_to_exclude"]

EXCLUDED_RULES = "spark.sql.optimizer.excludedRules"
"""The option that lists the rules that Spark's optimizer skips."""
_MOST_JOINS = 64
"""The most joins with a condition that Spark may reorder: it compares all pairs, and again after each change."""
_PREFIX = "org.apache.spark.sql.catalyst.optimizer."


def rules_to_exclude(operations: Sequence[Operation]) -> tuple[str, ...]:
    """Returns the full names of the rules to disable for a statement; usually none."""
    nodes = {id(node): node for operation in operations for node in preorder(operation, Operation)}
    rules = []
    if sum(isinstance(node, JoinQueryOperation) and node.condition is not None for node in nodes.values()) > _MOST_JOINS:
        rules.append("ReorderJoin")
    return tuple(_PREFIX + rule for rule in rules)
