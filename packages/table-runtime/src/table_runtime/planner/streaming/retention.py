"""How long the operators of a streaming plan keep untouched state."""

from __future__ import annotations

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    JoinQueryOperation,
    MatchRecognizeQueryOperation,
    QueryOperation,
    StateTtl,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    CurrentRowsJoinQueryOperation,
    IntervalJoinQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
)

__all__ = ["retentions_of"]

_ENDED_BY_WATERMARKS = (
    IntervalJoinQueryOperation,
    MatchRecognizeQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
    WindowTableFunctionQueryOperation,
)
"""Operations whose state ends with the watermark and, as in Flink, does not expire."""


def retentions_of(node: QueryOperation, default: int) -> tuple[int, ...]:
    """Returns the milliseconds for which a node keeps state, one number or one per input: those of its hint STATE_TTL, else ``default``."""
    if isinstance(node, _ENDED_BY_WATERMARKS):
        return (0,)
    match node:
        case CurrentRowsJoinQueryOperation():
            return (0,)  # a row of the table is current until it changes
        case JoinQueryOperation(state_ttl=ttls):
            return tuple(_milliseconds(ttl, default) for ttl in ttls)
        case AggregateQueryOperation(state_ttl=ttl) | DistinctQueryOperation(state_ttl=ttl):
            return (_milliseconds(ttl, default),)
        case _:
            return (default,)


def _milliseconds(ttl: StateTtl | None, default: int) -> int:
    return default if ttl is None else ttl.milliseconds
