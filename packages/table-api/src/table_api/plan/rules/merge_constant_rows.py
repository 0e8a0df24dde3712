"""Flattens nested UNIONs, and merges the constant inputs of UNION and EXCEPT into one VALUES."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import is_

from table_api.operations import (
    DistinctQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    ValuesQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.rules.fold_constants import constant_of
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.frozen_dataclass import replace
from table_common.tree import by_class, fold, map_children_of, nodes_of, preorder, reader_counts
from table_common.types import LogicalType

_Row = tuple[ResolvedExpression, ...]


def merge_constant_rows(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Merges the constant inputs of UNION, and those of EXCEPT after the first, into one VALUES.

    Nested UNIONs are flattened: below one that removes duplicates, the inner ones need not. Values that are only known at run time (a
    random number, the time, a failing cast) stay in place.
    """
    if not nodes_of(root, QueryOperation, SetQueryOperation):
        return root
    readers = reader_counts(preorder(root, QueryOperation), QueryOperation)

    def combine(node: QueryOperation, children: Sequence[QueryOperation]) -> QueryOperation:
        own = [id(result) for child, result in zip(node.children, children, strict=True) if readers[id(child)] == 1]
        remaining = iter(children)
        node = map_children_of(node, QueryOperation, lambda _: next(remaining))
        if isinstance(node, SetQueryOperation) and node.kind is not SetOperationType.INTERSECT:
            return _merge(node, own, context)
        return node

    return fold(root, QueryOperation, combine)


def _merge(node: SetQueryOperation, own: Collection[int], context: RuleContext) -> QueryOperation:
    is_type = _SameTypes(node.types)
    first = 0 if node.kind is SetOperationType.UNION else 1
    inputs = _flattened(node, own) if first == 0 else node.inputs
    remaining = list(inputs[:first])
    rows: list[_Row] = []
    place = merged = 0
    for one in inputs[first:]:
        constant = _constant_rows(one, is_type, context)
        if constant is None:
            remaining.append(one)
        else:
            if not merged:
                place = len(remaining)
            merged += 1
            rows += constant
    if merged < 2:
        return node if inputs is node.inputs else replace(node, inputs=tuple(inputs))
    values = ValuesQueryOperation(tuple(rows), node.resolved_schema)
    if not remaining:
        return values if node.all else DistinctQueryOperation(values)
    remaining.insert(place, values)
    return replace(node, inputs=tuple(remaining))


def _flattened(node: SetQueryOperation, own: Collection[int]) -> Sequence[QueryOperation]:
    """Returns the inputs of a UNION, with nested unions that have no other parent replaced by their inputs."""
    inputs: list[QueryOperation] = []
    for one in node.inputs:
        if id(one) not in own:
            inputs.append(one)
            continue
        if isinstance(one, DistinctQueryOperation) and not node.all:
            one = one.child
        if isinstance(one, SetQueryOperation) and one.kind is SetOperationType.UNION and (one.all or not node.all):
            inputs += one.inputs
        else:
            inputs.append(one)
    return node.inputs if len(inputs) == len(node.inputs) and all(map(is_, inputs, node.inputs)) else inputs


@by_class
def _constant_rows(node: QueryOperation, is_type: _SameTypes, context: RuleContext) -> Sequence[_Row] | None:
    """Returns the rows of a query that consists of constants with the types of the set operation; None for any other query."""
    return None


@_constant_rows.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, is_type: _SameTypes, context: RuleContext) -> Sequence[_Row] | None:
    return node.rows if all(map(is_type.of_row, node.rows)) else None


@_constant_rows.register(ProjectQueryOperation)
def _select(node: ProjectQueryOperation, is_type: _SameTypes, context: RuleContext) -> Sequence[_Row] | None:
    if not isinstance(node.child, ValuesQueryOperation) or len(node.child.rows) != 1:
        return None
    (inner,) = node.child.rows
    cells = []
    for expression in node.projection:
        cell: ResolvedExpression | None = inner[expression.field_index] if isinstance(expression, FieldReferenceExpression) else expression
        if not isinstance(cell, ValueLiteralExpression):
            cell = None if cell is None or context.planner is None else constant_of(cell, context)
        if cell is None:
            return None
        cells.append(cell)
    row = tuple(cells)
    return (row,) if is_type.of_row(row) else None


class _SameTypes:
    """Checks that constants have the types of the columns, nullability aside; compares each pair of types once."""

    def __init__(self, types: Sequence[LogicalType]) -> None:
        self._types = [type_.with_nullability(True) for type_ in types]
        self._is_same: list[dict[LogicalType, bool]] = [{} for _ in types]

    def of_row(self, row: _Row) -> bool:
        """Returns whether all cells are literals of the columns' types."""
        for cell, wanted, known in zip(row, self._types, self._is_same, strict=True):
            if not isinstance(cell, ValueLiteralExpression):
                return False
            is_same = known.get(cell.output_type)
            if is_same is None:
                is_same = known[cell.output_type] = cell.output_type.with_nullability(True) == wanted
            if not is_same:
                return False
        return True
