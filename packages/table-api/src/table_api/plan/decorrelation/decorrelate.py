"""Decorrelates a query bottom-up, with one handler per kind of node.

Conditions on the outer row are pulled up until they become conditions of the join with the outer rows. Where they cannot be pulled through
a node (an aggregate over a range condition, LIMIT, UNION), the query is joined with the distinct outer values there. These are then
ordinary columns: they become grouping columns, partition keys or columns of the set operation, and the top join compares them with the
outer row.
"""

from __future__ import annotations

from collections.abc import Sequence

from table_api.operations import (
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    ProjectQueryOperation,
    QueryOperation,
    SetOperationType,
    SetQueryOperation,
    SortQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    WindowCall,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
    is_outer,
)
from table_api.plan.calls import call, first_row, number, reference, references_of
from table_api.plan.decorrelation.outer_domain import Domain, materialized
from table_api.plan.decorrelation.result import Decorrelated, outer_positions, split_equality, substitute
from table_common.catalog import ResolvedSchema
from table_common.expressions import CallExpression, ResolvedExpression, ValueLiteralExpression, conjunction, conjuncts, references
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import comparison, windows
from table_common.tree import TypeDispatch, by_class, fold
from table_common.types import BigIntType, IntType

decorrelate_node: TypeDispatch[[Decorrelation, Sequence[Decorrelated]], Decorrelated] = TypeDispatch(
    "A query that uses columns of an outer one"
)


class Decorrelation:
    """Decorrelates one query. ``ignores_duplicates``: the caller tests membership; ``ignores_all_but_one``: the caller tests existence."""

    def __init__(self, domain: Domain, *, ignores_duplicates: bool = False, ignores_all_but_one: bool = False) -> None:
        self.domain = domain
        self._ignores_duplicates = ignores_duplicates or ignores_all_but_one
        self._ignores_all_but_one = ignores_all_but_one
        self.duplicates_free: set[int] = set()
        self.emptiness_only: set[int] = set()

    def unnest(self, query: QueryOperation) -> Decorrelated:
        """Returns the decorrelated query.

        Raises:
            TableException: an operator of the query cannot stand in a query that depends on an outer row.
        """
        self._note_freedom(query)

        def combine(node: QueryOperation, children: Sequence[Decorrelated]) -> Decorrelated:
            if all(child.is_plain for child in children) and not any(is_outer(e) for e in node.expressions):
                plain = all(child.plan is old for child, old in zip(children, node.children, strict=True))
                if plain:
                    return Decorrelated.plain(node)
            return decorrelate_node(node, self, children)

        result: Decorrelated = fold(query, QueryOperation, combine)
        return result

    def rows(self, query: Decorrelated) -> Decorrelated:
        """Returns the query as rows with conditions, without ``is_total``."""
        return self.domain.unnested(self.domain.bind(query)) if query.is_total else query

    def bound(self, query: Decorrelated, *, only_outer_values: bool = False) -> Decorrelated:
        """Returns the query whose conditions are only equalities of columns with the outer row."""
        return self.domain.unnested(self.domain.bind(query, only_outer_values=only_outer_values))

    def _note_freedom(self, query: QueryOperation) -> None:
        """Records the nodes of which duplicates, or all rows but one, may be dropped."""
        node = query if self._ignores_all_but_one else None
        while node is not None:
            self.emptiness_only.add(id(node))
            node = _existence_input(node)
        stack = [query] if self._ignores_duplicates else []
        while stack:
            node = stack.pop()
            if id(node) in self.duplicates_free:
                continue
            self.duplicates_free.add(id(node))
            stack += _inputs_without_duplicates(node)


@by_class
def _existence_input(node: QueryOperation) -> QueryOperation | None:
    """Returns the input that has a row exactly if the node has one."""
    return None


@_existence_input.register(ProjectQueryOperation)
def _projected(node: ProjectQueryOperation) -> QueryOperation | None:
    return node.child


@_existence_input.register(SortQueryOperation)
def _sorted(node: SortQueryOperation) -> QueryOperation | None:
    return None if node.offset else node.child


