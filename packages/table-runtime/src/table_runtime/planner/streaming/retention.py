"""How long the operators of a streaming plan keep untouched state."""

from __future__ import annotations

from table_api.operations import QueryOperation
from table_api.plan import facts_of


def retentions_of(node: QueryOperation, default: int) -> tuple[int, ...]:
    """Returns the milliseconds for which a node keeps state, one number or one per input: those of its hint STATE_TTL, else ``default``."""
    retentions = facts_of(type(node)).retentions
    return (default,) if retentions is None else retentions(node, default)
