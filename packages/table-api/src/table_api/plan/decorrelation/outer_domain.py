"""The domain of a correlated subquery: the distinct values of its outer references, and the join of the query with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from table_api.operations import (
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    OuterReferenceExpression,
    ProjectQueryOperation,
    QueryOperation,
)
from table_api.operations.subquery import name_of_reference
from table_api.plan.calls import call, project, reference, references_of, same_value
from table_api.plan.decorrelation.result import Decorrelated, outer_positions, split_equality, substitute
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, conjunction
from table_common.frozen_dataclass import dataclass, field
from table_common.functions.builtin import comparison


@dataclass(frozen=True)
class DomainJoin:
    """A query joined with the domain: ``plan`` has ``width`` columns of the query, then one per argument in ``arguments``."""

    plan: QueryOperation
    width: int
    arguments: tuple[int, ...]

    def column_of(self, argument: int) -> FieldReferenceExpression:
        """Returns the column that holds an argument."""
        return reference(self.plan, self.width + self.arguments.index(argument))

    @property
    def argument_columns(self) -> tuple[FieldReferenceExpression, ...]:
        """References to the columns that hold the arguments."""
        return references_of(self.plan)[self.width :]


@dataclass
class Domain:
    """The outer rows, and the arguments of a subquery: expressions over the outer row."""

    outer: QueryOperation
    arguments: Sequence[ResolvedExpression]
    _values: dict[tuple[int, ...], QueryOperation] = field(default_factory=dict)

    def reference(self, position: int) -> OuterReferenceExpression:
        """Returns a reference to an argument."""
        argument = self.arguments[position]
        name = name_of_reference(argument, f"$arg{position}")
        return OuterReferenceExpression(name, argument.output_type, position)

    def values(self, positions: tuple[int, ...]) -> QueryOperation:
        """Returns the distinct values of arguments."""
        if positions not in self._values:
            names = tuple(self.reference(position).name for position in positions)
            expressions = tuple(self.arguments[position] for position in positions)
            self._values[positions] = DistinctQueryOperation(ProjectQueryOperation(expressions, names, self.outer))
        return self._values[positions]

    def unnested(self, bound: DomainJoin, outputs: Sequence[ResolvedExpression] | None = None) -> Decorrelated:
        """Returns a bound query as one whose conditions compare its argument columns with the arguments of the outer row."""
        conditions = tuple(part for position in bound.arguments for part in same_value(bound.column_of(position), self.reference(position)))
        return Decorrelated(bound.plan, tuple(outputs if outputs is not None else references_of(bound.plan)[: bound.width]), conditions)

    def bind(self, query: Decorrelated, also: Iterable[int] = (), *, only_outer_values: bool = False) -> DomainJoin:
        """Returns the query with the arguments that it uses, and those in ``also``, as columns.

        An argument that must equal a column of the query uses that column, unless ``only_outer_values``, which restricts the values to
        those of the outer rows. Other arguments are added by a join with their distinct values.
        """
        used = tuple(sorted(query.used | set(also)))
        if not query.is_total and not only_outer_values:
            known = _known(query, used)
            if known is not None:
                return known
        if not used:
            return DomainJoin(project(query.outputs, _filtered_total(query)), len(query.outputs), ())
        values = self.values(used)
        left, right = (values, query.plan) if query.is_total else (query.plan, values)
        left_width = len(left.resolved_schema.columns)

        def column(node: FieldReferenceExpression) -> ResolvedExpression:
            return _at(node, right, 1) if query.is_total else node

        def outer(node: OuterReferenceExpression) -> ResolvedExpression:
            position = used.index(node.position)
            return FieldReferenceExpression(node.name, node.output_type, 0 if query.is_total else 1, position)

        condition = conjunction([substitute(c, column, outer) for c in query.conditions]) if query.conditions else None
        joined = JoinQueryOperation(left, right, JoinType.LEFT_OUTER if query.is_total else JoinType.INNER, condition)
        columns = references_of(joined)
        shift, first = (left_width, 0) if query.is_total else (0, left_width)

        def over_join(expression: ResolvedExpression) -> ResolvedExpression:
            return substitute(expression, lambda n: columns[shift + n.field_index], lambda n: columns[first + used.index(n.position)])

        plan: QueryOperation = joined
        if query.having:
            plan = FilterQueryOperation(conjunction([over_join(part) for part in query.having]), joined)
        outputs = [over_join(output) for output in query.outputs]
        return DomainJoin(project([*outputs, *columns[first : first + len(used)]], plan), len(outputs), used)


def _at(node: FieldReferenceExpression, side: QueryOperation, input_index: int) -> FieldReferenceExpression:
    return FieldReferenceExpression(node.name, side.resolved_schema.columns[node.field_index].data_type, input_index, node.field_index)


def _known(query: Decorrelated, used: tuple[int, ...]) -> DomainJoin | None:
    """Returns the query bound without a join, if each argument must equal an expression of the query; else None."""
    known: dict[int, ResolvedExpression] = {}
    defining: list[ResolvedExpression] = []
    for condition in query.conditions:
        sides = split_equality(condition)
        if sides is None or not isinstance(sides[1], OuterReferenceExpression) or sides[1].position in known:
            continue
        nullable = sides[0].output_type.nullable
        if nullable and condition.output_type.nullable is False:
            return None  # IS NOT DISTINCT FROM, which NULLs fulfill
        known[sides[1].position] = sides[0]
        defining.append(condition)
    if set(used) - set(known) or not used:
        return None

    def inner(expression: ResolvedExpression) -> ResolvedExpression:
        return substitute(expression, lambda node: node, lambda node: known[node.position])

    filters: list[ResolvedExpression] = [
        call(comparison.IS_NOT_NULL, known[position]) for position in used if known[position].output_type.nullable
    ]
    filters += [inner(condition) for condition in query.conditions if condition not in defining]
    plan = FilterQueryOperation(conjunction(filters), query.plan) if filters else query.plan
    outputs = [inner(output) for output in query.outputs]
    return DomainJoin(project([*outputs, *(known[position] for position in used)], plan), len(outputs), used)


def _filtered_total(query: Decorrelated) -> QueryOperation:
    return FilterQueryOperation(conjunction(query.having), query.plan) if query.having else query.plan


def materialized(query: Decorrelated, expressions: Sequence[ResolvedExpression]) -> tuple[QueryOperation, list[FieldReferenceExpression]]:
    """Returns the plan with the expressions as further columns, and the references to these."""
    columns = list(references_of(query.plan))
    width = len(columns)
    computed: list[ResolvedExpression] = []
    positions = []
    for expression in expressions:
        assert not outer_positions([expression])
        if isinstance(expression, FieldReferenceExpression):
            positions.append(expression.field_index)
            continue
        if expression not in computed:
            computed.append(expression)
        positions.append(width + computed.index(expression))
    plan = query.plan
    if computed:
        names = (*(column.name for column in columns), *(f"$e{width + i}" for i in range(len(computed))))
        plan = ProjectQueryOperation((*columns, *computed), names, query.plan)
    return plan, [reference(plan, position) for position in positions]
