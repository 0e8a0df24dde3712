"""Facts of ``LookupJoinQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import LookupJoinQueryOperation
from table_api.plan.facts.record import NO_KEYS, Keys, NodeFacts, register
from table_api.plan.facts.shared import needs_before, same


def _keys(node: LookupJoinQueryOperation, inputs: Sequence[Keys]) -> Keys:
    primary_key = node.side.source_schema.primary_key
    if primary_key is None:
        return NO_KEYS
    names = node.side.source_schema.column_names
    compared = {names[key.column] for key in node.keys}
    return inputs[0] if compared.issuperset(primary_key.columns) else NO_KEYS


register(LookupJoinQueryOperation, NodeFacts(changes=same, demands=needs_before, keys=_keys, windows=same))
