"""Conditions over columns by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from table_common.expressions import ResolvedExpression, field_references, map_references


def referenced_names(condition: ResolvedExpression) -> set[str]:
    """Returns the names of the columns that the condition uses."""
    return {reference.name for reference in field_references(condition)}


def at_positions(condition: ResolvedExpression, positions: Mapping[str, int]) -> ResolvedExpression:
    """Returns the condition with columns at the given positions."""
    return map_references(condition, lambda reference: replace(reference, input_index=0, field_index=positions[reference.name]))
