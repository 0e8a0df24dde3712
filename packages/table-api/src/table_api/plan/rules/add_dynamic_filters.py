"""Adds runtime filters: a scan on one side of a join reads the keys of the other side first and skips partitions without them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from table_api.delegation import Planner
from table_api.operations import (
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SourceQueryOperation,
    ValuesQueryOperation,
)
from table_api.plan.context import RuleContext
from table_api.plan.rules.push_filter_into_scan import PushedFilters
from table_api.plan.rules.push_nested_projection_into_scan import PushedProjection
from table_api.plan.rules.push_partition_into_scan import PushedPartitions
from table_common.configuration import OptimizerConfigOptions
from table_common.connector.source.abilities import SupportsDynamicFiltering
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    conjuncts,
    is_deterministic,
    map_references,
    references,
)
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions.builtin import comparison, conversion
from table_common.tree import by_class, children_of, nodes_of, preorder, reader_counts, transform_up
from table_common.types import EXACT_INTEGERS, BooleanType, DateType, DecimalType, LogicalType, VarCharType, holds_integers_of

FILTERED_SIDES: dict[JoinType, tuple[int, ...]] = {
    JoinType.INNER: (0, 1),
    JoinType.SEMI: (0, 1),
    JoinType.LEFT_OUTER: (1,),
    JoinType.RIGHT_OUTER: (0,),
}
"""The inputs of a join that may be filtered by the keys of the other input: never a side whose unmatched rows are kept."""
KEPT_SIDES: dict[JoinType, tuple[int, ...]] = {
    JoinType.INNER: (0, 1),
    JoinType.SEMI: (0,),
    JoinType.ANTI: (0,),
    JoinType.LEFT_OUTER: (0,),
    JoinType.RIGHT_OUTER: (1,),
}
"""The inputs of a join from which rows may be removed if no output row with their values is needed."""


def add_dynamic_filters(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Adds the other side of a join to a scan's ``dynamic_filters`` where that side is filtered and estimated to have fewer rows.

    The other side is then shared by the join and the scan; engines run it once. A scan that is itself shared is not changed.
    """
    planner = context.planner
    if planner is None or not planner.capabilities.dynamic_filtering:
        return root
    scans = nodes_of(root, QueryOperation, SourceQueryOperation)
    if not any(isinstance(scan.source, SupportsDynamicFiltering) for scan in scans) or not context.session.configuration.get(
        OptimizerConfigOptions.TABLE_OPTIMIZER_DYNAMIC_FILTERING_ENABLED
    ):
        return root
    changed = True
    while changed:
        changed = False
        readers = reader_counts(preorder(root, QueryOperation), QueryOperation)
        for join in nodes_of(root, QueryOperation, JoinQueryOperation):
            filtered = next(_filtered(join, readers, planner), None)
            if filtered is not None:
                root = _replaced(root, join, filtered)
                changed = True
                break  # the parents of nodes have changed
    return root


def _replaced(root: QueryOperation, old: QueryOperation, new: QueryOperation) -> QueryOperation:
    return transform_up(root, QueryOperation, lambda node: new if node is old else node)


@dataclass(frozen=True, slots=True)
class _Key:
    """A column of a scan, and the expression over the other side of the join that it equals."""

    name: str
    value: ResolvedExpression


def _filtered(join: JoinQueryOperation, readers: Counter[int], planner: Planner) -> Iterator[JoinQueryOperation]:
    """Yields the join with a runtime filter added to one of its scans, for each scan that accepts one."""
    for side in FILTERED_SIDES.get(join.join_type, ()):
        fact, dimension = (join.left, join.right) if side == 0 else (join.right, join.left)
        if not _is_filtered(dimension):
            continue
        found: dict[int, tuple[SourceQueryOperation, list[_Key]]] = {}
        for part in conjuncts(join.condition) if join.condition is not None else ():
            for column, value in _equal(part, side):
                scan, position = _scan_of(fact, column.field_index, readers)
                key = _key(scan, position, value) if scan is not None else None
                if scan is not None and key is not None:
                    found.setdefault(id(scan), (scan, []))[1].append(key)
        for scan, keys in found.values():
            if not _is_smaller(join, dimension, scan, planner):
                continue
            changed = _replaced(fact, scan, _waiting(scan, keys, dimension))
            yield replace(join, left=changed) if side == 0 else replace(join, right=changed)


def _equal(part: ResolvedExpression, side: int) -> Iterator[tuple[FieldReferenceExpression, ResolvedExpression]]:
    """Yields a column of one input of a join and what it equals, over the other input as input 0."""
    if not isinstance(part, CallExpression) or part.function is not comparison.EQUALS:
        return
    for one, other in (part.args, part.args[::-1]):
        column = _without_widening(one)
        inputs = {index for index, _ in references([other])}
        if (
            isinstance(column, FieldReferenceExpression)
            and column.input_index == side
            and inputs == {1 - side}
            and is_deterministic([other])
        ):
            yield column, map_references(other, lambda reference: replace(reference, input_index=0))


def _without_widening(expression: ResolvedExpression) -> ResolvedExpression:
    """Removes widening casts of integers, which change no value."""
    while (
        isinstance(expression, CallExpression)
        and expression.function is conversion.CAST
        and holds_integers_of(expression.output_type, expression.args[0].output_type)
    ):
        expression = expression.args[0]
    return expression


