"""Facts of the leaves of engines, such as DataFrames."""

from __future__ import annotations

from table_api.operations import ExternalQueryOperation
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import insertions, needs_all

register(ExternalQueryOperation, NodeFacts(changes=insertions, demands=needs_all))