@by_class
def _inputs_without_duplicates(node: QueryOperation) -> Sequence[QueryOperation]:
    """Returns the inputs of which duplicates may be dropped, if those of the node may."""
    return ()


@_inputs_without_duplicates.register(ProjectQueryOperation, FilterQueryOperation, DistinctQueryOperation)
def _input_without_duplicates(node: ProjectQueryOperation | FilterQueryOperation | DistinctQueryOperation) -> Sequence[QueryOperation]:
    return (node.child,)


@_inputs_without_duplicates.register(JoinQueryOperation)
def _sides_without_duplicates(node: JoinQueryOperation) -> Sequence[QueryOperation]:
    if node.join_type is JoinType.INNER:
        return node.left, node.right
    return (node.left,) if node.join_type in (JoinType.SEMI, JoinType.ANTI) else ()


@decorrelate_node.register(FilterQueryOperation)
def _filter(node: FilterQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    (child,) = children
    parts = [substitute(part, lambda r: child.outputs[r.field_index]) for part in conjuncts(node.condition)]
    if child.is_total:
        return replace(child, having=(*child.having, *parts))
    inner = [part for part in parts if not is_outer(part)]
    outer = [part for part in parts if is_outer(part)]
    plan = FilterQueryOperation(conjunction(inner), child.plan) if inner else child.plan
    return replace(child, plan=plan, conditions=(*child.conditions, *outer))


@decorrelate_node.register(ProjectQueryOperation)
def _project(node: ProjectQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    (child,) = children
    outputs = [substitute(e, lambda r: child.outputs[r.field_index]) for e in node.projection]
    if child.is_total:  # computed above the join, which pads missing rows with NULLs
        return replace(child, outputs=tuple(outputs))
    computed = [i for i, e in enumerate(outputs) if not is_outer(e) and not isinstance(e, ValueLiteralExpression)]
    plan, columns = materialized(child, [outputs[i] for i in computed])
    for position, column in zip(computed, columns, strict=True):
        outputs[position] = column
    return replace(child, plan=plan, outputs=tuple(outputs))


@decorrelate_node.register(DistinctQueryOperation)
def _distinct(node: DistinctQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    (child,) = children
    if child.is_total or id(node) in unnesting.duplicates_free:
        return child
    mixed = any(is_outer(output) and references([output]) for output in child.outputs)
    if mixed or any(split_equality(c) is None and references([c]) for c in child.conditions):
        child = unnesting.bound(child)
    keys = inner_sides(child.conditions)
    inner = [output for output in child.outputs if not is_outer(output)]
    if not inner and not keys:  # all rows are equal, because they depend on the outer row only
        return replace(child, plan=first_row(child.plan))
    plan, columns = materialized(child, [*inner, *keys])
    rows = ProjectQueryOperation(tuple(columns), tuple(column.name for column in columns), plan)
    distinct = DistinctQueryOperation(rows, node.state_ttl)
    moved = references_of(distinct)
    position = iter(range(len(inner)))
    outputs = tuple(output if is_outer(output) else moved[next(position)] for output in child.outputs)
    return Decorrelated(distinct, outputs, with_inner_sides(child.conditions, moved[len(inner) :]))


def inner_sides(conditions: Sequence[ResolvedExpression]) -> list[ResolvedExpression]:
    """Returns the query's side of each equality among the conditions, in order."""
    return [sides[0] for sides in map(split_equality, conditions) if sides is not None]


def with_inner_sides(conditions: Sequence[ResolvedExpression], columns: Sequence[ResolvedExpression]) -> tuple[ResolvedExpression, ...]:
    """Returns the conditions with the query's side of each equality replaced, in order."""
    remaining = iter(columns)
    result = []
    for condition in conditions:
        sides = split_equality(condition)
        if sides is not None:
            assert isinstance(condition, CallExpression)
            condition = call(condition.function, next(remaining), sides[1])
        result.append(condition)
    return tuple(result)


@decorrelate_node.register(SetQueryOperation)
def _set(node: SetQueryOperation, unnesting: Decorrelation, inputs: Sequence[Decorrelated]) -> Decorrelated:
    used = set[int]().union(*(one.used for one in inputs))
    sides = [unnesting.domain.bind(side, used) for side in inputs]
    values = [[column.output_type for column in columns] for columns in zip(*(side.argument_columns for side in sides), strict=True)]
    types = (*node.types, *(types[0].with_nullability(any(one.nullable for one in types)) for types in values))
    combined = SetQueryOperation(tuple(side.plan for side in sides), node.kind, node.all, types)
    return unnesting.domain.unnested(replace(sides[0], plan=combined))


@decorrelate_node.register(SortQueryOperation)
def _sort(node: SortQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    (child,) = children
    if node.fetch is None and node.offset == 0:
        return child  # the order of a subquery without LIMIT has no meaning
    if node.offset == 0 and node.fetch and (child.is_total or id(node) in unnesting.emptiness_only):
        return child
    bound = unnesting.domain.bind(child)
    width = len(bound.plan.resolved_schema.columns)
    row_number = windows.ROW_NUMBER
    numbered = WindowQueryOperation(
        bound.argument_columns, node.orders, (WindowCall(row_number, (), BigIntType(nullable=False)),), ("$row_number",), bound.plan
    )
    row = reference(numbered, width)
    limits = [call(comparison.GREATER_THAN, row, number(node.offset))] if node.offset else []
    if node.fetch is not None:
        limits.append(call(comparison.LESS_THAN_OR_EQUAL, row, number(node.offset + node.fetch)))
    kept = FilterQueryOperation(conjunction(limits), numbered)
    trimmed = ProjectQueryOperation(references_of(kept)[:width], kept.resolved_schema.column_names[:width], kept)
    return unnesting.domain.unnested(replace(bound, plan=trimmed))


@decorrelate_node.register(WindowQueryOperation)
def _window(node: WindowQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    (child,) = children
    bound = unnesting.domain.bind(child)
    window = replace(node, partition_by=(*node.partition_by, *bound.argument_columns), child=bound.plan)
    columns = references_of(window)
    behind = bound.width + len(bound.arguments)
    return unnesting.domain.unnested(replace(bound, plan=window), [*columns[: bound.width], *columns[behind:]])


@decorrelate_node.register(WindowTableFunctionQueryOperation)
def _window_table(node: WindowTableFunctionQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    (child,) = children
    bound = unnesting.domain.bind(child)
    partition_by = node.partition_by if node.window.is_aligned else (*node.partition_by, *bound.argument_columns)
    windowed = replace(node, child=bound.plan, partition_by=partition_by)
    columns = references_of(windowed)
    behind = bound.width + len(bound.arguments)
    return unnesting.domain.unnested(replace(bound, plan=windowed), [*columns[: bound.width], *columns[behind:]])


@decorrelate_node.register(UnnestQueryOperation)
def _unnest(node: UnnestQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    (child,) = children
    child = unnesting.rows(child)
    expression = substitute(node.expression, lambda r: child.outputs[r.field_index])
    if is_outer(expression):
        bound = unnesting.domain.bind(child, outer_positions([expression]))
        child = unnesting.domain.unnested(bound)
        expression = substitute(node.expression, lambda r: child.outputs[r.field_index], lambda o: bound.column_of(o.position))
    plan = replace(node, child=child.plan, expression=expression)
    return Decorrelated(plan, (*child.outputs, *references_of(plan)[len(child.plan.resolved_schema.columns) :]), child.conditions)


@decorrelate_node.register(ValuesQueryOperation)
def _values(node: ValuesQueryOperation, unnesting: Decorrelation, children: Sequence[Decorrelated]) -> Decorrelated:
    zero = ValueLiteralExpression(0, IntType(nullable=False))
    one_row = ResolvedSchema.physical([("$row", zero.output_type)])
    rows = [Decorrelated(ValuesQueryOperation(((zero,),), one_row), row) for row in node.rows]
    if len(rows) == 1:
        return rows[0]
    return _set(SetQueryOperation((node, node), SetOperationType.UNION, True, node.schema.column_types), unnesting, rows)
