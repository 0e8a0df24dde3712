"""Facts that several kinds of nodes share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from table_api.operations import QueryOperation
from table_api.operations.changelog import INSERTS, ModifyKindSet
from table_api.plan.facts.change_origin import maker_of_changes
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.record import FULL, Columns, Decision, Demand, InputFacts, Pruned
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression, remap
from table_common.tree import map_children_of

__all__ = [
    "insertions_of_windows",
    "needs_all",
    "needs_before",
    "needs_rows",
    "rebuilt_rows",
    "require_insertions",
    "same",
]

_T = TypeVar("_T")


def same(node: QueryOperation, inputs: Sequence[_T], *others: object) -> _T:
    """Returns what is known of the only or first input."""
    return inputs[0]


def insertions_of_windows(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    """Checks that all inputs of a node over windows are insert-only, as the node is."""
    for child, given in zip(node.children, inputs, strict=True):
        require_insertions(child, given, "Ranks and joins of time windows require")
    return INSERTS


def require_insertions(child: QueryOperation, given: ModifyKindSet, reader: str) -> None:
    """Checks that an input is insert-only.

    Raises:
        ValidationException: it is not.
    """
    if given - INSERTS:
        raise ValidationException(
            f"{reader} an insert-only input, but its input updates or deletes rows: {maker_of_changes(child)}.",
            hint="Aggregate by a TUMBLE, HOP or CUMULATE window before, which gives each row once, or read the changes of TO_CHANGELOG.",
        )


def needs_before(node: QueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    """Yields the decision of a node that may give fewer rows than its input."""
    # UPDATE_AFTER may be filtered out or produce fewer rows: only UPDATE_BEFORE retracts the rows that were emitted earlier.
    if not (inputs[0].has_updates and demand.is_only_after):
        yield Decision((FULL,), node)


def needs_all(node: QueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    """Yields the decision of a node that needs whole changes of all inputs."""
    yield Decision((FULL,) * len(inputs), node)


def needs_rows(node: QueryOperation, needed: Columns) -> list[Columns]:
    """Returns what a node with the columns of its input uses of it."""
    return [needed | used_columns(node.expressions)]


def rebuilt_rows(node: QueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    """Returns a node with the columns of its input over a pruned one."""
    child, moved = children[0]
    over_moved = map_children_of(node, ResolvedExpression, lambda expression: remap(expression, moved))
    return map_children_of(over_moved, QueryOperation, lambda _: child), moved
