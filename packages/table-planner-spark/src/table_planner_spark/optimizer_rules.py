"""Selects rules of Spark's optimizer to disable for a statement: their cost grows with the square of the plan, or doubles with each level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_api.operations import (
    FilterQueryOperation,
    JoinQueryOperation,
    Operation,
    ProjectQueryOperation,
    SortQueryOperation,
    ValuesQueryOperation,
)
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.tree import fold, preorder

__all__ = ["EXCLUDED_RULES", "keeps_columns", "rules_to_exclude"]

EXCLUDED_RULES = "spark.sql.optimizer.excludedRules"
"""The option that lists the rules that Spark's optimizer skips."""
_MOST_JOINS = 64
"""The most joins with a condition that Spark may reorder: it compares all pairs, and again after each change."""
_MOST_NODES = 10_000
"""The most nodes of an expression over constants after the columns that it uses are replaced by their expressions."""
_WRITING_OUT = ("CollapseProject", "FoldablePropagation")
"""The rules that replace columns computed from constants by their expressions, all at once, before anything is folded."""
_PREFIX = "org.apache.spark.sql.catalyst.optimizer."


def rules_to_exclude(operations: Sequence[Operation]) -> tuple[str, ...]:
    """Returns the full names of the rules to disable for a statement; usually none."""
    nodes = {id(node): node for operation in operations for node in preorder(operation, Operation)}
    rules = []
    if sum(isinstance(node, JoinQueryOperation) and node.condition is not None for node in nodes.values()) > _MOST_JOINS:
        rules.append("ReorderJoin")
    if max(map(_written_out, operations), default=0) > _MOST_NODES:
        rules += _WRITING_OUT
    return tuple(_PREFIX + rule for rule in rules)


def keeps_columns(options: Mapping[str, str]) -> bool:
    """Returns whether these options keep Spark from replacing computed columns by their expressions."""
    return _PREFIX + _WRITING_OUT[0] in options.get(EXCLUDED_RULES, "")


def _written_out(operation: Operation) -> int:
    """Returns the number of nodes of the largest expression over constants after each column in it is replaced by its expression."""
    largest = 0

    def combine(node: Operation, children: Sequence[Sequence[int]]) -> Sequence[int]:
        """Returns the sizes of the columns; 0 for those that are not computed from constants only."""
        nonlocal largest
        match node:
            case ValuesQueryOperation(rows=[row]):
                return [1] * len(row)
            case FilterQueryOperation() | SortQueryOperation():
                return children[0]
            case ProjectQueryOperation():
                sizes = [_size(expression, children[0]) for expression in node.projection]
                largest = max(largest, *sizes, 0)
                return sizes
            case _:
                return ()

    fold(operation, Operation, combine)
    return largest


def _size(expression: ResolvedExpression, columns: Sequence[int]) -> int:
    def combine(node: ResolvedExpression, parts: Sequence[int]) -> int:
        if isinstance(node, FieldReferenceExpression):
            return columns[node.field_index] if node.field_index < len(columns) else 0
        return 1 + sum(parts) if all(parts) else 0

    return fold(expression, ResolvedExpression, combine)
