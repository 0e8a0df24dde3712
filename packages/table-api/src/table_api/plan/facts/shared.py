"""Facts that several kinds of nodes share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from table_api.operations import QueryOperation
from table_api.operations.changelog import ALL_KINDS, INSERTS, ModifyKind, ModifyKindSet
from table_api.plan.facts.columns import used_columns
from table_api.plan.facts.record import FULL, Columns, Decision, Demand, InputFacts, Pruned
from table_common.exceptions import ValidationException
from table_common.expressions import ResolvedExpression, remap
from table_common.tree import map_children_of

_T = TypeVar("_T")


def same(node: QueryOperation, inputs: Sequence[_T], *others: object) -> _T:
    """Returns what is known of the only or first input."""
    return inputs[0]


def insertions(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    """Returns that a node only inserts rows."""
    return INSERTS


def insertions_for(reader: str) -> Callable[[QueryOperation, Sequence[ModifyKindSet]], ModifyKindSet]:
    """Returns the rule of nodes that insert rows and need insert-only inputs; ``reader`` begins the message to who has others."""
    from table_api.plan.facts.change_origin import origin_of_updates  # only an error needs it

    def changes(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
        for child, given in zip(node.children, inputs, strict=True):
            if given - INSERTS:
                raise ValidationException(
                    f"{reader} an insert-only input, but its input updates or deletes rows: {origin_of_updates(child)}.",
                    hint="Aggregate by a TUMBLE, HOP or CUMULATE window before, which gives each row once, or read the changes of TO_CHANGELOG.",
                )
        return INSERTS

    return changes


def updates(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    """Returns that a node updates its results, and deletes them if its input is not insert-only."""
    return ALL_KINDS if inputs[0] - INSERTS else frozenset({ModifyKind.INSERT, ModifyKind.UPDATE})


def needs_before(node: QueryOperation, demand: Demand, inputs: Sequence[InputFacts]) -> Iterator[Decision]:
    """Yields the decision of a node that may give fewer rows than its input."""
    # UPDATE_AFTER may be filtered out or produce fewer rows: only UPDATE_BEFORE retracts the rows that were emitted earlier.
    if not (inputs[0].has_updates and demand.is_only_after):
        yield Decision((FULL,) * len(inputs), node)


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
