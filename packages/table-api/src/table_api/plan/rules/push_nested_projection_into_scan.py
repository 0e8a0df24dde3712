"""Pushes nested projections into sources: a source that supports it reads only the used fields of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from table_api.operations import (
    FilterQueryOperation,
    ProjectQueryOperation,
    PushedAbility,
    QueryOperation,
    SourceQueryOperation,
    WatermarkQueryOperation,
)
from table_api.plan.context import RuleContext
from table_common.annotation import override
from table_common.catalog import Column, PhysicalColumn, ResolvedSchema
from table_common.connector.source.abilities import SupportsProjectionPushDown, SupportsReadingMetadata
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression, remap
from table_common.frozen_dataclass import dataclass
from table_common.functions.builtin import collections
from table_common.tree import children_of, map_children_of, transform_up
from table_common.types import LogicalType, RowType

__all__ = ["PushedProjection", "push_nested_projection_into_scan"]

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PushedProjection(PushedAbility):
    """The produced columns as paths into the readable columns: the position of a column, followed by the positions of nested fields.

    ``nested`` has the names of fields that are read without their enclosing row, for EXPLAIN.
    """

    paths: tuple[Path, ...]
    nested: tuple[str, ...] = ()
    place: ClassVar[int] = 20
    changes_columns: ClassVar[bool] = True

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.nested:
            yield "nested", list(self.nested)


def push_nested_projection_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces nested fields by columns of the source, below a projection with at most a filter and a watermark above the scan.

    A row that is also used as a whole is read as a whole.
    """

    def change(node: QueryOperation) -> QueryOperation:
        return _pushed(node) if isinstance(node, ProjectQueryOperation) else node

    return transform_up(root, QueryOperation, change)


def _pushed(node: ProjectQueryOperation) -> QueryOperation:
    below = node.child
    between: list[QueryOperation] = []
    while isinstance(below, FilterQueryOperation | WatermarkQueryOperation):
        between.append(below)
        below = below.child
    expressions = [*node.projection, *(expression for one in between for expression in one.expressions)]
    if isinstance(below, ProjectQueryOperation):  # left by column pruning: a projection to columns
        positions: dict[int, int] = {}
        for position, expression in enumerate(below.projection):
            if not isinstance(expression, FieldReferenceExpression):
                return node
            positions[position] = expression.field_index
        expressions = [remap(expression, positions) for expression in expressions]
        below = below.child
    if not isinstance(below, SourceQueryOperation) or below.pushed.changes_columns or below.change_column is not None:
        return node
    if below.source is None:
        return node
    if not isinstance(below.source, SupportsProjectionPushDown) or not below.source.supports_nested_projection:
        return node
    used = _paths(expressions)
    paths = sorted(path for path in used if not any(path[:length] in used for length in range(1, len(path))))
    if all(len(path) == 1 for path in paths):
        return node
    scan, places = _reading(below, paths, used)
    moved = [_moved(expression, places) for expression in expressions]
    rows: QueryOperation = scan
    end = len(moved)
    for one in reversed(between):
        start = end - len(one.expressions)
        rows = _with_expressions(one, moved[start:end], rows)
        end = start
    return ProjectQueryOperation(tuple(moved[:end]), node.names, rows)


def _with_expressions(node: QueryOperation, expressions: Sequence[ResolvedExpression], child: QueryOperation) -> QueryOperation:
    """Returns a node with other expressions over another child."""
    others = iter(expressions)
    return map_children_of(map_children_of(node, ResolvedExpression, lambda _: next(others)), QueryOperation, lambda _: child)


def _reading(
    scan: SourceQueryOperation, paths: Sequence[Path], types: dict[Path, LogicalType]
) -> tuple[SourceQueryOperation, dict[Path, FieldReferenceExpression]]:
    """Returns the scan that reads these paths, and the column of each path."""
    assert scan.source is not None
    width = len(scan.physical_schema.columns)
    readable = scan.resolved_schema.columns
    taken = {readable[path[0]].name for path in paths if len(path) == 1}
    columns, places = [], {}
    for position, path in enumerate(paths):
        column = readable[path[0]]
        name = column.name if len(path) == 1 else _free_name("_".join(_names(column, path)), taken)
        taken.add(name)
        columns.append(PhysicalColumn(name, types[path]))
        places[path] = FieldReferenceExpression(name, types[path], 0, position)
    physical = [path for path in paths if path[0] < width]
    metadata = [path[0] for path in paths if path[0] >= width]
    fields = [(column.name, column.data_type) for column in columns]
    source = scan.source.copy()
    assert isinstance(source, SupportsProjectionPushDown)
    source.apply_projection(physical, RowType.of(fields[: len(physical)], nullable=False))
    if isinstance(source, SupportsReadingMetadata) and scan.metadata_columns:
        keys = [scan.metadata_columns[position - width].key for position in metadata]
        source.apply_readable_metadata(keys, RowType.of(fields, nullable=False))
    nested = tuple(".".join(_names(readable[path[0]], path)) for path in physical if len(path) > 1)
    return scan.with_pushed(source, PushedProjection(tuple(paths), nested), ResolvedSchema(tuple(columns))), places


def _names(column: Column, path: Path) -> list[str]:
    """Returns the names along a path: the column, then its nested fields."""
    names, data_type = [column.name], column.data_type
    for position in path[1:]:
        assert isinstance(data_type, RowType)
        names.append(data_type.fields[position].name)
        data_type = data_type.fields[position].type
    return names


def _free_name(name: str, taken: set[str]) -> str:
    number, free = 0, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _paths(expressions: Sequence[ResolvedExpression]) -> dict[Path, LogicalType]:
    """Returns the columns and fields that the expressions use, each by the longest path, with their types."""
    found: dict[Path, LogicalType] = {}
    stack = list(expressions)
    while stack:
        expression = stack.pop()
        path = _path(expression)
        if path is not None:
            found[path] = expression.output_type
        else:
            stack.extend(children_of(expression, ResolvedExpression))
    return found


def _path(expression: ResolvedExpression) -> Path | None:
    """Returns the path of a column or of a field inside it, or None if the expression is neither."""
    steps: list[int] = []
    while isinstance(expression, CallExpression) and expression.function is collections.GET:
        row, name = expression.args
        if not isinstance(row.output_type, RowType) or not isinstance(name, ValueLiteralExpression):
            return None
        names = row.output_type.field_names
        if name.value not in names:
            return None
        steps.append(names.index(name.value))
        expression = row
    if not isinstance(expression, FieldReferenceExpression):
        return None
    return (expression.field_index, *reversed(steps))


def _moved(expression: ResolvedExpression, places: dict[Path, FieldReferenceExpression]) -> ResolvedExpression:
    path = _path(expression)
    if path is not None and path in places:
        return places[path]
    return map_children_of(expression, ResolvedExpression, lambda child: _moved(child, places))
