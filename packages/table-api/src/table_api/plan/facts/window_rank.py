"""Facts of window ranks."""

from __future__ import annotations

from table_api.operations.changelog import WindowRankQueryOperation
from table_api.plan.facts.rank import keys_of_rank
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions_of_windows, needs_all, same

register(WindowRankQueryOperation, NodeFacts(changes=insertions_of_windows, demands=needs_all, keys=keys_of_rank, windows=same))
