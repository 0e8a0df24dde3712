"""Decides which columns above joins and aggregates are time attributes."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    QueryOperation,
    WindowQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.facts.record import facts_of, window_columns
from table_api.plan.facts.time_attributes import plain_reference
from table_api.plan.rules.recognize_interval_joins import interval_join
from table_api.plan.rules.recognize_windows import window_form
from table_api.plan.window_columns import WindowColumns
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references
from table_common.functions.builtin import windows
from table_common.tree import children_of, map_children_of, preorder, transform_up
from table_common.types import is_time_attribute

_RANKS = (windows.ROW_NUMBER, windows.RANK, windows.DENSE_RANK)


def infer_time_attributes(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Makes plain timestamps of the time attributes that a join or an aggregate loses, in its columns and all references to them.

    Until here their columns count as time attributes, because filters above a join may bound its times, and Flink shows the types so. A join
    keeps time attributes if it has a lower and an upper bound between times of both sides (by processing time: only those), or is a
    join of windows; a temporal join keeps those of the left side. An aggregate by a window keeps the time of the window. DISTINCT and set operations
    but UNION ALL keep none. Calls give plain timestamps already.

    Raises:
        ValidationException: a window or MATCH_RECOGNIZE needs a time attribute, but the column is no longer one.
    """
    known: dict[int, tuple[QueryOperation, WindowColumns | None]] = {}

    def change(node: QueryOperation) -> QueryOperation:
        inputs = [known[id(child)][1] for child in children_of(node, QueryOperation)]
        changed, window = _settled(_with_types_of_inputs(node), inputs)
        known[id(changed)] = changed, window
        return changed

    return transform_up(root, QueryOperation, change)


def _settled(node: QueryOperation, inputs: Sequence[WindowColumns | None]) -> tuple[QueryOperation, WindowColumns | None]:
    """Returns the node without the time attributes that it loses, and its window columns."""
    form = interval_join(window_form(node, inputs))
    settled = facts_of(type(form)).settled
    if settled is not None:
        return settled(node, form, inputs), window_columns(form, inputs)
    if isinstance(form, WindowQueryOperation) and all(call.function in _RANKS for call in form.calls):
        (below,) = inputs  # the ranks of windows are recognized later
        in_window = below is not None and below.end_among([key.field_index for key in form.partition_by]) is not None
        return node, below if in_window else None
    return node, window_columns(form, inputs)


def _with_types_of_inputs(node: QueryOperation) -> QueryOperation:
    """Returns the node with plain timestamps where it refers to a column that is no longer a time attribute."""
    inputs = children_of(node, QueryOperation)
    if not inputs:
        return node
    columns = [child.resolved_schema.columns for child in inputs]

    def follow(reference: FieldReferenceExpression) -> FieldReferenceExpression:
        if not is_time_attribute(reference.output_type) or is_time_attribute(
            columns[reference.input_index][reference.field_index].data_type
        ):
            return reference
        _check(node, reference, inputs[reference.input_index])
        return plain_reference(reference)

    retyped = facts_of(type(node)).retyped
    if retyped is not None:
        return retyped(node, follow)
    return map_children_of(node, ResolvedExpression, lambda expression: map_references(expression, follow))


def _check(node: QueryOperation, column: FieldReferenceExpression, child: QueryOperation) -> None:
    """Checks that the node does not need the column, which is no longer a time attribute, as one."""
    needed_time = facts_of(type(node)).needed_time
    user = None if needed_time is None else needed_time(node, column)
    if user is None:
        return
    raise ValidationException(
        f"{user} needs a time attribute, but column '{column.name}' is no longer one: it comes out of {_loser(child)}.",
        hint="take the times before (aggregate by a window, then join); bound the times of a join from both sides, such as "
        "a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts; group by window_start, window_end and window_time",
    )


def _loser(child: QueryOperation) -> str:
    """Returns what took the time attribute from a column of the node, or of a node below it."""
    for node in preorder(child, QueryOperation):
        loser = facts_of(type(node)).time_loser
        text = loser(node) if callable(loser) else loser
        if text is not None:
            return text
    return "a node that loses it"
