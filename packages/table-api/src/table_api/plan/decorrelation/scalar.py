"""Values of subqueries: a subquery is joined to the rows that use it, and its value is an expression over the joined row."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import SubqueryKind
from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    DistinctQueryOperation,
    FilterQueryOperation,
    JoinQueryOperation,
    JoinType,
    OuterReferenceExpression,
    ProjectQueryOperation,
    QueryOperation,
    SortQueryOperation,
    SubqueryExpression,
)
from table_api.operations.operation import below
from table_api.operations.subquery import name_of_reference
from table_api.plan.calls import (
    boolean,
    call,
    case,
    columns_of,
    count_rows,
    first_row,
    number,
    project,
    reference,
    references_of,
    with_type,
)
from table_api.plan.decorrelation.decorrelate import Decorrelation, inner_sides, with_inner_sides
from table_api.plan.decorrelation.outer_domain import Domain, materialized
from table_api.plan.decorrelation.result import Decorrelated, split_equality, substitute
from table_common.expressions import FieldReferenceExpression, ResolvedExpression, ValueLiteralExpression, conjunction, references
from table_common.frozen_dataclass import replace
from table_common.functions.builtin import aggregates, comparison, logic
from table_common.types import DoubleType, FloatType


class JoinedSubqueries:
    """Rows to which subqueries are joined: ``plan`` has the columns of the rows, followed by those of the joined subqueries."""

    def __init__(self, rows: QueryOperation) -> None:
        self.plan = rows
        self._names = 0
        self._known: dict[SubqueryExpression, ResolvedExpression] = {}

    def value(self, subquery: SubqueryExpression) -> ResolvedExpression:
        """Joins a subquery to the rows; returns its value as an expression over ``plan``, of the subquery's type."""
        if subquery not in self._known:
            self._known[subquery] = with_type(self._value(subquery), subquery.output_type)
        return self._known[subquery]

    def is_true(self, subquery: SubqueryExpression) -> ResolvedExpression:
        """Joins the subquery of an IN to the rows; returns whether the IN is TRUE, without telling FALSE from unknown."""
        return with_type(self._found(subquery), subquery.output_type)

    def _value(self, subquery: SubqueryExpression) -> ResolvedExpression:
        match subquery.kind:
            case SubqueryKind.SCALAR:
                return self._outputs(subquery, _single(subquery.query))[0]
            case SubqueryKind.EXISTS:
                return self._exists(subquery.query, subquery.arguments)
            case SubqueryKind.IN:
                return self._in(subquery)
            case SubqueryKind.NOT_IN:
                return call(logic.NOT, self._in(subquery))
            case _:
                return self._quantified(subquery)

    def _name(self, what: str) -> str:
        """Returns a unique name for a joined column, for readers of the plan."""
        self._names += 1
        return f"${what}{self._names}"

    # --- one row --------------------------------------------------------------------------------------------------------------------

    def _outputs(self, subquery: SubqueryExpression, query: QueryOperation) -> tuple[ResolvedExpression, ...]:
        """Joins a query of at most one row per outer row; returns its columns, NULL without a row."""
        unnested = Decorrelation(Domain(self.plan, subquery.arguments)).unnest(query)
        outputs = self._join(unnested, subquery.arguments, (*unnested.outputs, *unnested.having))
        values, having = outputs[: len(unnested.outputs)], outputs[len(unnested.outputs) :]
        if not having:
            return values
        kept = conjunction(having)
        return tuple(
            case(
                kept,
                value,
                ValueLiteralExpression(None, value.output_type.with_nullability(True)),
                output_type=_nullable(value).output_type,
            )
            for value in values
        )

    def _join(
        self, unnested: Decorrelated, arguments: Sequence[ResolvedExpression], wanted: Sequence[ResolvedExpression]
    ) -> tuple[ResolvedExpression, ...]:
        """Joins at most one row of ``unnested`` to each row; returns the expressions over its plan as expressions over the joined row."""
        self.plan, over_join = join_to(self.plan, unnested, arguments, JoinType.LEFT_OUTER)
        return tuple(map(over_join, wanted))

    # --- EXISTS ---------------------------------------------------------------------------------------------------------------------

    def _exists(self, query: QueryOperation, arguments: Sequence[ResolvedExpression]) -> ResolvedExpression:
        """Returns whether the query has a row: joins the distinct values for which it has one, with a marker column."""
        unnesting = Decorrelation(Domain(self.plan, arguments), ignores_all_but_one=True)
        found = unnesting.unnest(query)
        if found.is_total:
            if not found.having:
                return boolean(True)
            return call(logic.IS_TRUE, conjunction(self._join(found, arguments, found.having)))
        if any(split_equality(c) is None and references([c]) for c in found.conditions):
            found = unnesting.bound(found)
        found = _distinct_matches(found)
        keys = found.outputs
        marked = ProjectQueryOperation(
            (*keys, boolean(True)), (*found.plan.resolved_schema.column_names[: len(keys)], self._name("found")), found.plan
        )
        (mark,) = self._join(replace(found, plan=marked), arguments, (reference(marked, len(keys)),))
        return call(comparison.IS_NOT_NULL, mark)

    # --- IN -------------------------------------------------------------------------------------------------------------------------

    def _in(self, subquery: SubqueryExpression) -> ResolvedExpression:
        """Returns IN: TRUE if a value is equal, else unknown if a NULL could be equal, else FALSE."""
        found = self._found(subquery)
        arguments = (*subquery.arguments, *subquery.operands)
        unknown = [self._unknown(query, operand, arguments) for query, operand in is_null_in_query(subquery)]
        branches = [part for one in unknown for part in (one, boolean(None))]
        return case(found, boolean(True), *branches, boolean(False), output_type=subquery.output_type)

    def _found(self, subquery: SubqueryExpression) -> ResolvedExpression:
        return self._exists(FilterQueryOperation(all_equal(subquery), subquery.query), (*subquery.arguments, *subquery.operands))

    def _unknown(
        self, query: QueryOperation, operand: ResolvedExpression | None, arguments: Sequence[ResolvedExpression]
    ) -> ResolvedExpression:
        exists = self._exists(query, arguments)
        return exists if operand is None else conjunction([call(comparison.IS_NULL, operand), exists])

    # --- ANY and ALL ----------------------------------------------------------------------------------------------------------------

    def _quantified(self, subquery: SubqueryExpression) -> ResolvedExpression:
        """Returns ANY or ALL, as a comparison with the minimum or maximum of the query."""
        is_all = subquery.kind is SubqueryKind.ALL
        if subquery.comparison is (comparison.NOT_EQUALS if is_all else comparison.EQUALS):
            is_in = self._in(replace(subquery, kind=SubqueryKind.IN, comparison=None))
            return call(logic.NOT, is_in) if is_all else is_in
        (operand,) = subquery.operands
        assert subquery.comparison is not None
        # NaN is less than nothing, but it is the greatest of what it stands among, and least only alone.
        is_less = subquery.comparison in (comparison.LESS_THAN, comparison.LESS_THAN_OR_EQUAL)
        query = subquery.query
        has_nan = is_less and isinstance(reference(query, 0).output_type, (DoubleType, FloatType))
        if has_nan and not is_all:
            query = project((reference(query, 0), call(comparison.EQUALS, reference(query, 0), reference(query, 0))), query)
        column = reference(query, 0)
        value_type = column.output_type.with_nullability(True)
        calls = (
            count_rows(),
            replace(count_rows(), args=(column,)),
            AggregateCall(aggregates.MIN, (column,), value_type),
            AggregateCall(aggregates.MAX, (column,), value_type, filter=reference(query, 1) if has_nan and not is_all else None),
        )
        query = AggregateQueryOperation((), calls, tuple(map(self._name, ("rows", "values", "least", "greatest"))), query)
        rows, values, least, greatest = self._outputs(subquery, query)
        if subquery.comparison in (comparison.EQUALS, comparison.NOT_EQUALS):
            extremes = [least, greatest]
        else:
            is_greater = subquery.comparison in (comparison.GREATER_THAN, comparison.GREATER_THAN_OR_EQUAL)
            extremes = [greatest if is_greater is is_all else least]
        tests = [call(subquery.comparison, operand, extreme) for extreme in extremes]
        tests += [call(comparison.EQUALS, greatest, greatest)] if has_nan and is_all else []
        test = tests[0] if len(tests) == 1 else call(logic.AND if is_all else logic.OR, *tests)
        decided = call(logic.IS_FALSE if is_all else logic.IS_TRUE, test)
        unknown = [call(comparison.LESS_THAN, values, rows)] if column.output_type.nullable else []
        unknown += [call(comparison.IS_NULL, operand)] if operand.output_type.nullable else []
        branches = [part for one in unknown for part in (one, boolean(None))]
        empty = call(comparison.EQUALS, rows, number(0))
        return case(empty, boolean(is_all), decided, boolean(not is_all), *branches, boolean(is_all), output_type=subquery.output_type)


