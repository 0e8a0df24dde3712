"""Moves filters towards the scans: through projections, sorts, aggregates and set operations, into the sides of joins.

``HAVING`` on grouping columns becomes a filter below the aggregate, and a condition of WHERE over both sides of an inner join becomes
part of the join's condition. If that is an OR, what it says about one side alone is also asked there, before the join:
``(a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)`` filters ``a`` by ``x = 1 OR x = 3``. What fixes a column of the preserved side of an outer
join to a constant also holds for the column of the other side that the join equates with it: ``a LEFT JOIN b ON a.x = b.x WHERE a.x = 1`` filters
``b`` too. (For the other joins runtime filters do that.)
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

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
    WindowQueryOperation,
)
from table_api.plan.calls import call
from table_api.plan.context import RuleContext
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    conjunction,
    conjuncts,
    disjunction,
    disjuncts,
    is_deterministic,
    map_references,
    references,
    written_size,
)
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import comparison
from table_common.tree import by_class, preorder, reader_counts, transform_down
from table_common.types import APPROXIMATE_NUMERICS

if TYPE_CHECKING:
    from table_api.operations import MatchRecognizeQueryOperation, UnnestQueryOperation, WindowTableFunctionQueryOperation


def push_filter_down(root: QueryOperation, context: RuleContext) -> QueryOperation:
    """Returns the plan with every filter as low as it can stand."""
    return transform_down(root, QueryOperation, _Pushing(root).push)


MOST_COPIES = 200
"""How often a filter moves into a part that others read too, which then is computed for each of them: without a limit, a chain of queries of
which each reads the one before twice would become exponentially many."""


class _Pushing:
    """One run of the rule over a plan."""

    def __init__(self, root: QueryOperation) -> None:
        readers = reader_counts(preorder(root, QueryOperation), QueryOperation)
        self._shared = {number for number, count in readers.items() if count > 1}
        self._copies = 0

    def push(self, node: QueryOperation) -> QueryOperation:
        """Moves a filter below the node under it, until it stays; a join's own one-sided conditions move too."""
        while isinstance(node, FilterQueryOperation):
            is_copy = id(node.child) in self._shared
            if is_copy and self._copies >= MOST_COPIES:
                return node
            moved = _through(node.child, node)
            if moved is node:
                return node
            self._copies += is_copy
            node = moved
        return _push_join_condition(node) if isinstance(node, JoinQueryOperation) else node


@by_class
def _through(child: QueryOperation, node: FilterQueryOperation) -> QueryOperation:
    """Returns the filter and the node below it with as much of the condition as possible below that; the filter itself, if it stays as it is."""
    return node