def _scan_of(node: QueryOperation, position: int, readers: Counter[int]) -> tuple[SourceQueryOperation | None, int]:
    """Returns the scan that a column of ``node`` comes from, unchanged, if leaving out its rows leaves out rows of that value only."""
    while readers[id(node)] == 1:  # other parents would miss the rows
        if isinstance(node, SourceQueryOperation):
            return node, position
        origin = _origin(node, position)
        if origin is None:
            break
        node, position = origin
    return None, 0


@by_class
def _origin(node: QueryOperation, position: int) -> tuple[QueryOperation, int] | None:
    """Returns the input and its column that a column of a node is, if leaving out rows of the input leaves out rows of that value only."""
    return None


@_origin.register(FilterQueryOperation, DistinctQueryOperation)
def _same(node: FilterQueryOperation | DistinctQueryOperation, position: int) -> tuple[QueryOperation, int]:
    return node.child, position


@_origin.register(AggregateQueryOperation)
def _key_of_group(node: AggregateQueryOperation, position: int) -> tuple[QueryOperation, int] | None:
    if node.grouping_sets is not None or position >= len(node.grouping):
        return None
    return node.child, node.grouping[position].field_index  # rows with other values are in other groups


@_origin.register(ProjectQueryOperation)
def _projected(node: ProjectQueryOperation, position: int) -> tuple[QueryOperation, int] | None:
    column = _without_widening(node.projection[position])
    return (node.child, column.field_index) if isinstance(column, FieldReferenceExpression) else None


@_origin.register(JoinQueryOperation)
def _joined(node: JoinQueryOperation, position: int) -> tuple[QueryOperation, int] | None:
    width = len(node.left.resolved_schema.columns)
    side = 0 if position < width else 1
    if side not in KEPT_SIDES.get(node.join_type, ()):
        return None
    return (node.left, position) if side == 0 else (node.right, position - width)


def _key(scan: SourceQueryOperation, position: int, value: ResolvedExpression) -> _Key | None:
    """Returns the key, if the scan's source accepts it as a runtime filter and has no such filter yet."""
    source = scan.source
    if source is None or scan.pushed.reduces_rows or not isinstance(source, SupportsDynamicFiltering):
        return None
    if scan.change_column is not None or not _is_comparable(scan.resolved_schema.columns[position].data_type, value.output_type):
        return None
    projection = scan.pushed.get(PushedProjection)
    if projection is not None:
        path = projection.paths[position]
        if len(path) != 1:
            return None
        position = path[0]
    names = scan.physical_schema.column_names
    if position >= len(names) or names[position] not in source.list_accepted_filter_fields():
        return None
    if any(names[position] in query.resolved_schema.column_names for query in scan.dynamic_filters):
        return None
    return _Key(names[position], value)


def _is_comparable(one: LogicalType, other: LogicalType) -> bool:
    """Returns whether values that are equal in SQL are equal, and hash alike, in Python."""
    if isinstance(one, EXACT_INTEGERS) and isinstance(other, EXACT_INTEGERS):
        return True
    if isinstance(one, VarCharType) and isinstance(other, VarCharType):
        return True
    return isinstance(one, BooleanType | DateType | DecimalType) and one.with_nullability(True) == other.with_nullability(True)


def _waiting(scan: SourceQueryOperation, keys: Sequence[_Key], dimension: QueryOperation) -> SourceQueryOperation:
    keys = list({key.name: key for key in keys}.values())
    query = ProjectQueryOperation(tuple(key.value for key in keys), tuple(key.name for key in keys), dimension)
    filters = (*scan.dynamic_filters, query)
    assert scan.source is not None
    source = scan.source.copy()
    assert isinstance(source, SupportsDynamicFiltering)
    source.apply_dynamic_filtering([name for one in filters for name in one.resolved_schema.column_names])
    return replace(scan, source=source, dynamic_filters=filters)


def _is_filtered(dimension: QueryOperation) -> bool:
    """Returns whether the subplan is a filtered table or constant rows, deterministic, and contains no join.

    The engine's join reordering could split a join, which would then run twice.
    """
    found = False
    node: QueryOperation | None = dimension
    while node is not None:
        if not is_deterministic(children_of(node, ResolvedExpression)):
            return False
        is_filter, node = _step(node)
        if is_filter is None:
            return False
        found = found or is_filter
    return found


_Step = tuple[bool | None, QueryOperation | None]
"""Whether a node leaves out rows, None if it may not be part of a filter, and the node below it."""


@by_class
def _step(node: QueryOperation) -> _Step:
    return None, None


@_step.register(FilterQueryOperation)
def _filter_step(node: FilterQueryOperation) -> _Step:
    return True, node.child


@_step.register(ProjectQueryOperation, DistinctQueryOperation)
def _row_step(node: ProjectQueryOperation | DistinctQueryOperation) -> _Step:
    return False, node.child


@_step.register(ValuesQueryOperation)
def _values_step(node: ValuesQueryOperation) -> _Step:
    return True, None


@_step.register(SourceQueryOperation)
def _scan_step(node: SourceQueryOperation) -> _Step:
    return None if node.pushed.reduces_rows else node.pushed.has(PushedFilters, PushedPartitions), None


def _is_smaller(join: JoinQueryOperation, dimension: QueryOperation, scan: SourceQueryOperation, planner: Planner) -> bool:
    rows = planner.estimated_rows(join)
    return rows is None or rows(dimension) < rows(scan)
