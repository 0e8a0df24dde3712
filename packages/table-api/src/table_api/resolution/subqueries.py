"""Resolution of subqueries in expressions: checks the number of columns and the types of the operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.expressions.unresolved import Subquery, SubqueryKind
from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SubqueryExpression,
)
from table_api.resolution.casting import cast_to, same_type
from table_api.resolution.outer_scope import OuterScope
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression, infer_call
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import BooleanType, LogicalType, RowType, plain_timestamp

NestedQueries = Callable[[object, OuterScope], QueryOperation]
"""Converts a query of the syntax tree that is nested in another one."""


def resolve_subquery(
    node: Subquery, operand: ResolvedExpression | None, outer: OuterScope, convert: NestedQueries | None
) -> ResolvedExpression:
    """Returns the typed expression of a query that is used as a value.

    Args:
        node: the unresolved subquery.
        operand: the left side of IN, ANY and ALL.
        outer: the outer scope, created for this subquery.
        convert: converts a query of the syntax tree; None where subqueries are not allowed.

    Raises:
        ValidationException: the query has the wrong number of columns, or the types cannot be compared.
    """
    if isinstance(node.query, QueryOperation):
        query = node.query
    elif convert is not None:
        query = convert(node.query, outer)
    else:
        raise ValidationException("A subquery is not allowed in this expression.")
    width = len(query.resolved_schema.columns)
    match node.kind:
        case SubqueryKind.EXISTS:
            return SubqueryExpression(node.kind, query, BooleanType(nullable=False), arguments=tuple(outer.arguments))
        case SubqueryKind.SCALAR:
            _check_width(width, 1, "A scalar subquery")
            output_type = plain_timestamp(query.resolved_schema.columns[0].data_type).with_nullability(True)
            return SubqueryExpression(node.kind, query, output_type, arguments=tuple(outer.arguments))
        case SubqueryKind.IN | SubqueryKind.NOT_IN | SubqueryKind.ANY | SubqueryKind.ALL:
            assert operand is not None
            return _comparison(node, query, operand, outer)
        case SubqueryKind.ARRAY | SubqueryKind.MULTISET:
            _check_width(width, 1, f"{node.kind.value}(query)")
            return _collection(node.kind, query, "ARRAY_AGG" if node.kind is SubqueryKind.ARRAY else "COLLECT", outer)
        case SubqueryKind.MAP:
            raise ValidationException(
                "MAP(query) is not supported.", hint="MAP_FROM_ARRAYS(ARRAY(SELECT key …), ARRAY(SELECT value …)) creates a map"
            )


def _check_width(width: int, wanted: int, what: str) -> None:
    if width != wanted:
        columns = "one column" if wanted == 1 else f"{wanted} columns"
        raise ValidationException(f"{what} has {columns}, but this one has {width}.", hint="change its SELECT list")


def _comparison(node: Subquery, query: QueryOperation, operand: ResolvedExpression, outer: OuterScope) -> ResolvedExpression:
    columns = query.resolved_schema.columns
    operands = _operands(operand, len(columns))
    comparison = node.comparison or BUILT_INS_BY_NAME["EQUALS"]
    name = f"{node.kind.value} (query)"
    if len(operands) != len(columns):
        left = "one value" if len(operands) == 1 else f"{len(operands)} values"
        right = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        raise ValidationException(f"{name} compares {left} with a query of {right}, but the numbers must be equal.")
    if len(operands) > 1 and node.kind in (SubqueryKind.ANY, SubqueryKind.ALL):
        raise ValidationException(f"{name} compares one value, not a row.")
    types: list[LogicalType] = []
    sides: list[ResolvedExpression] = []
    for index, (left_side, column) in enumerate(zip(operands, columns, strict=True)):
        right_side = FieldReferenceExpression(column.name, column.data_type, 0, index)
        left_type, right_type = infer_call(comparison, (left_side, right_side)).argument_types
        sides.append(cast_to(left_side, left_type))
        types.append(right_type)
    query = _cast_columns(query, types)
    nullable = any(side.output_type.nullable for side in sides) or any(c.data_type.nullable for c in columns)
    definition = comparison if node.kind in (SubqueryKind.ANY, SubqueryKind.ALL) else None
    return SubqueryExpression(node.kind, query, BooleanType(nullable=nullable), tuple(sides), definition, tuple(outer.arguments))


def _operands(operand: ResolvedExpression, width: int) -> tuple[ResolvedExpression, ...]:
    """Returns the fields of a row that is compared with several columns, else the operand alone."""
    if isinstance(operand, CallExpression) and operand.function is BUILT_INS_BY_NAME["ROW"] and (width > 1 or len(operand.args) > 1):
        return operand.args
    if width > 1 and isinstance(operand.output_type, RowType):
        from table_api.resolution.field_access import field_of

        return tuple(field_of(operand, f.name) for f in operand.output_type.fields)
    return (operand,)


def _cast_columns(query: QueryOperation, types: Sequence[LogicalType]) -> QueryOperation:
    columns = query.resolved_schema.columns
    if all(same_type(column.data_type, wanted) for column, wanted in zip(columns, types, strict=True)):
        return query
    references = (FieldReferenceExpression(c.name, c.data_type, 0, i) for i, c in enumerate(columns))
    casts = tuple(cast_to(reference, wanted) for reference, wanted in zip(references, types, strict=True))
    return ProjectQueryOperation(casts, query.resolved_schema.column_names, query)


def _collection(kind: SubqueryKind, query: QueryOperation, function: str, outer: OuterScope) -> ResolvedExpression:
    """Returns ARRAY(query) or MULTISET(query): an aggregate over the query as a scalar query; NULL if the query has no rows."""
    definition = BUILT_INS_BY_NAME[function]
    column = query.resolved_schema.columns[0]
    reference = FieldReferenceExpression(column.name, column.data_type, 0, 0)
    output_type = infer_call(definition, (reference,), is_global_aggregate=True).output_type.with_nullability(True)
    call = AggregateCall(definition, (reference,), output_type)
    collected = AggregateQueryOperation((), (call,), (f"${kind.value.lower()}",), query)
    return SubqueryExpression(SubqueryKind.SCALAR, collected, output_type, arguments=tuple(outer.arguments))
