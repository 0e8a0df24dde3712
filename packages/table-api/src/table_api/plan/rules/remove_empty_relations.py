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
from table_common.tree import transform_up

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

    def change(node: QueryOperation) -> QueryOperation:
        if isinstance(node, FilterQueryOperation):
            node = _shorter(node, context)
        return _without_empty(node)

    return transform_up(root, QueryOperation, change)


def _shorter(node: FilterQueryOperation, context: RuleContext) -> QueryOperation:
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


def _without_empty(node: QueryOperation) -> QueryOperation:
    match node:
        case AggregateQueryOperation(child=child) if _is_empty(child) and node.grouping:
            return _nothing_of(node)
        case AggregateQueryOperation(child=child) if _is_empty(child) and node.skips_no_input:
            return replace(node, skips_no_input=False)  # a constant, which streaming mode gives too, as in Flink
        case JoinQueryOperation(left=left, right=right, join_type=kind):
            if (_is_empty(left) and kind in _EMPTY_WITH_LEFT) or (_is_empty(right) and kind in _EMPTY_WITH_RIGHT):
                return _nothing_of(node)
            return left if kind is JoinType.ANTI and _is_empty(right) else node
        case SetQueryOperation():
            return _set_without_empty(node)
        case _ if isinstance(node, _EMPTY_WITH_CHILD) and _is_empty(node.child):
            return _nothing_of(node)
        case _:
            return node


def _set_without_empty(node: SetQueryOperation) -> QueryOperation:
    first, *others = node.inputs
    kept = [one for one in others if not _is_empty(one)]
    if len(kept) == len(others) and not _is_empty(first):
        return node
    if node.kind is SetOperationType.INTERSECT or (node.kind is SetOperationType.MINUS and _is_empty(first)):
        return _nothing_of(node)
    if not _is_empty(first):
        kept.insert(0, first)
    if len(kept) < 2:
        return _side(node, kept[0]) if kept else _nothing_of(node)
    if kept[0] is not first:  # the first input has the column names
        kept[0] = _as_columns_of(node, kept[0])
    return replace(node, inputs=tuple(kept))


def _is_empty(node: QueryOperation) -> bool:
    return isinstance(node, ValuesQueryOperation) and not node.rows


def _nothing_of(node: QueryOperation) -> QueryOperation:
    return ValuesQueryOperation((), node.resolved_schema)


def _side(node: SetQueryOperation, side: QueryOperation) -> QueryOperation:
    """Returns the rows of the only side that is not known to be empty, with the columns of the operation."""
    rows = _as_columns_of(node, side)
    return rows if node.all else DistinctQueryOperation(rows)


def _as_columns_of(node: SetQueryOperation, side: QueryOperation) -> QueryOperation:
    columns = tuple(with_type(reference, wanted) for reference, wanted in zip(references_of(side), node.types, strict=True))
    return ProjectQueryOperation(columns, node.resolved_schema.column_names, side)
