"""Decorrelation of joins: the conditions that can be pulled up, and joins on the outer values where they cannot."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import JoinQueryOperation, JoinType, is_outer
from table_api.plan.calls import call, references_of, same_value
from table_api.plan.decorrelation.decorrelate import Decorrelation, decorrelate_node
from table_api.plan.decorrelation.outer_domain import DomainJoin, materialized
from table_api.plan.decorrelation.result import Decorrelated, outer_positions, substitute
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction, conjuncts
from table_common.functions.builtin import conditional


@decorrelate_node.register(JoinQueryOperation)
def decorrelate_join(node: JoinQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    left, right = children
    left, right = unnesting.rows(left), unnesting.rows(right)
    kind = node.join_type
    if kind is JoinType.SEMI and id(node) in unnesting.duplicates_free:
        inner = _inner(node, left, right)
        return Decorrelated(inner.plan, inner.outputs[: len(left.outputs)], inner.conditions)
    if kind is JoinType.INNER:
        return _inner(node, left, right)
    parts = _parts(node.condition, left.outputs, right.outputs)
    if right.is_plain and kind is not JoinType.RIGHT_OUTER and kind is not JoinType.FULL_OUTER and not any(map(is_outer, parts)):
        return _left(node, left, right, parts)
    return _on_values(unnesting, node, left, right)


def _parts(
    condition: ResolvedExpression | None, left: Sequence[ResolvedExpression], right: Sequence[ResolvedExpression]
) -> list[ResolvedExpression]:
    """Returns the conjuncts of a condition over the plans of both sides, as inputs 0 and 1, and the outer row."""

    def column(reference: FieldReferenceExpression) -> ResolvedExpression:
        if reference.input_index == 0:
            return left[reference.field_index]
        return substitute(right[reference.field_index], lambda r: FieldReferenceExpression(r.name, r.output_type, 1, r.field_index))

    return [substitute(part, column) for part in conjuncts(condition)] if condition is not None else []


def _inner(node: JoinQueryOperation, left: Decorrelated, right: Decorrelated) -> Decorrelated:
    """Returns a decorrelated inner join: all conditions on the outer row are pulled up."""
    width = len(left.plan.resolved_schema.columns)

    def over_both(expression: ResolvedExpression) -> ResolvedExpression:
        def column(reference: FieldReferenceExpression) -> ResolvedExpression:
            position = reference.field_index + (width if reference.input_index else 0)
            return FieldReferenceExpression(reference.name, reference.output_type, 0, position)

        return substitute(expression, column)

    def of_right(expression: ResolvedExpression) -> ResolvedExpression:
        return substitute(expression, lambda r: FieldReferenceExpression(r.name, r.output_type, 0, r.field_index + width))

    parts = _parts(node.condition, left.outputs, right.outputs)
    inner = [part for part in parts if not is_outer(part)]
    plan = JoinQueryOperation(
        left.plan, right.plan, JoinType.INNER, conjunction(inner) if inner else None, state_ttl=node.state_ttl, strategies=node.strategies
    )
    outer = (over_both(part) for part in parts if is_outer(part))
    outputs = (*left.outputs, *map(of_right, right.outputs))
    return Decorrelated(plan, outputs, (*left.conditions, *map(of_right, right.conditions), *outer))


def _left(node: JoinQueryOperation, left: Decorrelated, right: Decorrelated, parts: Sequence[ResolvedExpression]) -> Decorrelated:
    """Returns a decorrelated left, semi- or anti-join whose right side is the same for all outer rows."""
    plan = JoinQueryOperation(
        left.plan, right.plan, node.join_type, conjunction(parts) if parts else None, state_ttl=node.state_ttl, strategies=node.strategies
    )
    columns = references_of(plan)
    width = len(left.plan.resolved_schema.columns)
    return Decorrelated(plan, (*left.outputs, *columns[width:]), left.conditions)


def _on_values(unnesting: Decorrelation, node: JoinQueryOperation, left: Decorrelated, right: Decorrelated) -> Decorrelated:
    """Returns the join of both sides, each bound to the outer values, with equality of these values as further conditions."""
    condition = [node.condition] if node.condition is not None else []
    used = left.used | right.used | outer_positions(condition)
    kept_by_right = node.join_type in (JoinType.RIGHT_OUTER, JoinType.FULL_OUTER)
    bound_left = unnesting.domain.bind(left, used)
    bound_right = unnesting.domain.bind(right, used if kept_by_right or right.used else ())

    def column(reference: FieldReferenceExpression) -> ResolvedExpression:
        return reference

    parts = [substitute(part, column, lambda o: bound_left.column_of(o.position)) for c in condition for part in conjuncts(c)]
    for position in bound_right.arguments:
        other = bound_right.column_of(position)
        of_right = FieldReferenceExpression(other.name, other.output_type, 1, other.field_index)
        parts += same_value(bound_left.column_of(position), of_right)
    on_values = conjunction(parts) if parts else None
    plan = JoinQueryOperation(
        bound_left.plan, bound_right.plan, node.join_type, on_values, state_ttl=node.state_ttl, strategies=node.strategies
    )
    return _tied(unnesting, plan, bound_left, bound_right)


def _tied(unnesting: Decorrelation, plan: JoinQueryOperation, left: DomainJoin, right: DomainJoin) -> Decorrelated:
    """Returns the columns of the join with the outer values of each row."""
    columns = references_of(plan)
    if plan.join_type in (JoinType.SEMI, JoinType.ANTI):
        return unnesting.domain.unnested(DomainJoin(plan, left.width, left.arguments))
    width = len(left.plan.resolved_schema.columns)
    outputs = [*columns[: left.width], *columns[width : width + right.width]]
    values: list[ResolvedExpression] = []
    for position in left.arguments:
        of_left: ResolvedExpression = columns[left.column_of(position).field_index]
        of_right = columns[width + right.column_of(position).field_index] if position in right.arguments else of_left
        match plan.join_type:
            case JoinType.LEFT_OUTER:
                values.append(of_left)
            case JoinType.RIGHT_OUTER:
                values.append(of_right)
            case _:
                values.append(call(conditional.COALESCE, of_left, of_right))
    tied, references = materialized(Decorrelated.plain(plan), values)
    conditions = tuple(
        part
        for position, value in zip(left.arguments, references, strict=True)
        for part in same_value(value, unnesting.domain.reference(position))
    )
    return Decorrelated(tied, tuple(outputs), conditions)
