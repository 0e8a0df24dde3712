"""Facts of ``ChangelogNormalizeQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations import QueryOperation, SourceQueryOperation
from table_api.operations.changelog import ALL_KINDS, ChangelogNormalizeQueryOperation, DeleteKind, ModifyKindSet, UpdateKind
from table_api.plan.facts.changelog_mode import mode_of
from table_api.plan.facts.record import Decision, Demand, InputFacts, Keys, NodeFacts, register
from table_api.plan.facts.shared import needs_rows, rebuilt_rows
from table_api.plan.facts.streaming import grows
from table_common.connector import RowKind


def _changes(node: ChangelogNormalizeQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    return inputs[0] if _has_upserts(node.child) else ALL_KINDS


def _demands(node: ChangelogNormalizeQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    if demand.is_only_after and not node.may_repeat and _gives_enough(node.child, demand.deletes):
        yield Decision((demand,), node, is_removed=True)
    yield Decision((Demand(UpdateKind.ONLY_UPDATE_AFTER, DeleteKind.DELETE_BY_KEY),), node)


def _has_upserts(node: QueryOperation) -> bool:
    """Whether a node is a function of upserts, which says which kinds of rows it emits."""
    return bool(getattr(node, "has_upserts", False))


def _gives_enough(node: QueryOperation, deletes: DeleteKind) -> bool:
    """Whether the deletions of a source, or a function, have the columns that are demanded."""
    while not isinstance(node, SourceQueryOperation):
        if _has_upserts(node):
            return True  # it is asked for them
        (node,) = node.children
    mode = mode_of(node)
    return deletes is DeleteKind.DELETE_BY_KEY or not (mode.contains(RowKind.DELETE) and mode.key_only_deletes)


def _keys(node: ChangelogNormalizeQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0] | {frozenset(reference.field_index for reference in node.key)}


register(
    ChangelogNormalizeQueryOperation,
    NodeFacts(
        changes=_changes,
        demands=_demands,
        keys=_keys,
        needs=needs_rows,
        rebuilt=rebuilt_rows,
        forwards_watermarks=True,
        growing_state=grows("the last row of each key"),
    ),
)
