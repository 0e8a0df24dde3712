"""The text of projections in plans."""

from __future__ import annotations

from collections.abc import Sequence

from table_common.expressions import ResolvedExpression, named_texts


def projection_text(projection: Sequence[ResolvedExpression], names: Sequence[str]) -> str:
    """Returns a projection as EXPLAIN shows it. Operators keep the expressions, and no node of the plan: a node has options of tables below it."""
    return ", ".join(named_texts(projection, names))