def _nullable(expression: ResolvedExpression) -> ResolvedExpression:
    return with_type(expression, expression.output_type.with_nullability(True))


def _single(query: QueryOperation) -> QueryOperation:
    """Returns the query with at most one row: adds an aggregate that fails on more than one row, unless there cannot be more."""
    node = below(query, ProjectQueryOperation, FilterQueryOperation)
    if node.is_one_group:
        return query
    column = reference(query, 0)
    at_most_one = isinstance(node, SortQueryOperation) and node.fetch == 1
    function = aggregates.FIRST_VALUE if at_most_one else aggregates.SINGLE_VALUE
    single = AggregateCall(function, (column,), column.output_type.with_nullability(True))
    return AggregateQueryOperation((), (single,), (column.name,), query)


def _distinct_matches(found: Decorrelated) -> Decorrelated:
    """Returns a query that is tested for existence, reduced to at most one row per outer row.

    All conditions on its columns are equalities; the outputs are the columns compared.
    """
    if not any(references([condition]) for condition in found.conditions):
        return Decorrelated(first_row(found.plan), (), found.conditions)
    plan, columns = materialized(found, inner_sides(found.conditions))
    distinct = DistinctQueryOperation(ProjectQueryOperation(tuple(columns), tuple(column.name for column in columns), plan))
    keys = references_of(distinct)
    return Decorrelated(distinct, keys, with_inner_sides(found.conditions, keys))


