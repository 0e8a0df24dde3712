"""Facts of current rows joins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations.changelog import CurrentRowsJoinQueryOperation
from table_api.plan.facts.join import keys_of_join, time_loser_of_join
from table_api.plan.facts.record import FULL, Decision, Demand, InputFacts, NodeFacts, register
from table_api.plan.facts.shared import same


def _demands(node: CurrentRowsJoinQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    if not (inputs[0].has_updates and demand.is_only_after):
        yield Decision((FULL, FULL), node)


def _retentions(node: CurrentRowsJoinQueryOperation, default: int) -> tuple[int, ...]:
    return (0,)  # a row of the table is current until it changes


def _growing_state(node: CurrentRowsJoinQueryOperation, state_expires: bool) -> str | None:
    return "all rows of its right input as long as the job runs."


register(
    CurrentRowsJoinQueryOperation,
    NodeFacts(
        changes=same,
        demands=_demands,
        keys=keys_of_join,
        forwards_watermarks=True,
        retentions=_retentions,
        growing_state=_growing_state,
        time_loser=time_loser_of_join,
    ),
)
