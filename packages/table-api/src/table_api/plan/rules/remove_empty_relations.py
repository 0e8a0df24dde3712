"""Removes relations that are known to be empty, and simplifies the joins and set operations over them.

Filters that were pushed through projections compare constants there. A query for one channel of a view that unions several then reads only
that channel.
"""

from __future__ import annotations

from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    SortQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    WindowQueryOperation,
)
from table_api.plan.calls import references_of, with_type
from table_api.plan.context import RuleContext
from table_api.plan.rules.fold_constants import constant_of
from table_api.plan.simplification import is_true
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    conjunction,
    conjuncts,
    references,
)
from table_common.frozen_dataclass import replace
from table_common.tree import by_class, transform_up

_EMPTY_WITH_CHILD = (
    *(ProjectQueryOperation, FilterQueryOperation, SortQueryOperation),
    *(DistinctQueryOperation, WindowQueryOperation, UnnestQueryOperation),
)
_EMPTY_WITH_LEFT = (JoinType.INNER, JoinType.SEMI, JoinType.LEFT_OUTER, JoinType.ANTI)
_EMPTY_WITH_RIGHT = (JoinType.INNER, JoinType.SEMI, JoinType.RIGHT_OUTER)


def remove_empty_relations(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces relations that are known to be empty by VALUES without rows; a global aggregate over one still has its row.

    A conjunct without columns is evaluated, and removed if it is true.
    """

    return transform_up(root, QueryOperation, lambda node: _without_empty(node, context))


@by_class
def _without_empty(node: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns a node over inputs without empty relations."""
    return _nothing_of(node) if isinstance(node, _EMPTY_WITH_CHILD) and node.child.is_known_empty else node


@_without_empty.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation, context: RuleContext) -> QueryOperation:
    if node.child.is_known_empty:
        return _nothing_of(node)
    if context.planner is None:
        return node
    kept = []
    parts = conjuncts(node.condition)
    for part in parts:
        value = part if _has_columns(part) else constant_of(part, context)
        if isinstance(value, ValueLiteralExpression) and not is_true(value):
            return _nothing_of(node)
        if value is None or not is_true(value):
            kept.append(part)
    if len(kept) == len(parts):
        return node
    return FilterQueryOperation(conjunction(kept), node.child) if kept else node.child


def _has_columns(part: ResolvedExpression) -> bool:
    first = part  # most pairs differ in their first column
    while isinstance(first, CallExpression) and first.args:
        first = first.args[0]
    return isinstance(first, FieldReferenceExpression) or bool(references([part]))


@_without_empty.register(AggregateQueryOperation)
def _aggregate(node: AggregateQueryOperation, context: RuleContext) -> QueryOperation:
    if not node.child.is_known_empty:
        return node
    if node.grouping:
        return _nothing_of(node)
    return replace(node, skips_no_input=False) if node.skips_no_input else node  # a constant, which streaming mode gives too, as in Flink


@_without_empty.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, context: RuleContext) -> QueryOperation:
    kind, has_left, has_right = node.join_type, not node.left.is_known_empty, not node.right.is_known_empty
    if (not has_left and kind in _EMPTY_WITH_LEFT) or (not has_right and kind in _EMPTY_WITH_RIGHT):
        return _nothing_of(node)
    return node.left if kind is JoinType.ANTI and not has_right else node


@_without_empty.register(SetQueryOperation)
def _set(node: SetQueryOperation, context: RuleContext) -> QueryOperation:
    first, *others = node.inputs
    kept = [one for one in others if not one.is_known_empty]
    if len(kept) == len(others) and not first.is_known_empty:
        return node
    if node.kind is SetOperationType.INTERSECT or (node.kind is SetOperationType.MINUS and first.is_known_empty):
        return _nothing_of(node)
    if not first.is_known_empty:
        kept.insert(0, first)
    if len(kept) < 2:
        return _side(node, kept[0]) if kept else _nothing_of(node)
    if kept[0] is not first:  # the first input has the column names
        kept[0] = _as_columns_of(node, kept[0])
    return replace(node, inputs=tuple(kept))


def _nothing_of(node: QueryOperation) -> QueryOperation:
    return ValuesQueryOperation((), node.resolved_schema)


def _side(node: SetQueryOperation, side: QueryOperation) -> QueryOperation:
    """Returns the rows of the only side that is not known to be empty, with the columns of the operation."""
    rows = _as_columns_of(node, side)
    return rows if node.all else DistinctQueryOperation(rows)


def _as_columns_of(node: SetQueryOperation, side: QueryOperation) -> QueryOperation:
    columns = tuple(with_type(reference, wanted) for reference, wanted in zip(references_of(side), node.types, strict=True))
    return ProjectQueryOperation(columns, node.resolved_schema.column_names, side)
