"""Facts of ``ValuesQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import ValuesQueryOperation
from table_api.plan.facts.columns import narrowed
from table_api.plan.facts.record import NO_KEYS, Columns, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.shared import insertions, needs_all
from table_common.catalog import ResolvedSchema


def _keys(node: ValuesQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return frozenset({frozenset()}) if len(node.rows) <= 1 else NO_KEYS


def _needs(node: ValuesQueryOperation, needed: Columns) -> list[Columns]:
    return []


def _rebuilt(node: ValuesQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    kept = sorted(needed)
    schema = ResolvedSchema(tuple(node.schema.columns[i] for i in kept))
    return ValuesQueryOperation(tuple(tuple(row[i] for i in kept) for row in node.rows), schema), narrowed(needed)


register(ValuesQueryOperation, NodeFacts(changes=insertions, demands=needs_all, keys=_keys, needs=_needs, rebuilt=_rebuilt))
