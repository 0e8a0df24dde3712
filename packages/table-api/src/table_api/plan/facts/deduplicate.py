"""Facts of ``DeduplicateQueryOperation``."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations.changelog import INSERTS, DeduplicateQueryOperation, ModifyKind, ModifyKindSet
from table_api.plan.facts.record import Keys, NodeFacts, register
from table_api.plan.facts.shared import insertions_for, needs_all, needs_rows, rebuilt_rows
from table_api.plan.facts.streaming import grows


def _changes(node: DeduplicateQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if node.rowtime is not None:
        insertions_for("Deduplication by event time requires")(node, inputs)
    return frozenset({ModifyKind.INSERT, ModifyKind.UPDATE}) if node.keep_last else INSERTS


def _keys(node: DeduplicateQueryOperation, inputs: Sequence[Keys]) -> Keys:
    return inputs[0] | {frozenset(reference.field_index for reference in node.keys)}


def _reads_watermarks(node: DeduplicateQueryOperation) -> bool:
    return node.rowtime is not None and not node.keep_last


register(
    DeduplicateQueryOperation,
    NodeFacts(
        changes=_changes,
        demands=needs_all,
        keys=_keys,
        needs=needs_rows,
        rebuilt=rebuilt_rows,
        reads_watermarks=_reads_watermarks,
        forwards_watermarks=True,
        growing_state=grows("a row for each key"),
    ),
)
