"""Facts of ``ToChangelogQueryOperation``."""

from __future__ import annotations

from table_api.operations import ToChangelogQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions, needs_all

# It keeps all columns: each change of its input is a row, and an aggregate over fewer columns would have fewer changes.
register(ToChangelogQueryOperation, NodeFacts(changes=insertions, demands=needs_all))
