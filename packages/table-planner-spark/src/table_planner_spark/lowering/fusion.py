"""Merges adjacent nodes before lowering: each subquery in FROM costs milliseconds, and Spark compiles each separately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from table_api.operations import AggregateCall, AggregateQueryOperation, FilterQueryOperation, ProjectQueryOperation, QueryOperation
from table_common.expressions import (
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
    conjunction,
    conjuncts,
    is_deterministic,
    map_references,
)
from table_common.tree import by_class, fold, map_children_of, preorder, reader_counts

_SMALL = (FieldReferenceExpression, ValueLiteralExpression, TypeLiteralExpression)


def fuse(operation: QueryOperation) -> QueryOperation:
    """Returns an equivalent plan with fewer nodes."""
    readers = reader_counts(preorder(operation, QueryOperation), QueryOperation)
    shared: dict[int, QueryOperation] = {}

    def combine(node: QueryOperation, children: Sequence[QueryOperation]) -> QueryOperation:
        remaining = iter(children)
        fused = _join(map_children_of(node, QueryOperation, lambda _: next(remaining)), shared)
        if readers[id(node)] > 1:
            shared[id(fused)] = fused
        return fused

    return fold(operation, QueryOperation, combine)


@by_class
def _join(node: QueryOperation, shared: Container[int]) -> QueryOperation:
    return node


@_join.register(FilterQueryOperation)
def _merge_conditions(outer: FilterQueryOperation, shared: Container[int]) -> QueryOperation:
    inner = outer.child
    if not isinstance(inner, FilterQueryOperation):
        return outer
    # The inner conjuncts come first: they may remove rows for which the outer ones would fail.
    return FilterQueryOperation(conjunction([*conjuncts(inner.condition), *conjuncts(outer.condition)]), inner.child)


@_join.register(ProjectQueryOperation)
def _merge(outer: ProjectQueryOperation, shared: Container[int]) -> QueryOperation:
    inner = outer.child
    if not isinstance(inner, ProjectQueryOperation) or id(inner) in shared:
        return outer
    uses = Counter(reference.field_index for expression in outer.projection for reference in _occurrences(expression))
    if any(uses[index] > 1 and not isinstance(e, _SMALL) for index, e in enumerate(inner.projection)):
        return outer  # computing it twice costs more than a subquery
    if not is_deterministic(inner.projection):
        return outer
    merged = tuple(map_references(expression, lambda reference: inner.projection[reference.field_index]) for expression in outer.projection)
    return ProjectQueryOperation(merged, outer.names, inner.child)


@_join.register(AggregateQueryOperation)
def _compute_in_calls(outer: AggregateQueryOperation, shared: Container[int]) -> QueryOperation:
    """Moves each expression that only one call uses into the call. Often only columns of the input remain in the projection."""
    inner = outer.child
    if outer.grouping_sets is not None or not isinstance(inner, ProjectQueryOperation) or id(inner) in shared:
        return outer
    uses = Counter(reference.field_index for reference in columns_of(outer))
    moves = [_may_move(call, inner) and uses[call.args[0].field_index] == 1 for call in outer.aggregates]
    if not any(moves) or not is_deterministic(inner.projection):
        return outer
    below = _Columns(inner)
    calls = []
    for call, moved in zip(outer.aggregates, moves, strict=True):
        if moved:
            argument = map_references(inner.projection[call.args[0].field_index], below.passed)
            calls.append(replace(call, args=(argument,)))  # type: ignore[arg-type]
        else:
            filtered = None if call.filter is None else below.kept(call.filter)
            orders = tuple(replace(order, expression=map_references(order.expression, below.kept)) for order in call.order_by)
            calls.append(replace(call, args=tuple(map(below.kept, call.args)), filter=filtered, order_by=orders))
    grouping = tuple(map(below.kept, outer.grouping))
    return AggregateQueryOperation(grouping, tuple(calls), outer.names, below.input())


def columns_of(node: AggregateQueryOperation) -> Iterator[FieldReferenceExpression]:
    """Yields the child's columns that an aggregate uses, once for each use."""
    yield from node.grouping
    for call in node.aggregates:
        yield from call.args
        if call.filter is not None:
            yield call.filter
        for order in call.order_by:
            yield from _occurrences(order.expression)


def _may_move(call: AggregateCall, inner: ProjectQueryOperation) -> bool:
    """Returns whether the call would evaluate its argument for every row, as the projection does; with a FILTER it would not."""
    if call.function.is_user_defined or len(call.args) != 1 or call.filter is not None or call.order_by:
        return False
    return not isinstance(inner.projection[call.args[0].field_index], _SMALL)


class _Columns:
    """Collects the columns of the new projection: those of the old one that are still used, and input columns that moved expressions use."""

    def __init__(self, project: ProjectQueryOperation) -> None:
        self._project = project
        self._positions: dict[ResolvedExpression, int] = {}
        self._names: list[str] = []

    def kept(self, reference: FieldReferenceExpression) -> FieldReferenceExpression:
        """Adds a column of the old projection; returns the reference to it."""
        return self._reference(self._project.projection[reference.field_index], self._project.names[reference.field_index])

    def passed(self, reference: FieldReferenceExpression) -> FieldReferenceExpression:
        """Adds a column of the old projection's input; returns the reference to it."""
        return self._reference(reference, reference.name)

    def _reference(self, expression: ResolvedExpression, name: str) -> FieldReferenceExpression:
        position = self._positions.setdefault(expression, len(self._positions))
        if position == len(self._names):
            self._names.append(name)
        return FieldReferenceExpression(self._names[position], expression.output_type, 0, position)

    def input(self) -> QueryOperation:
        """Returns the new projection."""
        return ProjectQueryOperation(tuple(self._positions), tuple(self._names), self._project.child)


def _occurrences(expression: ResolvedExpression) -> list[FieldReferenceExpression]:
    """Returns every reference as often as it occurs (a shared node counts each time)."""

    def combine(node: ResolvedExpression, children: Sequence[list[FieldReferenceExpression]]) -> list[FieldReferenceExpression]:
        if isinstance(node, FieldReferenceExpression):
            return [node]
        return [reference for child in children for reference in child]

    return fold(expression, ResolvedExpression, combine)
