"""Facts of ``TemporalJoinQueryOperation``."""

from __future__ import annotations

from table_api.operations import TemporalJoinQueryOperation
from table_api.plan.facts.join import keys_of_join, needs_of_join, rebuilt_join, time_loser_of_join
from table_api.plan.facts.record import NodeFacts, register

register(TemporalJoinQueryOperation, NodeFacts(keys=keys_of_join, needs=needs_of_join, rebuilt=rebuilt_join, time_loser=time_loser_of_join))
