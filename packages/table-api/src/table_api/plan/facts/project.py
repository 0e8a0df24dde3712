"""Facts of ``ProjectQueryOperation``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from table_api.operations import ProjectQueryOperation
from table_api.operations.changelog import DeleteKind, ModifyKindSet
from table_api.plan.facts.columns import narrowed, used_columns
from table_api.plan.facts.record import Columns, Decision, Demand, InputFacts, Keys, NodeFacts, Pruned, register
from table_api.plan.facts.shared import same
from table_common.expressions import FieldReferenceExpression, remap
from table_common.frozen_dataclass import replace
from table_common.functions import Monotonicity

if TYPE_CHECKING:
    from table_api.plan.window_columns import WindowColumns


def _demands(node: ProjectQueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    # Expressions cannot be evaluated on rows that hold only the key.
    if not all(isinstance(expression, FieldReferenceExpression) for expression in node.projection):
        demand = replace(demand, deletes=DeleteKind.FULL_DELETE)
    yield Decision((demand,), node)


def _keys(node: ProjectQueryOperation, inputs: Sequence[Keys]) -> Keys:
    positions: dict[int, list[int]] = {}
    from table_api.plan.facts.key_columns import identifying_column, moved_keys  # only keys need it

    for position, expression in enumerate(node.projection):
        column = identifying_column(expression)
        if column is not None:
            positions.setdefault(column, []).append(position)
    return frozenset(moved_keys(inputs[0], positions))


def _monotonicity(
    node: ProjectQueryOperation, inputs: Sequence[Sequence[Monotonicity]], kinds: Sequence[ModifyKindSet]
) -> Sequence[Monotonicity]:
    return tuple(
        inputs[0][expression.field_index] if isinstance(expression, FieldReferenceExpression) else Monotonicity.NOT_MONOTONIC
        for expression in node.projection
    )


def _windows(node: ProjectQueryOperation, inputs: Sequence[WindowColumns | None]) -> WindowColumns | None:
    (window,) = inputs
    if window is None:
        return None
    return window.at(e.field_index if isinstance(e, FieldReferenceExpression) else None for e in node.projection)


def _needs(node: ProjectQueryOperation, needed: Columns) -> list[Columns]:
    return [used_columns([node.projection[i] for i in needed])]


def _rebuilt(node: ProjectQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    kept = sorted(needed)
    projection = tuple(remap(node.projection[i], moved) for i in kept)
    return ProjectQueryOperation(projection, tuple(node.names[i] for i in kept), child), narrowed(needed)


register(
    ProjectQueryOperation,
    NodeFacts(changes=same, demands=_demands, keys=_keys, monotonicity=_monotonicity, needs=_needs, rebuilt=_rebuilt, windows=_windows),
)
