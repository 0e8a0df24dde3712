"""A projection with a sort above it; sort keys that are not selected are computed, used and removed again."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import SortKey
from table_api.operations import DistinctQueryOperation, ProjectQueryOperation, QueryOperation, SortOrder, SortQueryOperation
from table_api.resolution.key_types import check_key, check_key_column
from table_common.catalog import ResolvedSchema
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.tree import transform_down


def positional(
    orders: Sequence[SortOrder | tuple[int, SortKey]], outputs: Sequence[ResolvedExpression], names: Sequence[str]
) -> tuple[SortOrder, ...]:
    """Returns the orders as those of columns of ``outputs``: by their expressions, or by (position, key)."""
    positions = {expression: position for position, expression in reversed(list(enumerate(outputs)))}
    result = []
    for order in orders:
        if isinstance(order, SortOrder):
            position, ascending, nulls_first = positions[order.expression], order.ascending, order.nulls_first
        else:
            position, key = order
            ascending, nulls_first = key.ascending, key.ascending if key.nulls_first is None else key.nulls_first
        check_key_column("ORDER BY", names[position], outputs[position].output_type)
        reference = FieldReferenceExpression(names[position], outputs[position].output_type, 0, position)
        result.append(SortOrder(reference, ascending, nulls_first))
    return tuple(result)


def distinct_rows(child: QueryOperation) -> QueryOperation:
    """Returns the rows without duplicates.

    Raises:
        ValidationException: a column is of a type without distinct values.
    """
    for column in child.resolved_schema.columns:
        check_key_column("DISTINCT", column.name, column.data_type)
    return DistinctQueryOperation(child)


def project_and_sort(
    child: QueryOperation,
    outputs: Sequence[ResolvedExpression],
    names: Sequence[str],
    orders: Sequence[SortOrder | tuple[int, SortKey]],
    distinct: bool,
) -> QueryOperation:
    """Returns the columns of ``outputs`` in order, without duplicates if ``distinct``.

    Raises:
        ValidationException: ``distinct`` is set, and a sort key uses columns that are not selected.
    """
    if distinct and orders:
        rows = distinct_rows(ProjectQueryOperation(tuple(outputs), tuple(names), child))
        keys = [_over_outputs(order, outputs, names) if isinstance(order, SortOrder) else order for order in orders]
        return project_and_sort(rows, references_to(rows.resolved_schema), names, keys, distinct=False)
    columns, all_names = list(outputs), list(names)
    known = set(columns) if orders else set()
    for order in orders:
        if isinstance(order, SortOrder) and order.expression not in known:
            check_key("ORDER BY", order.expression)
            known.add(order.expression)
            columns.append(order.expression)
            all_names.append(f"$sort{len(columns)}")
    projected = ProjectQueryOperation(tuple(columns), tuple(all_names), child)
    result: QueryOperation = distinct_rows(projected) if distinct else projected
    if orders:
        result = SortQueryOperation(positional(orders, columns, all_names), result)
    if len(columns) > len(outputs):
        kept = references_to(result.resolved_schema)[: len(outputs)]
        result = ProjectQueryOperation(kept, tuple(names), result)
    return result


def _over_outputs(order: SortOrder, outputs: Sequence[ResolvedExpression], names: Sequence[str]) -> SortOrder:
    """Returns the order with its key computed from the selected columns."""

    def change(node: ResolvedExpression) -> ResolvedExpression:
        if node in outputs:
            position = list(outputs).index(node)
            return FieldReferenceExpression(names[position], node.output_type, 0, position)
        if isinstance(node, FieldReferenceExpression):
            raise ValidationException("ORDER BY of SELECT DISTINCT can only use selected columns.", hint="add the column to SELECT")
        return node

    return replace(order, expression=transform_down(order.expression, ResolvedExpression, change))


def references_to(schema: ResolvedSchema) -> tuple[FieldReferenceExpression, ...]:
    """Returns a reference to each column."""
    return tuple(FieldReferenceExpression(c.name, c.data_type, 0, i) for i, c in enumerate(schema.columns))


def has_only_references(projection: ProjectQueryOperation) -> bool:
    """Returns whether a projection computes nothing."""
    return all(isinstance(expression, FieldReferenceExpression) for expression in projection.projection)
