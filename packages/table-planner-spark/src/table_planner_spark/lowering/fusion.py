"""Joins adjacent filters and adjacent projections before lowering: each DataFrame call costs milliseconds."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import FilterQueryOperation, ProjectQueryOperation, QueryOperation
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
)
from table_common.functions.builtin import logic
from table_common.tree import fold, map_children_of, preorder, transform_up
from table_common.types import BooleanType

__all__ = ["fuse"]

_SMALL = (FieldReferenceExpression, ValueLiteralExpression, TypeLiteralExpression)


def fuse(operation: QueryOperation) -> QueryOperation:
    """Returns an equivalent plan with fewer nodes."""
    shared = _used_twice(operation)

    def change(node: QueryOperation) -> QueryOperation:
        match node:
            case FilterQueryOperation(condition=outer, child=FilterQueryOperation(condition=inner, child=child)):
                # The inner conjuncts come first: they may protect the outer ones from values that fail.
                nullable = outer.output_type.nullable or inner.output_type.nullable
                return FilterQueryOperation(
                    CallExpression(logic.AND, (*_conjuncts(inner), *_conjuncts(outer)), BooleanType(nullable=nullable)), child
                )
            case ProjectQueryOperation(child=ProjectQueryOperation() as inner_project) if id(inner_project) not in shared:
                return _merge(node, inner_project)
            case _:
                return node

    return transform_up(operation, QueryOperation, change)


def _used_twice(operation: QueryOperation) -> set[int]:
    seen: set[int] = set()
    twice: set[int] = set()
    for node in preorder(operation, QueryOperation):
        for child in node.children:
            (twice if id(child) in seen else seen).add(id(child))
    return twice


def _conjuncts(condition: ResolvedExpression) -> tuple[ResolvedExpression, ...]:
    if isinstance(condition, CallExpression) and condition.function is logic.AND:
        return condition.args
    return (condition,)


def _merge(outer: ProjectQueryOperation, inner: ProjectQueryOperation) -> QueryOperation:
    uses = [0] * len(inner.projection)
    for expression in outer.projection:
        for node in _occurrences(expression):
            uses[node.field_index] += 1
    if any(count > 1 and not isinstance(e, _SMALL) for count, e in zip(uses, inner.projection, strict=True)):
        return outer  # computing it twice costs more than the call
    if not all(map(_is_deterministic, inner.projection)):
        return outer
    merged = tuple(_substitute(expression, inner.projection) for expression in outer.projection)
    return ProjectQueryOperation(merged, outer.names, inner.child)


def _occurrences(expression: ResolvedExpression) -> list[FieldReferenceExpression]:
    """Returns every reference as often as it is written (a shared node counts each time)."""

    def combine(node: ResolvedExpression, children: Sequence[list[FieldReferenceExpression]]) -> list[FieldReferenceExpression]:
        if isinstance(node, FieldReferenceExpression):
            return [node]
        return [reference for child in children for reference in child]

    return fold(expression, ResolvedExpression, combine)


def _is_deterministic(expression: ResolvedExpression) -> bool:
    return all(not isinstance(node, CallExpression) or node.function.is_deterministic for node in preorder(expression, ResolvedExpression))


def _substitute(expression: ResolvedExpression, replacements: Sequence[ResolvedExpression]) -> ResolvedExpression:
    def combine(node: ResolvedExpression, children: Sequence[ResolvedExpression]) -> ResolvedExpression:
        if isinstance(node, FieldReferenceExpression):
            return replacements[node.field_index]
        remaining = iter(children)
        return map_children_of(node, ResolvedExpression, lambda _: next(remaining))

    return fold(expression, ResolvedExpression, combine)
