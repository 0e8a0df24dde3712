"""Checks of streaming plans with event time: windows that cannot be aggregated, and patterns over rows that change."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    WINDOW_COLUMNS,
    AggregateQueryOperation,
    FilterQueryOperation,
    HopWindow,
    MatchRecognizeQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    INSERTS,
    ModifyKindSet,
)
from table_api.operations.windows.assigner import length_text
from table_api.plan.changelog.given import given_kinds
from table_api.plan.changelog.makers import maker_of_changes
from table_api.plan.context import RuleContext
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression
from table_common.tree import fold, preorder

__all__ = ["check_event_time"]


def check_event_time(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns the plan as it is.

    Raises:
        ValidationException: a HOP is aggregated whose size is not a multiple of its slide, or MATCH_RECOGNIZE reads rows that change.
    """
    nodes = preorder(root, QueryOperation)
    for node in nodes:
        if isinstance(node, AggregateQueryOperation):
            _check_window(node)
    if any(isinstance(node, MatchRecognizeQueryOperation) for node in nodes):
        fold(root, QueryOperation, _checked_kinds)
    return root


def _check_window(node: AggregateQueryOperation) -> None:
    keys = {reference.field_index for reference in node.grouping}
    below = node.child
    while isinstance(below, (ProjectQueryOperation, FilterQueryOperation)):
        if isinstance(below, ProjectQueryOperation):
            keys = {e.field_index for i in keys if isinstance(e := below.projection[i], FieldReferenceExpression)}
        below = below.child
    if not isinstance(below, WindowTableFunctionQueryOperation) or not isinstance(below.window, HopWindow):
        return
    if below.names != WINDOW_COLUMNS:  # GROUP BY HOP(…) takes windows of any size, as in Flink
        return
    window, start = below.window, len(below.child.resolved_schema.columns)
    if {start, start + 1} <= keys and window.size % window.slide:
        raise ValidationException(
            f"An aggregate over HOP in streaming mode needs a size that is a multiple of the slide, but the size is {length_text(window.size)}, "
            f"the slide {length_text(window.slide)}.",
            hint="Choose a slide that divides the size, or run the query in batch mode.",
        )


def _checked_kinds(node: QueryOperation, inputs: Sequence[ModifyKindSet]) -> ModifyKindSet:
    if isinstance(node, MatchRecognizeQueryOperation) and inputs[0] - INSERTS:
        raise ValidationException(
            f"MATCH_RECOGNIZE requires an insert-only input, but its input updates or deletes rows: {maker_of_changes(node.child)}.",
            hint="Aggregate by a window (TUMBLE …) before, which emits each row once, or match the changes of TO_CHANGELOG.",
        )
    return INSERTS if given_kinds.missing([type(node)]) else given_kinds(node, inputs)
