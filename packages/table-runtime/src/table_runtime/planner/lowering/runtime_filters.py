"""Connects joins with the scans below their probe side that can leave out rows without a partner.

A filter passes whatever drops or groups rows by the key alone. It stops at nodes that several others read, since these need all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetQueryOperation,
    SortQueryOperation,
    SourceQueryOperation,
    ValuesQueryOperation,
    WindowQueryOperation,
)
from table_common.configuration import OptimizerConfigOptions
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, conjuncts, is_deterministic
from table_common.functions.builtin import comparison, conversion
from table_common.tree import by_class, children_of
from table_common.types import holds_integers_of
from table_runtime.planner.context import LoweringContext
from table_runtime.planner.lowering.join_condition import JoinCondition
from table_runtime.scans.key_filter import can_filter
from table_runtime.scans.runtime_filters import AppliedFilter, FilterSlot

PROBE_DROPS = (JoinType.INNER, JoinType.SEMI, JoinType.RIGHT_OUTER)
"""Joins that drop left rows without a partner."""
LEFT_PASSES = (JoinType.INNER, JoinType.SEMI, JoinType.ANTI, JoinType.LEFT_OUTER)
"""Joins of which left rows may be left out if no output row with their values is needed."""
RIGHT_PASSES = (JoinType.INNER, JoinType.RIGHT_OUTER)
EQUAL_PASSES = (JoinType.INNER, JoinType.SEMI, JoinType.ANTI, JoinType.LEFT_OUTER)
"""Joins of which the right rows need no partner that a left row with their key would be: these left rows are not needed either."""


def runtime_filters(
    node: JoinQueryOperation, parts: JoinCondition, context: LoweringContext, *, drops_left: bool = False
) -> Sequence[tuple[int, FilterSlot]]:
    """Returns the keys of a join, by position, whose values scans below its left input wait for, and adds the filters to these scans.

    ``drops_left`` says that the join drops left rows without a partner, whatever its type.
    """
    found = []
    for key, column in filter_columns(node, parts, context, drops_left=drops_left).items() if context.scans else ():
        targets = list(dict.fromkeys(_scans_of(node.left, column, context)))
        if targets:
            slot = FilterSlot(len(context.slots) + 1, str(parts.right_keys[key]))
            context.slots.append(slot)
            for scan, position in targets:
                context.scans[scan].keys.append(AppliedFilter(slot, position))
            found.append((key, slot))
    return found


def filter_columns(node: JoinQueryOperation, parts: JoinCondition, context: LoweringContext, *, drops_left: bool = False) -> dict[int, int]:
    """Returns the keys of a join, by position, of which it can send a filter to its left input, and their columns there."""
    if not (drops_left or node.join_type in PROBE_DROPS):
        return {}
    is_reduced = _is_reduced(node.right)
    if not context.configuration.get(OptimizerConfigOptions.TABLE_OPTIMIZER_DYNAMIC_FILTERING_ENABLED):
        return {}
    return {
        key: column
        for key, left in enumerate(parts.left_keys)
        if (column := _column_of(left)) is not None
        and not parts.null_equal[key]
        and can_filter(parts.key_types[key])
        and (is_reduced or _is_aggregated(node.right, parts.right_keys[key]))
    }


def _is_reduced(node: QueryOperation) -> bool:
    """Returns whether a build side may have fewer keys than its table: something filters it."""
    stack = [node]
    while stack:
        one = stack.pop()
        if _filters(one):
            return True
        stack += children_of(one, QueryOperation)
    return False


@by_class
def _filters(node: QueryOperation) -> bool:
    """Returns whether a node may give fewer keys than its inputs or its table."""
    return False


@_filters.register(FilterQueryOperation, ValuesQueryOperation, JoinQueryOperation)
def _always_filters(node: FilterQueryOperation | ValuesQueryOperation | JoinQueryOperation) -> bool:
    return True


@_filters.register(SourceQueryOperation)
def _scan_filters(node: SourceQueryOperation) -> bool:
    return node.pushed.reduces_rows


@_filters.register(SortQueryOperation)
def _sort_filters(node: SortQueryOperation) -> bool:
    return node.fetch is not None


def _is_aggregated(node: QueryOperation, key: ResolvedExpression) -> bool:
    """Returns whether a key of a build side is the result of an aggregate call, which has one value per group."""
    column = _column_of(key)
    below: QueryOperation = node
    while column is not None and isinstance(below, ProjectQueryOperation):
        column, below = _column_of(below.projection[column]), below.child
    return column is not None and isinstance(below, AggregateQueryOperation) and column >= len(below.grouping)


def _column_of(expression: ResolvedExpression) -> int | None:
    """Returns the position of the column that an expression is, but for casts to wider integers."""
    while (
        isinstance(expression, CallExpression)
        and expression.function is conversion.CAST
        and holds_integers_of(expression.output_type, expression.args[0].output_type)
    ):
        expression = expression.args[0]
    return expression.field_index if isinstance(expression, FieldReferenceExpression) else None


def _scans_of(root: QueryOperation, column: int, context: LoweringContext) -> Iterator[tuple[int, int]]:
    """Yields the scans that a column comes from, by identity, and its position in them."""
    stack = [(root, column)]
    while stack:
        node, position = stack.pop()
        if context.readers[id(node)] != 1:
            continue
        if isinstance(node, SourceQueryOperation):
            if id(node) in context.scans:
                yield id(node), position
            continue
        stack += _below(node, position)


_Column = tuple[QueryOperation, int]
"""A node, and the position of a column in it."""


@by_class
def _below(node: QueryOperation, position: int) -> Iterable[_Column]:
    """Returns the inputs, and the columns in them, whose rows with other values a node does not need for the rows with some values."""
    return ()


@_below.register(FilterQueryOperation)
def _below_filter(node: FilterQueryOperation, position: int) -> Iterable[_Column]:
    return [(node.child, position)] if is_deterministic([node.condition]) else ()


@_below.register(DistinctQueryOperation)
def _below_distinct(node: DistinctQueryOperation, position: int) -> Iterable[_Column]:
    return [(node.child, position)]


@_below.register(SortQueryOperation)
def _below_sort(node: SortQueryOperation, position: int) -> Iterable[_Column]:
    return [(node.child, position)] if node.fetch is None and not node.offset else ()


@_below.register(ProjectQueryOperation)
def _below_project(node: ProjectQueryOperation, position: int) -> Iterable[_Column]:
    column = _column_of(node.projection[position])
    return [(node.child, column)] if column is not None else ()


@_below.register(AggregateQueryOperation)
def _below_aggregate(node: AggregateQueryOperation, position: int) -> Iterable[_Column]:
    is_key = node.grouping_sets is None and position < len(node.grouping)
    return [(node.child, node.grouping[position].field_index)] if is_key else ()


@_below.register(WindowQueryOperation)
def _below_window(node: WindowQueryOperation, position: int) -> Iterable[_Column]:
    return [(node.child, position)] if position in {key.field_index for key in node.partition_by} else ()


@_below.register(SetQueryOperation)
def _below_set(node: SetQueryOperation, position: int) -> Iterable[_Column]:
    return [(child, position) for child in node.inputs]


@_below.register(JoinQueryOperation)
def _below_join(node: JoinQueryOperation, position: int) -> Iterator[_Column]:
    width = len(node.left.resolved_schema.columns)
    side = 0 if position < width else 1
    own = position - width * side
    if node.join_type in (LEFT_PASSES, RIGHT_PASSES)[side]:
        yield (node.left, node.right)[side], own
        if node.join_type is JoinType.INNER or (side == 0 and node.join_type in EQUAL_PASSES):
            for partner in _equal_to(node.condition, side, own):
                yield (node.right, node.left)[side], partner


def _equal_to(condition: ResolvedExpression | None, side: int, column: int) -> Iterator[int]:
    """Yields the columns of the other input that are equal to a column of one."""
    for part in conjuncts(condition) if condition is not None else ():
        if not isinstance(part, CallExpression) or part.function is not comparison.EQUALS:
            continue
        for one, other in (part.args, part.args[::-1]):
            if not isinstance(one, FieldReferenceExpression) or not isinstance(other, FieldReferenceExpression):
                continue
            if (one.input_index, one.field_index, other.input_index) != (side, column, 1 - side):
                continue
            if one.output_type.with_nullability(True) == other.output_type.with_nullability(True):
                yield other.field_index
