"""Column pruning per kind of node: the columns of its inputs that a node uses, and the node over narrower inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    FromChangelogQueryOperation,
    JoinQueryOperation,
    JoinType,
    MatchRecognizeQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    SortQueryOperation,
    TemporalJoinQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    VersionedJoinQueryOperation,
    WatermarkQueryOperation,
    WindowCall,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_api.operations.changelog import ChangelogNormalizeQueryOperation, DeduplicateQueryOperation, RankQueryOperation
from table_api.plan.pattern_columns import input_expressions, over_moved_columns
from table_api.plan.row_count_column import row_count_column
from table_api.plan.shared_scan import SharedScanQueryOperation
from table_common.catalog import ResolvedSchema
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, map_references, references, remap
from table_common.frozen_dataclass import replace
from table_common.tree import TypeDispatch, inputs_first, map_children_of

__all__ = ["Pruned", "identity", "is_known", "needed_columns", "picked", "rebuilt", "restore"]

Columns = frozenset[int]
Pruned = tuple[QueryOperation, dict[int, int]]
"""The new node, and for each old column that is still there its new position."""

_needs: TypeDispatch[[Columns], list[Columns]] = TypeDispatch("Column pruning")
_rebuild: TypeDispatch[[Columns, Sequence[Pruned]], Pruned] = TypeDispatch("Column pruning")


def needed_columns(root: QueryOperation) -> dict[int, Columns]:
    """Returns the positions of the columns that the parents of each node use, by the ``id`` of the node."""
    needed: dict[int, Columns] = {id(root): _all(root)}
    for node in reversed(inputs_first([root], QueryOperation)):
        used = needed[id(node)] = needed[id(node)] or frozenset({row_count_column(node)})
        for child, columns in zip(node.children, _needed_of_children(node, used), strict=True):
            needed[id(child)] = needed.get(id(child), frozenset()) | columns
    return needed


def rebuilt(node: QueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    """Returns the node over its pruned children, with at least the columns in ``needed``."""
    if is_known(node):
        return _rebuild(node, needed, children)
    # Nodes without a handler, such as those of an engine, keep all their columns.
    replacements = iter([restore(child, old.resolved_schema) for child, old in zip(children, node.children, strict=True)])
    return map_children_of(node, QueryOperation, lambda _: next(replacements)), identity(node)


def picked(node: QueryOperation, needed: Columns) -> Pruned:
    """Returns a projection of the needed columns of a node; the node itself if all are needed."""
    if len(needed) == len(node.resolved_schema.columns):
        return node, identity(node)
    return _picked(node, sorted(needed)), _narrow(needed)


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


def _needed_of_children(node: QueryOperation, needed: Columns) -> list[Columns]:
    if is_known(node):
        return _needs(node, needed)
    return [_all(child) for child in node.children]


def _all(node: QueryOperation) -> Columns:
    return frozenset(range(len(node.resolved_schema.columns)))


def identity(node: QueryOperation) -> dict[int, int]:
    """Returns the identity mapping of column positions, for a node whose columns do not move."""
    return {position: position for position in range(len(node.resolved_schema.columns))}


def _used(expressions: Sequence[ResolvedExpression], input_index: int = 0) -> Columns:
    return frozenset(position for index, position in references(expressions) if index == input_index)


def _narrow(positions: Columns) -> dict[int, int]:
    return {old: new for new, old in enumerate(sorted(positions))}


# --- projection -------------------------------------------------------------------------------------------------------------------


@_needs.register(ProjectQueryOperation)
def _needs_project(node: ProjectQueryOperation, needed: Columns) -> list[Columns]:
    return [_used([node.projection[i] for i in needed])]


@_rebuild.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    kept = sorted(needed)
    projection = tuple(remap(node.projection[i], moved) for i in kept)
    return ProjectQueryOperation(projection, tuple(node.names[i] for i in kept), child), _narrow(needed)


# --- nodes that keep their input's columns ----------------------------------------------------------------------------------------


def _needs_rows(node: QueryOperation, needed: Columns) -> list[Columns]:
    return [needed | _used(node.expressions)]


def _rows(node: QueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    over_moved = map_children_of(node, ResolvedExpression, lambda expression: remap(expression, moved))
    return map_children_of(over_moved, QueryOperation, lambda _: child), moved


for _same_columns in (
    FilterQueryOperation,
    SortQueryOperation,
    WatermarkQueryOperation,
    SharedScanQueryOperation,
    DeduplicateQueryOperation,
    ChangelogNormalizeQueryOperation,
):
    _needs.register(_same_columns)(_needs_rows)
    _rebuild.register(_same_columns)(_rows)


@_needs.register(RankQueryOperation)
def _needs_rank(node: RankQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.child.resolved_schema.columns)
    return [frozenset(i for i in needed if i < width) | _used(node.expressions)]


@_rebuild.register(RankQueryOperation)
def _rank(node: RankQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    width = len(node.child.resolved_schema.columns)
    is_ranked = node.rank_name is not None and width in needed
    new, moved = _rows(node if is_ranked else replace(node, rank_name=None), needed, children)
    return new, moved if not is_ranked else moved | {width: len(children[0][0].resolved_schema.columns)}


# TO_CHANGELOG keeps all columns: each change of its input is a row, and an aggregate over fewer columns would have fewer changes.
@_needs.register(FromChangelogQueryOperation)
def _needs_from_changelog(node: FromChangelogQueryOperation, needed: Columns) -> list[Columns]:
    op = node.op.field_index
    return [frozenset({op, *(i + (i >= op) for i in needed)})]


@_rebuild.register(FromChangelogQueryOperation)
def _from_changelog(node: FromChangelogQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    new, moved = _rows(node, needed, children)
    old_op, op = node.op.field_index, moved[node.op.field_index]
    return new, {old - (old > old_op): position - (position > op) for old, position in moved.items() if old != old_op}


@_needs.register(DistinctQueryOperation)
def _needs_distinct(node: DistinctQueryOperation, needed: Columns) -> list[Columns]:
    return [_all(node.child)]


@_rebuild.register(DistinctQueryOperation)
def _distinct(node: DistinctQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    return replace(node, child=restore(children[0], node.child.resolved_schema)), identity(node)


@_needs.register(UnnestQueryOperation)
def _needs_unnest(node: UnnestQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.child.resolved_schema.columns)
    return [frozenset(i for i in needed if i < width) | _used([node.expression])]


@_rebuild.register(UnnestQueryOperation)
def _unnest(node: UnnestQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    old_width, width = len(node.child.resolved_schema.columns), len(child.resolved_schema.columns)
    elements = {old_width + i: width + i for i in range(len(node.names))}
    return replace(node, child=child, expression=remap(node.expression, moved)), moved | elements


# --- aggregate --------------------------------------------------------------------------------------------------------------------


def _call_inputs(call: AggregateCall) -> list[ResolvedExpression]:
    return [*call.args, *([call.filter] if call.filter is not None else []), *(order.expression for order in call.order_by)]


@_needs.register(AggregateQueryOperation)
def _needs_aggregate(node: AggregateQueryOperation, needed: Columns) -> list[Columns]:
    calls = [call for i, call in enumerate(node.aggregates, len(node.grouping)) if i in needed]
    return [_used([*node.grouping, *(e for call in calls for e in _call_inputs(call))])]


@_rebuild.register(AggregateQueryOperation)
def _aggregate(node: AggregateQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    width = len(node.grouping)

    def reference(old: FieldReferenceExpression) -> FieldReferenceExpression:
        return FieldReferenceExpression(old.name, old.output_type, 0, moved[old.field_index])

    kept = [i for i in range(len(node.aggregates)) if width + i in needed]
    calls = tuple(_move_call(node.aggregates[i], reference) for i in kept)
    names = (*node.names[:width], *(node.names[width + i] for i in kept))
    new = replace(node, grouping=tuple(map(reference, node.grouping)), aggregates=calls, names=names, child=child)
    positions = {i: i for i in range(width)} | {width + old: width + position for position, old in enumerate(kept)}
    if node.grouping_sets is not None:
        positions[width + len(node.aggregates)] = width + len(kept)
    return new, positions


def _move_call(call: AggregateCall, reference: Callable[[FieldReferenceExpression], FieldReferenceExpression]) -> AggregateCall:
    return replace(
        call,
        args=tuple(map(reference, call.args)),
        filter=reference(call.filter) if call.filter is not None else None,
        order_by=tuple(replace(order, expression=map_references(order.expression, reference)) for order in call.order_by),
    )


# --- windows -----------------------------------------------------------------------------------------------------------------------


def _window_inputs(call: WindowCall) -> list[ResolvedExpression]:
    return [*call.args, *([call.filter] if call.filter is not None else [])]


@_needs.register(WindowQueryOperation)
def _needs_window(node: WindowQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.child.resolved_schema.columns)
    calls = [call for i, call in enumerate(node.calls) if width + i in needed]
    below = frozenset(i for i in needed if i < width)
    if not calls:
        return [below]
    keys = [*node.partition_by, *(order.expression for order in node.order_by)]
    return [below | _used([*keys, *(e for call in calls for e in _window_inputs(call))])]


@_rebuild.register(WindowQueryOperation)
def _window(node: WindowQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    old_width, width = len(node.child.resolved_schema.columns), len(child.resolved_schema.columns)
    kept = [i for i in range(len(node.calls)) if old_width + i in needed]
    if not kept:
        # Differs from Flink: an unused OVER is removed, so its late rows are kept. Flink keeps it below a filter or an aggregate.
        return child, moved

    def reference(old: FieldReferenceExpression) -> FieldReferenceExpression:
        return FieldReferenceExpression(old.name, old.output_type, 0, moved[old.field_index])

    new = WindowQueryOperation(
        tuple(map(reference, node.partition_by)),
        tuple(replace(order, expression=remap(order.expression, moved)) for order in node.order_by),
        tuple(map_children_of(node.calls[i], FieldReferenceExpression, reference) for i in kept),
        tuple(node.names[i] for i in kept),
        child,
    )
    return new, moved | {old_width + old: width + position for position, old in enumerate(kept)}


@_needs.register(WindowTableFunctionQueryOperation)
def _needs_window_table(node: WindowTableFunctionQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.child.resolved_schema.columns)
    return [frozenset(i for i in needed if i < width) | _used([node.time, *node.partition_by])]


@_rebuild.register(WindowTableFunctionQueryOperation)
def _window_table(node: WindowTableFunctionQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    child, moved = children[0]
    old_width, width = len(node.child.resolved_schema.columns), len(child.resolved_schema.columns)

    def reference(old: FieldReferenceExpression) -> FieldReferenceExpression:
        return FieldReferenceExpression(old.name, old.output_type, 0, moved[old.field_index])

    new = replace(node, child=child, time=reference(node.time), partition_by=tuple(map(reference, node.partition_by)))
    return new, moved | {old_width + i: width + i for i in range(len(node.names))}


@_needs.register(MatchRecognizeQueryOperation)
def _needs_match(node: MatchRecognizeQueryOperation, needed: Columns) -> list[Columns]:
    return [_used(input_expressions(node, [i for i in range(len(node.measures)) if len(node.partition_by) + i in needed]))]


@_rebuild.register(MatchRecognizeQueryOperation)
def _match(node: MatchRecognizeQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    (child, moved), keys = children[0], len(node.partition_by)
    kept = [i for i in range(len(node.measures)) if keys + i in needed]
    positions = {i: i for i in range(keys)} | {keys + old: keys + new for new, old in enumerate(kept)}
    return over_moved_columns(node, child, moved, kept), positions


# --- join -------------------------------------------------------------------------------------------------------------------------


@_needs.register(JoinQueryOperation)
def _needs_join(node: JoinQueryOperation, needed: Columns) -> list[Columns]:
    width = len(node.left.resolved_schema.columns)
    condition = [node.condition] if node.condition is not None else []
    of_side = frozenset(i for i in needed if i < width), frozenset(i - width for i in needed if i >= width)
    return [columns | _used(condition, side) for side, columns in enumerate(of_side)]


@_needs.register(VersionedJoinQueryOperation)
def _needs_versioned_join(node: VersionedJoinQueryOperation, needed: Columns) -> list[Columns]:
    join = JoinQueryOperation(node.left, node.right, node.join_type, node.condition)
    return [columns | _used(node.times, side) for side, columns in enumerate(_needs_join(join, needed))]


@_rebuild.register(VersionedJoinQueryOperation)
def _versioned_join(node: VersionedJoinQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    join, positions = _join(JoinQueryOperation(node.left, node.right, node.join_type, node.condition), needed, children)
    assert isinstance(join, JoinQueryOperation)
    moved = tuple(replace(time, field_index=children[side][1][time.field_index]) for side, time in enumerate(node.times))
    return replace(node, left=join.left, right=join.right, condition=join.condition, times=moved), positions


@_rebuild.register(JoinQueryOperation)
def _join(node: JoinQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    (left, left_moved), (right, right_moved) = children
    width, new_width = len(node.left.resolved_schema.columns), len(left.resolved_schema.columns)

    def change(reference: FieldReferenceExpression) -> ResolvedExpression:
        return replace(reference, field_index=children[reference.input_index][1][reference.field_index])

    condition = map_references(node.condition, change) if node.condition is not None else None
    positions = dict(left_moved)
    if node.join_type not in (JoinType.SEMI, JoinType.ANTI):
        positions |= {width + old: new_width + new for old, new in right_moved.items()}
    return replace(node, left=left, right=right, condition=condition), positions


_needs.register(TemporalJoinQueryOperation)(_needs_join)
_rebuild.register(TemporalJoinQueryOperation)(_join)


# --- set operations and values ----------------------------------------------------------------------------------------------------


@_needs.register(SetQueryOperation)
def _needs_set(node: SetQueryOperation, needed: Columns) -> list[Columns]:
    columns = needed if node.kind is SetOperationType.UNION and node.all else _all(node)
    return [columns] * len(node.inputs)


@_rebuild.register(SetQueryOperation)
def _set(node: SetQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    columns = needed if node.kind is SetOperationType.UNION and node.all else _all(node)
    kept = sorted(columns)
    sides = []
    for pruned, old in zip(children, node.inputs, strict=True):
        schema = ResolvedSchema(tuple(old.resolved_schema.columns[i] for i in kept))
        sides.append(restore((pruned[0], {new: pruned[1][i] for new, i in enumerate(kept)}), schema))
    return replace(node, inputs=tuple(sides), types=tuple(node.types[i] for i in kept)), _narrow(columns)


@_needs.register(ValuesQueryOperation)
def _needs_values(node: ValuesQueryOperation, needed: Columns) -> list[Columns]:
    return []


@_rebuild.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, needed: Columns, children: Sequence[Pruned]) -> Pruned:
    kept = sorted(needed)
    schema = ResolvedSchema(tuple(node.schema.columns[i] for i in kept))
    return ValuesQueryOperation(tuple(tuple(row[i] for i in kept) for row in node.rows), schema), _narrow(needed)


def is_known(node: QueryOperation) -> bool:
    """Returns whether nodes of this class can be pruned; other nodes use and keep all columns."""
    return not _rebuild.missing([type(node)])
