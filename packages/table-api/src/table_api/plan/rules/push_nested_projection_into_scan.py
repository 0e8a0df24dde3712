"""Pushes nested projections into sources: a source that supports it reads only the used fields of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass
from table_common.functions.builtin import collections
from table_common.tree import children_of, map_children_of, preorder, reader_counts, transform_down
from table_common.types import LogicalType, RowType

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
    def origins(self, readable: Sequence[Column]) -> Sequence[str]:
        return [".".join(_names(readable[path[0]], path)) for path in self.paths]

    @override
    def summary_details(self) -> Iterator[tuple[str, Any]]:
        if self.nested:
            yield "nested", list(self.nested)


def push_nested_projection_into_scan(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Replaces nested fields by columns of the source, below a projection with at most a filter, a watermark and computed columns above the scan.

    A row that is also used as a whole is read as a whole.
    """

    readers = reader_counts(preorder(root, QueryOperation), QueryOperation)
    # Downwards: the projection above a watermark says which fields the one below it needs.
    return transform_down(root, QueryOperation, lambda node: _pushed(node, readers), of=ProjectQueryOperation)


def _pushed(node: ProjectQueryOperation, readers: Mapping[int, int]) -> QueryOperation:
    below = node.child
    between: list[QueryOperation] = []
    while isinstance(below, FilterQueryOperation | WatermarkQueryOperation):
        between.append(below)
        below = below.child
    # The projection is left by column pruning, or has the computed columns of the table.
    lower = below if isinstance(below, ProjectQueryOperation) else None
    scan = below if lower is None else lower.child
    if not isinstance(scan, SourceQueryOperation) or not _accepts_paths(scan):
        return node
    if any(readers[id(one)] > 1 for one in (*between, *([] if lower is None else [lower]), scan)):
        return node  # a table that is read once stays so
    expressions = [*node.projection, *(expression for one in between for expression in one.expressions)]
    own = _paths(expressions)
    columns = {path[0]: path[0] for path in own}
    computed: dict[int, ResolvedExpression] = {}
    if lower is not None:
        below_paths = {position: _path(lower.projection[position]) for position in columns}
        columns = {position: path[0] for position, path in below_paths.items() if path is not None and len(path) == 1}
        computed = {position: lower.projection[position] for position in below_paths if position not in columns}
    direct = {(columns[path[0]], *path[1:]): type_ for path, type_ in own.items() if path[0] in columns}
    used = {**_paths(list(computed.values())), **direct}
    paths = sorted(path for path in used if not any(path[:length] in used for length in range(1, len(path))))
    if all(len(path) == 1 for path in paths):
        return node
    reading, places = _reading(scan, paths, used)
    rows: QueryOperation = reading
    if lower is not None and computed:
        passed = [path for path in paths if any(other[: len(path)] == path for other in direct)]
        projection = [*(places[path] for path in passed), *(_moved(expression, places) for expression in computed.values())]
        names = [places[path].name for path in passed]
        for position in computed:
            names.append(_free_name(lower.names[position], set(names)))
        rows = ProjectQueryOperation(tuple(projection), tuple(names), reading)
        produced = [FieldReferenceExpression(names[i], one.output_type, 0, i) for i, one in enumerate(projection)]
        places = dict(zip(passed, produced, strict=False))
        moves: dict[Path, FieldReferenceExpression] = {(position,): produced[len(passed) + i] for i, position in enumerate(computed)}
    else:
        moves = {}
    for position, column in columns.items():
        moves.update({(position, *path[1:]): place for path, place in places.items() if path[0] == column})
    moved = [_moved(expression, moves) for expression in expressions]
    end = len(moved)
    for one in reversed(between):
        start = end - len(one.expressions)
        rows = _with_expressions(one, moved[start:end], rows)
        end = start
    return ProjectQueryOperation(tuple(moved[:end]), node.names, rows)


def _accepts_paths(scan: SourceQueryOperation) -> bool:
    """Whether the source of a scan can still be told which nested fields to read."""
    if scan.pushed.changes_columns or scan.change_column is not None or scan.source is None:
        return False
    return isinstance(scan.source, SupportsProjectionPushDown) and scan.source.supports_nested_projection


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
    taken = {column.name for column in readable}
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
