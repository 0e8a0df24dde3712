"""The rows that an aggregate of time windows takes directly, without a window table function that repeats them for each window."""

from __future__ import annotations

from collections.abc import Container, Mapping

from table_api.operations import ProjectQueryOperation, QueryOperation, WindowTableFunctionQueryOperation
from table_api.operations.changelog import WindowAggregateQueryOperation
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import preorder
from table_runtime.planner.context import arrow_schema
from table_runtime.planner.lowering.aggregate import aggregate_column
from table_runtime.planner.lowering.window_table_function import aligned_windows
from table_runtime.planner.streaming.lowering.dispatch import StreamContext
from table_runtime.streaming.aggregates.groups import AggregateCalls
from table_runtime.streaming.operators.window_spans import WindowSpans


@dataclass(frozen=True, slots=True)
class WindowRows:
    """The input of an aggregate without the columns of the window: the nodes above the child of the window table function, lowest first.

    Where a projection has a column of the window, these have the row's time. ``time`` is the position of that column in their output.
    ``window_columns`` says for each grouping column of the aggregate whether it is start (0), end (1) or time (2) of the window.
    """

    function: WindowTableFunctionQueryOperation
    chain: tuple[ProjectQueryOperation, ...]
    time: int
    window_columns: tuple[int | None, ...]

    @property
    def top(self) -> QueryOperation:
        """The node whose rows the aggregate takes."""
        return self.chain[-1] if self.chain else self.function.child


def window_rows(node: WindowAggregateQueryOperation, context: StreamContext) -> WindowRows | None:
    """Returns the rows that an aggregate needs if it can be computed from slices, None for others.

    The states of its functions can be merged, rows are never retracted, and nothing but the grouping reads the columns of the window.
    """
    if node.emission is not None:
        return None
    projections: list[ProjectQueryOperation] = []
    below = node.child
    while isinstance(below, ProjectQueryOperation):
        projections.append(below)
        below = below.child
    if not isinstance(below, WindowTableFunctionQueryOperation) or not below.window.is_aligned:
        return None
    if not context.changes_of(below.child).is_insert_only:
        return None
    rows = _without_windows(node, below, projections[::-1])
    return rows if rows is not None and _can_be_sliced(node, rows, context) else None


def _without_windows(
    node: WindowAggregateQueryOperation, function: WindowTableFunctionQueryOperation, projections: list[ProjectQueryOperation]
) -> WindowRows | None:
    width = len(function.child.resolved_schema.columns)
    parts: Mapping[int, int] = {width + part: part for part in range(len(function.names))}
    times = dict.fromkeys(parts, function.time)
    below: QueryOperation = function.child
    chain = []
    for projection in projections:
        changed: list[ResolvedExpression] = []
        next_parts: dict[int, int] = {}
        for position, expression in enumerate(projection.projection):
            if isinstance(expression, FieldReferenceExpression) and expression.field_index in parts:
                next_parts[position] = parts[expression.field_index]
                expression = times[expression.field_index]
            elif _reads(expression, parts):
                return None
            changed.append(expression)
        below = replace(projection, projection=tuple(changed), child=below)
        chain.append(below)
        parts = next_parts
        times = {
            position: FieldReferenceExpression(projection.names[position], function.time.output_type, 0, position) for position in parts
        }
    columns = [aggregate_column(call) for call in node.aggregates]
    if any(position in parts for column in columns for position in (*column.args, column.filter)):
        return None
    window_columns = tuple(parts.get(reference.field_index) for reference in node.grouping)
    if any(
        part is not None and position not in members for members in node.grouping_sets or () for position, part in enumerate(window_columns)
    ):
        return None
    return WindowRows(function, tuple(chain), next(iter(times.values())).field_index, window_columns)


def _reads(expression: ResolvedExpression, columns: Container[int]) -> bool:
    """Whether an expression reads one of some columns."""
    return any(
        isinstance(part, FieldReferenceExpression) and part.field_index in columns for part in preorder(expression, ResolvedExpression)
    )


def _can_be_sliced(node: WindowAggregateQueryOperation, rows: WindowRows, context: StreamContext) -> bool:
    """Whether the functions of an aggregate over some rows can be merged, and the windows be numbered."""
    windows = aligned_windows(rows.function.window)
    schema = arrow_schema(rows.top.resolved_schema, context.lowering)
    columns = tuple(aggregate_column(call) for call in node.aggregates)
    return WindowSpans.can_number(windows) and AggregateCalls(schema, (), columns, (False,) * len(columns)).can_merge
