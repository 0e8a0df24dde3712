"""Conditions over columns by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.tree import preorder, transform_up

__all__ = ["at_positions", "referenced_names"]


def referenced_names(condition: ResolvedExpression) -> set[str]:
    """Returns the names of the columns that the condition uses."""
    return {node.name for node in preorder(condition, ResolvedExpression) if isinstance(node, FieldReferenceExpression)}


def at_positions(condition: ResolvedExpression, positions: Mapping[str, int]) -> ResolvedExpression:
    """Returns the condition over a row in which the columns have other positions."""

    def change(node: ResolvedExpression) -> ResolvedExpression:
        if isinstance(node, FieldReferenceExpression):
            return replace(node, input_index=0, field_index=positions[node.name])
        return node

    return transform_up(condition, ResolvedExpression, change)
