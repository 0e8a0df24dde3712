"""Facts of ``SortAtEndQueryOperation``."""

from __future__ import annotations

from table_api.operations.changelog import SortAtEndQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions, needs_all, needs_rows, rebuilt_rows, same
from table_api.plan.facts.streaming import never_expires

register(
    SortAtEndQueryOperation,
    NodeFacts(
        changes=insertions, demands=needs_all, keys=same, needs=needs_rows, rebuilt=rebuilt_rows, windows=same, retentions=never_expires
    ),
)
