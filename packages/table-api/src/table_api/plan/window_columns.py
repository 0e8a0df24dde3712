"""The columns of a node that hold the start, the end and the time of a time window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_api.operations import (
    WINDOW_COLUMNS,
    FilterQueryOperation,
    JoinType,
    LookupJoinQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    UnnestQueryOperation,
    WindowAssigner,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import (
    RankQueryOperation,
    WindowAggregateQueryOperation,
    WindowJoinQueryOperation,
    WindowRankQueryOperation,
)
from table_common.expressions import FieldReferenceExpression
from table_common.frozen_dataclass import dataclass, replace
from table_common.tree import TypeDispatch
from table_common.types import LogicalType

__all__ = ["WindowColumns", "window_columns"]


@dataclass(frozen=True, slots=True)
class WindowColumns:
    """Positions of columns; a column that is selected twice has several."""

    window: WindowAssigner
    time_type: LogicalType
    """The type of the time attribute by which the windows are assigned."""
    starts: frozenset[int]
    ends: frozenset[int]
    times: frozenset[int] = frozenset()
    """The columns with the last millisecond of the window, which are time attributes."""
    is_table_function: bool = True
    """Whether the window was written as a function in FROM, not in GROUP BY."""

    def end_among(self, columns: Sequence[int]) -> int | None:
        """Returns the position in ``columns`` of the window's end, if both its start and its end are there."""
        if self.starts.isdisjoint(columns):
            return None
        return next((position for position, column in enumerate(columns) if column in self.ends), None)

    def at(self, columns: Iterable[int | None]) -> WindowColumns | None:
        """Returns the window columns among columns that a node selects; None if the start or the end is not selected."""
        selected = list(columns)
        starts = frozenset(position for position, column in enumerate(selected) if column in self.starts)
        ends = frozenset(position for position, column in enumerate(selected) if column in self.ends)
        times = frozenset(position for position, column in enumerate(selected) if column in self.times)
        return replace(self, starts=starts, ends=ends, times=times) if starts and ends else None


_Windows = WindowColumns | None
_rules: TypeDispatch[[Sequence[_Windows]], _Windows] = TypeDispatch("Window columns")


def window_columns(node: QueryOperation, inputs: Sequence[_Windows]) -> _Windows:
    """Returns the window columns of a node from those of its inputs; None if its rows belong to no window."""
    return None if _rules.missing([type(node)]) else _rules(node, inputs)


@_rules.register(WindowTableFunctionQueryOperation)
def _window_table_function(node: WindowTableFunctionQueryOperation, inputs: Sequence[_Windows]) -> _Windows:
    width = len(node.child.resolved_schema.columns)
    starts, ends = frozenset({width}), frozenset({width + 1})
    return WindowColumns(node.window, node.time.output_type, starts, ends, frozenset({width + 2}), node.names == WINDOW_COLUMNS)


def _same(node: QueryOperation, inputs: Sequence[_Windows]) -> _Windows:
    return inputs[0]


for _transparent in (FilterQueryOperation, UnnestQueryOperation, LookupJoinQueryOperation, RankQueryOperation, WindowRankQueryOperation):
    _rules.register(_transparent)(_same)


@_rules.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, inputs: Sequence[_Windows]) -> _Windows:
    (window,) = inputs
    if window is None:
        return None
    return window.at(e.field_index if isinstance(e, FieldReferenceExpression) else None for e in node.projection)


@_rules.register(WindowAggregateQueryOperation)
def _aggregate(node: WindowAggregateQueryOperation, inputs: Sequence[_Windows]) -> _Windows:
    (window,) = inputs
    return None if window is None else window.at(reference.field_index for reference in node.grouping)


@_rules.register(WindowJoinQueryOperation)
def _join(node: WindowJoinQueryOperation, inputs: Sequence[_Windows]) -> _Windows:
    left, right = inputs
    assert left is not None
    if node.join_type is JoinType.RIGHT_OUTER:
        assert right is not None
        width = len(node.left.resolved_schema.columns)
        starts, ends, times = (frozenset(i + width for i in columns) for columns in (right.starts, right.ends, right.times))
        return replace(right, starts=starts, ends=ends, times=times)
    return None if node.join_type is JoinType.FULL_OUTER else left
