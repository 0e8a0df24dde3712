"""Facts of ``SourceQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import SourceQueryOperation
from table_api.operations.changelog import ModifyKindSet, modify_kinds_of
from table_api.plan.facts.record import NO_KEYS, Keys, NodeFacts, register
from table_api.plan.facts.shared import needs_all


def _changes(node: SourceQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    from table_api.plan.facts.changelog_mode import mode_of  # only streaming needs it

    return modify_kinds_of(mode_of(node).kinds)


def _keys(node: SourceQueryOperation, inputs: Sequence[Keys]) -> Keys:
    primary_key = node.table.table.resolved_schema.primary_key
    if primary_key is None:
        return NO_KEYS
    positions = {name: position for position, name in enumerate(node.resolved_schema.column_names)}
    if not all(name in positions for name in primary_key.columns):
        return NO_KEYS
    return frozenset({frozenset(positions[name] for name in primary_key.columns)})


# A source emits what it emits; ``normalize_changes`` has put a ChangelogNormalize node above it if its changes are incomplete.
register(SourceQueryOperation, NodeFacts(changes=_changes, demands=needs_all, keys=_keys))
