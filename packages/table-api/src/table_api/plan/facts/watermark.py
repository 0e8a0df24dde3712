"""Facts of ``WatermarkQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations import WatermarkQueryOperation
from table_api.plan.facts.record import Decision, Demand, InputFacts, NodeFacts, register
from table_api.plan.facts.shared import needs_rows, rebuilt_rows, same


def _demands(node: WatermarkQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    yield Decision((demand,), node)


register(
    WatermarkQueryOperation, NodeFacts(changes=same, demands=_demands, keys=same, monotonicity=same, needs=needs_rows, rebuilt=rebuilt_rows)
)