@_through.register(FilterQueryOperation)
def _filter(child: FilterQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    parts = dict.fromkeys([*conjuncts(child.condition), *conjuncts(node.condition)])
    return FilterQueryOperation(conjunction(list(parts)), child.child)


@_through.register(SortQueryOperation)
def _sort(child: SortQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    if child.fetch is not None or child.offset:
        return node
    return replace(child, child=FilterQueryOperation(node.condition, child.child))


@_through.register(DistinctQueryOperation)
def _distinct(child: DistinctQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    if not is_deterministic([node.condition]):
        return node
    return replace(child, child=FilterQueryOperation(node.condition, child.child))


@_through.register(SetQueryOperation)
def _set(child: SetQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    if not is_deterministic([node.condition]):
        return node
    return replace(child, inputs=tuple(FilterQueryOperation(node.condition, one) for one in child.inputs))


@_through.register_named("UnnestQueryOperation")
def _unnest(child: UnnestQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    return _below(node, child, range(len(child.child.resolved_schema.columns)))


MOST_NODES = 2_000
"""How many nodes a condition may have when it moves below a projection that computes what it is about."""


@_through.register(ProjectQueryOperation)
def _project(child: ProjectQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    used = [child.projection[position] for _, position in references([node.condition])]
    if not is_deterministic(used):
        return node
    condition = map_references(node.condition, lambda reference: child.projection[reference.field_index])
    if written_size(condition) > max(MOST_NODES, written_size(node.condition)):
        return node
    return replace(child, child=FilterQueryOperation(condition, child.child))


@_through.register(AggregateQueryOperation)
def _aggregate(child: AggregateQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    if child.grouping_sets is not None or not child.grouping:
        return node
    parts = conjuncts(node.condition)
    below = [p for p in parts if is_deterministic([p]) and all(i < len(child.grouping) for _, i in references([p]))]
    if not below:
        return node
    condition = map_references(conjunction(below), lambda reference: child.grouping[reference.field_index])
    pushed = replace(child, child=FilterQueryOperation(condition, child.child))
    rest = [part for part in parts if part not in below]
    return FilterQueryOperation(conjunction(rest), pushed) if rest else pushed


@_through.register(WindowQueryOperation)
def _window(child: WindowQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    """Drops whole partitions before they are computed."""
    return _below(node, child, {reference.field_index for reference in child.partition_by})


@_through.register_named("WindowTableFunctionQueryOperation")
def _window_table(child: WindowTableFunctionQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    """Drops rows before they are put into windows; those of a session only together with all others of their partition."""
    if child.window.is_aligned:
        return _below(node, child, range(len(child.child.resolved_schema.columns)))
    return _below(node, child, {reference.field_index for reference in child.partition_by})


@_through.register_named("MatchRecognizeQueryOperation")
def _match(child: MatchRecognizeQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    """Drops whole partitions before they are searched."""
    parts = conjuncts(node.condition)
    keys = child.partition_by
    below = [p for p in parts if is_deterministic([p]) and (used := references([p])) and all(i < len(keys) for _, i in used)]
    if not below:
        return node
    condition = map_references(conjunction(below), lambda reference: keys[reference.field_index])
    pushed = replace(child, child=FilterQueryOperation(condition, child.child))
    rest = [part for part in parts if part not in below]
    return FilterQueryOperation(conjunction(rest), pushed) if rest else pushed


def _below(
    node: FilterQueryOperation,
    child: WindowQueryOperation | WindowTableFunctionQueryOperation | UnnestQueryOperation,
    columns: Container[int],
) -> QueryOperation:
    """Moves what uses only some of the columns, which stand at the same places below."""
    parts = conjuncts(node.condition)
    below = [p for p in parts if is_deterministic([p]) and (used := references([p])) and all(i in columns for _, i in used)]
    if not below:
        return node
    pushed = replace(child, child=FilterQueryOperation(conjunction(below), child.child))
    rest = [part for part in parts if part not in below]
    return FilterQueryOperation(conjunction(rest), pushed) if rest else pushed


_LEFT_KEEPS = (JoinType.INNER, JoinType.LEFT_OUTER, JoinType.SEMI, JoinType.ANTI)
"""Joins in which a filter on left columns may run before the join."""
_RIGHT_KEEPS = (JoinType.INNER, JoinType.RIGHT_OUTER)


@_through.register(JoinQueryOperation)
def _join(join: JoinQueryOperation, node: FilterQueryOperation) -> QueryOperation:
    width = len(join.left.resolved_schema.columns)
    left, right, both, rest = [], [], [], []
    for part in conjuncts(node.condition):
        sides = {position < width for _, position in references([part])}
        if not is_deterministic([part]):
            rest.append(part)
        elif sides == {True} and join.join_type in _LEFT_KEEPS:
            left.append(on_side(part, join, 0))
        elif sides == {False} and join.join_type in _RIGHT_KEEPS:
            right.append(on_side(part, join, width))
        elif join.join_type is JoinType.INNER and sides:
            both.append(_over_both(part, width, join))
            left += [on_side(implied, join, 0) for implied in _implied(part, range(width))]
            right += [on_side(implied, join, width) for implied in _implied(part, range(width, len(join.resolved_schema.columns)))]
        else:
            rest.append(part)
    if not (left or right or both):
        return node
    if join.join_type in (JoinType.LEFT_OUTER, JoinType.ANTI):
        right = list(dict.fromkeys(_equated_constants(left, join.condition, 0)))
    elif join.join_type is JoinType.RIGHT_OUTER:
        left = list(dict.fromkeys(_equated_constants(right, join.condition, 1)))
    condition = [*(conjuncts(join.condition) if join.condition is not None else []), *both]
    moved: QueryOperation = replace(
        join,
        left=FilterQueryOperation(conjunction(left), join.left) if left else join.left,
        right=FilterQueryOperation(conjunction(right), join.right) if right else join.right,
        condition=conjunction(condition) if condition else None,
    )
    return FilterQueryOperation(conjunction(rest), moved) if rest else moved


def _equated_constants(
    parts: Iterable[ResolvedExpression], condition: ResolvedExpression | None, side: int
) -> Iterator[ResolvedExpression]:
    """Yields ``b = constant`` over the other input for each ``a = constant`` of ``parts``, over input ``side``, and ``a = b`` of a join's condition.

    The references of the parts and of the results have the input index 0, as in a filter. The columns must be of one type, so that the equality
    needs no cast, and not of floating-point numbers. No row without the constant can have a partner that has it.
    """
    equal = list(_equal_columns(condition, side))
    for part in parts:
        if not isinstance(part, CallExpression) or part.function is not comparison.EQUALS:
            continue
        column, constant = part.args if isinstance(part.args[0], FieldReferenceExpression) else reversed(part.args)
        if not isinstance(column, FieldReferenceExpression) or not isinstance(constant, ValueLiteralExpression):
            continue
        for position, other in equal:
            if position == column.field_index:
                yield call(comparison.EQUALS, other, constant)


def _equal_columns(condition: ResolvedExpression | None, side: int) -> Iterator[tuple[int, FieldReferenceExpression]]:
    """Yields the position of a column of one input and the column of the other that must be equal to it."""
    for part in conjuncts(condition) if condition is not None else ():
        if not isinstance(part, CallExpression) or part.function is not comparison.EQUALS:
            continue
        own, other = part.args if getattr(part.args[0], "input_index", None) == side else reversed(part.args)
        if not isinstance(own, FieldReferenceExpression) or not isinstance(other, FieldReferenceExpression):
            continue
        is_one_type = own.output_type.with_nullability(True) == other.output_type.with_nullability(True)
        if own.input_index == side != other.input_index and is_one_type and not isinstance(own.output_type, APPROXIMATE_NUMERICS):
            yield own.field_index, FieldReferenceExpression(other.name, other.output_type, 0, other.field_index)


def _implied(part: ResolvedExpression, columns: range) -> list[ResolvedExpression]:
    """Returns what follows from an OR for some of the columns alone: at most one condition."""
    found = []
    for alternative in disjuncts(part):
        own = [p for p in conjuncts(alternative) if (used := references([p])) and all(position in columns for _, position in used)]
        if not own:
            return []
        found.append(conjunction(own))
    return [disjunction(list(dict.fromkeys(found)))]


def on_side(part: ResolvedExpression, join: JoinQueryOperation, offset: int) -> ResolvedExpression:
    """Returns a part over the joined row as one over the side that begins at ``offset``."""
    columns = (join.right if offset else join.left).resolved_schema.columns

    def change(reference: FieldReferenceExpression) -> ResolvedExpression:
        position = reference.field_index - offset
        return FieldReferenceExpression(reference.name, columns[position].data_type, 0, position)

    return map_references(part, change)


def _over_both(part: ResolvedExpression, width: int, join: JoinQueryOperation) -> ResolvedExpression:
    def change(reference: FieldReferenceExpression) -> ResolvedExpression:
        if reference.field_index < width:
            return reference
        return FieldReferenceExpression(reference.name, reference.output_type, 1, reference.field_index - width)

    return map_references(part, change)


def _push_join_condition(join: JoinQueryOperation) -> QueryOperation:
    """Moves parts of ON that use one side into that side, where an unmatched row is dropped anyway."""
    if join.condition is None:
        return join
    into_left = join.join_type in (JoinType.INNER, JoinType.RIGHT_OUTER, JoinType.SEMI)
    into_right = join.join_type in (JoinType.INNER, JoinType.LEFT_OUTER, JoinType.SEMI, JoinType.ANTI)
    left: list[ResolvedExpression] = []
    right: list[ResolvedExpression] = []
    rest: list[ResolvedExpression] = []
    for part in conjuncts(join.condition):
        inputs = {index for index, _ in references([part])}
        if not is_deterministic([part]):
            rest.append(part)
        elif inputs == {0} and into_left:
            left.append(part)
        elif inputs == {1} and into_right:
            right.append(map_references(part, lambda r: FieldReferenceExpression(r.name, r.output_type, 0, r.field_index)))
        else:
            rest.append(part)
    if not left and not right:
        return join
    return replace(
        join,
        left=_filtered(join.left, left),
        right=_filtered(join.right, right),
        condition=conjunction(rest) if rest else None,
    )


def _filtered(side: QueryOperation, parts: Sequence[ResolvedExpression]) -> QueryOperation:
    return FilterQueryOperation(conjunction(parts), side) if parts else side
