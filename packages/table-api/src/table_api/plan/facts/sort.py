"""Facts of ``SortQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SortQueryOperation
from table_api.plan.facts.record import Keys, NodeFacts, register
from table_api.plan.facts.shared import needs_rows, rebuilt_rows


def _keys(node: SortQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return frozenset({frozenset()}) if node.fetch is not None and node.fetch <= 1 else inputs[0]


register(SortQueryOperation, NodeFacts(keys=_keys, needs=needs_rows, rebuilt=rebuilt_rows))