def all_equal(subquery: SubqueryExpression) -> ResolvedExpression:
    """Returns the condition that a row of the IN subquery equals the operands, which are the last arguments."""
    return conjunction([call(comparison.EQUALS, column, _operand(subquery, i)) for i, column in enumerate(references_of(subquery.query))])


def _operand(subquery: SubqueryExpression, index: int) -> OuterReferenceExpression:
    operand = subquery.operands[index]
    name = name_of_reference(operand, f"$operand{index}")
    return OuterReferenceExpression(name, operand.output_type, len(subquery.arguments) + index)


def is_null_in_query(subquery: SubqueryExpression) -> list[tuple[QueryOperation, ResolvedExpression | None]]:
    """Returns the queries of which a row makes IN unknown if no value is equal; those with an operand only if that operand is NULL."""
    if len(subquery.operands) > 1:
        comparison_ = all_equal(subquery)
        if not comparison_.output_type.nullable:
            return []
        return [(FilterQueryOperation(call(comparison.IS_NULL, comparison_), subquery.query), None)]
    result: list[tuple[QueryOperation, ResolvedExpression | None]] = []
    column = reference(subquery.query, 0)
    if column.output_type.nullable:
        result.append((FilterQueryOperation(call(comparison.IS_NULL, column), subquery.query), None))
    if subquery.operands[0].output_type.nullable:
        result.append((subquery.query, subquery.operands[0]))
    return result


def join_to(
    rows: QueryOperation, query: Decorrelated, arguments: Sequence[ResolvedExpression], join_type: JoinType
) -> tuple[QueryOperation, _Placing]:
    """Returns the join of outer rows with a query, and a function that maps expressions over the query to the joined row."""

    def in_condition(node: FieldReferenceExpression) -> ResolvedExpression:
        return replace(node, input_index=1)

    def argument(node: OuterReferenceExpression) -> ResolvedExpression:
        return arguments[node.position]

    conditions = [substitute(condition, in_condition, argument) for condition in query.conditions]
    joined = JoinQueryOperation(rows, query.plan, join_type, conjunction(conditions) if conditions else None)
    return joined, _Placing(joined, len(rows.resolved_schema.columns), arguments)


class _Placing:
    """Maps expressions over a query and its outer row to expressions over their join."""

    def __init__(self, joined: JoinQueryOperation, width: int, arguments: Sequence[ResolvedExpression]) -> None:
        self._joined = joined
        self._width = width
        self._arguments = arguments

    def __call__(self, expression: ResolvedExpression) -> ResolvedExpression:
        columns = self._joined.resolved_schema.columns

        def column(node: FieldReferenceExpression) -> ResolvedExpression:
            position = self._width + node.field_index
            return FieldReferenceExpression(node.name, columns[position].data_type, 0, position)

        return substitute(expression, column, lambda node: self._arguments[node.position])


def exists_join(
    rows: QueryOperation, query: QueryOperation, arguments: Sequence[ResolvedExpression], join_type: JoinType
) -> QueryOperation:
    """Returns the rows for which the query has a row (SEMI) or no row (ANTI)."""
    is_semi = join_type is JoinType.SEMI
    found = Decorrelation(Domain(rows, arguments), ignores_all_but_one=True).unnest(query)
    if found.is_total:
        if not found.having:
            return rows if is_semi else FilterQueryOperation(boolean(False), rows)
        joined, over_join = join_to(rows, found, arguments, JoinType.LEFT_OUTER)
        kept = call(logic.IS_TRUE if is_semi else logic.IS_NOT_TRUE, conjunction([over_join(part) for part in found.having]))
        return columns_of(FilterQueryOperation(kept, joined), len(rows.resolved_schema.columns))
    inner = [condition for condition in found.conditions if references([condition])]
    if len(inner) < len(found.conditions) or not inner:
        # Conditions on the outer row alone need not be evaluated for each of the query's rows with equal columns.
        found = _distinct_matches(found) if all(map(split_equality, inner)) else found
    return join_to(rows, found, arguments, join_type)[0]
