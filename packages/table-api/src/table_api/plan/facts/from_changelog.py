"""Facts of ``FromChangelogQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from table_api.operations import FromChangelogQueryOperation
from table_api.operations.changelog import INSERTS, ModifyKindSet, modify_kinds_of
from table_api.plan.facts.change_origin import origin_of_updates
from table_api.plan.facts.record import FULL, Columns, Decision, Demand, InputFacts, NodeFacts, Pruned, register
from table_api.plan.facts.shared import rebuilt_rows
from table_common.connector import RowKind
from table_common.exceptions import ValidationException


def _changes(node: FromChangelogQueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if inputs[0] - INSERTS:
        raise ValidationException(
            f"FROM_CHANGELOG requires an insert-only input, but its table ({origin_of_updates(node.child)}) updates or deletes rows.",
            hint="a table that updates or deletes rows needs no FROM_CHANGELOG; TO_CHANGELOG turns changes into rows",
        )
    # Differs from Flink: op_mapping limits the kinds of changes. Flink always assumes all kinds, so that insert-only sinks refuse them.
    return modify_kinds_of(kind for _, kind in node.codes)


def _demands(node: FromChangelogQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    # The rows have no known key, so UPDATE_AFTER cannot replace an earlier row.
    if not (demand.is_only_after and RowKind.UPDATE_AFTER in dict(node.codes).values()):
        yield Decision((FULL,), node)


def _needs(node: FromChangelogQueryOperation, needed: Columns) -> list[Columns]:
    op = node.op.field_index
    return [frozenset({op, *(i + (i >= op) for i in needed)})]


def _rebuilt(node: FromChangelogQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    new, moved = rebuilt_rows(node, needed, children)
    old_op, op = node.op.field_index, moved[node.op.field_index]
    return new, {old - (old > old_op): position - (position > op) for old, position in moved.items() if old != old_op}


register(FromChangelogQueryOperation, NodeFacts(changes=_changes, demands=_demands, needs=_needs, rebuilt=_rebuilt))
