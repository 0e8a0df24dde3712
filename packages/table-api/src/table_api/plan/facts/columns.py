"""Positions of columns, and nodes over some of the columns of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from table_api.operations import ProjectQueryOperation, QueryOperation
from table_api.plan.facts.record import Columns, Pruned
from table_common.catalog import ResolvedSchema
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, references


def picked(node: QueryOperation, needed: Columns) -> Pruned:
    """Returns a projection of the needed columns of a node; the node itself if all are needed."""
    if len(needed) == len(node.resolved_schema.columns):
        return node, identity(node)
    return _picked(node, sorted(needed)), narrowed(needed)


def restore(pruned: Pruned, schema: ResolvedSchema) -> QueryOperation:
    """Returns the pruned node with exactly the columns of ``schema`` at their original positions."""
    node, positions = pruned
    width = len(schema.columns)
    if (
        len(positions) == width
        and all(positions[i] == i for i in range(width))
        and node.resolved_schema.column_names == schema.column_names
    ):
        return node
    return _picked(node, [positions[i] for i in range(width)], schema.column_names)


def _picked(node: QueryOperation, positions: Sequence[int], names: Sequence[str] | None = None) -> QueryOperation:
    """Returns the projection of a node to some of its columns."""
    columns = [node.resolved_schema.columns[position] for position in positions]
    references = (FieldReferenceExpression(c.name, c.data_type, 0, position) for c, position in zip(columns, positions, strict=True))
    return ProjectQueryOperation(tuple(references), tuple(names or [column.name for column in columns]), node)


def all_columns(node: QueryOperation) -> Columns:
    """Returns the positions of all columns of a node."""
    return frozenset(range(len(node.resolved_schema.columns)))


def identity(node: QueryOperation) -> dict[int, int]:
    """Returns the identity mapping of column positions, for a node whose columns do not move."""
    return {position: position for position in range(len(node.resolved_schema.columns))}


def used_columns(expressions: Sequence[ResolvedExpression], input_index: int = 0) -> Columns:
    """Returns the columns of an input to which expressions refer."""
    return frozenset(position for index, position in references(expressions) if index == input_index)


def narrowed(positions: Columns) -> dict[int, int]:
    """Returns the new positions of these columns, without the others."""
    return {old: new for new, old in enumerate(sorted(positions))}


def mover(moved: Mapping[int, int]) -> Callable[[FieldReferenceExpression], FieldReferenceExpression]:
    """Returns a function that returns a reference to the new position of its column."""
    return lambda old: FieldReferenceExpression(old.name, old.output_type, 0, moved[old.field_index])
