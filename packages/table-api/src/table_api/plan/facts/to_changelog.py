"""Facts of TO_CHANGELOG."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ToChangelogQueryOperation
from table_api.operations.changelog import INSERTS, ModifyKindSet
from table_api.plan.facts.record import NodeFacts, register
from table_api.plan.facts.shared import needs_all


def _changes(node: ToChangelogQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return INSERTS


# It keeps all columns: each change of its input is a row, and an aggregate over fewer columns would have fewer changes.
register(ToChangelogQueryOperation, NodeFacts(changes=_changes, demands=needs_all))
