"""Functions over whole tables: ``map``, ``flat_map``, ``join_lateral``, ``aggregate`` and ``flat_aggregate`` of the Table API."""

from __future__ import annotations

from collections.abc import Sequence

from table_api.expressions.unresolved import Alias, Call, ResolvedLeaf, UnresolvedExpression
from table_api.operations import ProjectQueryOperation, QueryOperation, UnnestQueryOperation
from table_api.resolution.field_access import field_of
from table_api.resolution.operation_builder import OperationBuilder
from table_api.resolution.scope import Scope
from table_api.resolution.sorted_projection import references_to
from table_common.exceptions import ValidationException
from table_common.expressions import CallExpression, FieldReferenceExpression, ResolvedExpression
from table_common.functions import FunctionDefinition, FunctionKind
from table_common.functions.builtin import BUILT_INS_BY_NAME
from table_common.types import ArrayType, LogicalType, RowType, StructuredType

_CLAUSE = "UNNEST"
"""The clause for which the resolver allows table functions."""
_RESULT = "$result"


def call_with_row(function: FunctionDefinition, child: QueryOperation) -> UnresolvedExpression:
    """Returns the call of a function with the whole row as its only argument."""
    schema = child.resolved_schema
    row_type = RowType.of(list(zip(schema.column_names, schema.column_types, strict=True)), nullable=False)
    row = CallExpression(BUILT_INS_BY_NAME["ROW"], references_to(schema), row_type)
    return Call(function, (ResolvedLeaf(row),))


def map_rows(builder: OperationBuilder, child: QueryOperation, call: UnresolvedExpression) -> QueryOperation:
    """Returns the result of a scalar function for each row; a result of type ROW becomes columns.

    Raises:
        ValidationException: the alias has not as many names as there are columns.
    """
    plain, names = _named(call)
    expression = builder.resolver(Scope.of(child.resolved_schema), "map").resolve(plain)
    if not isinstance(expression.output_type, (RowType, StructuredType)):
        return ProjectQueryOperation((expression,), (_names(expression.output_type, names, "map")[0],), child)
    # The call is in a projection below, so that it is evaluated once and not for each column.
    made = ProjectQueryOperation((expression,), (_RESULT,), child)
    return _fields(made, 0, _names(expression.output_type, names, "map"))


def flat_map_rows(builder: OperationBuilder, child: QueryOperation, call: UnresolvedExpression) -> QueryOperation:
    """Returns the rows that a table function returns for each row."""
    joined = join_rows(builder, child, call, keeps_empty=False)
    return _columns_from(joined, len(child.resolved_schema.columns))


def join_rows(builder: OperationBuilder, child: QueryOperation, call: UnresolvedExpression, *, keeps_empty: bool) -> QueryOperation:
    """Returns each row joined with the rows that a table function returns for it; with ``keeps_empty`` as a left join.

    Raises:
        ValidationException: it is not a call of a table function, or column names repeat.
    """
    plain, given = _named(call)
    expression = builder.resolver(Scope.of(child.resolved_schema), _CLAUSE).resolve(plain)
    if not isinstance(expression, CallExpression) or expression.function.kind not in (FunctionKind.TABLE, FunctionKind.ASYNC_TABLE):
        raise ValidationException(
            "Expected a call of a table function, such as one created with udtf.", hint="select computes with scalar functions"
        )
    names = _names(UnnestQueryOperation.element_type(expression.output_type), given, expression.function.name)
    repeated = sorted(set(names) & set(child.resolved_schema.column_names))
    if repeated:
        raise ValidationException(
            f"Both sides of the join have the columns {', '.join(repeated)}.",
            hint="give the function's columns names: f(…).alias('a', 'b')",
        )
    return UnnestQueryOperation(child, expression, tuple(names), keeps_empty=keeps_empty)


def aggregate_rows(
    builder: OperationBuilder,
    child: QueryOperation,
    group_by: Sequence[UnresolvedExpression],
    call: UnresolvedExpression,
    *,
    columns: Sequence[UnresolvedExpression] | None = None,
) -> QueryOperation:
    """Returns the grouping columns and the result of an aggregate, one row per group; a result of type ROW becomes columns.

    ``columns`` replace the grouping columns in the result if these cannot be selected, such as windows.
    """
    plain, given = _named(call)
    kept = group_by if columns is None else columns
    grouped = builder.select(child, [*kept, Alias(plain, _RESULT)], group_by=list(group_by) or None)
    position = len(grouped.resolved_schema.columns) - 1
    return _fields(grouped, position, _names(grouped.resolved_schema.columns[position].data_type, given, "aggregate"))


def table_aggregate_rows(
    builder: OperationBuilder, child: QueryOperation, group_by: Sequence[UnresolvedExpression], call: UnresolvedExpression
) -> QueryOperation:
    """Returns the grouping columns joined with the rows that a table aggregate returns for each group.

    Raises:
        ValidationException: it is not a call of a table aggregate function.
    """
    plain, given = _named(call)
    grouped = builder.select(child, [*group_by, Alias(plain, _RESULT)], group_by=list(group_by) or None)
    position = len(grouped.resolved_schema.columns) - 1
    result = references_to(grouped.resolved_schema)[position]
    if not isinstance(result.output_type, ArrayType):
        raise ValidationException(
            "Expected a call of a table aggregate function, such as one created with udtaf.",
            hint="use aggregate for other aggregate functions",
        )
    names = _names(result.output_type.element_type, given, "flat_aggregate")
    unnested = UnnestQueryOperation(grouped, result, tuple(names))
    references = [r for r in references_to(unnested.resolved_schema) if r.field_index != position]
    return ProjectQueryOperation(tuple(references), tuple(r.name for r in references), unnested)


def _named(call: UnresolvedExpression) -> tuple[UnresolvedExpression, tuple[str, ...]]:
    """Returns the expression without its alias, and the names of the alias."""
    if isinstance(call, Alias):
        return call.expression, (call.name, *call.extra_names)
    return call, ()


def _names(type_: LogicalType | None, given: Sequence[str], where: str) -> list[str]:
    own = list(type_.field_names) if isinstance(type_, (RowType, StructuredType)) else ["f0"]
    if given and len(given) != len(own):
        raise ValidationException(f"{where} returns {len(own)} columns, but {len(given)} names were specified: {', '.join(given)}.")
    return list(given) or own


def _fields(child: QueryOperation, position: int, names: Sequence[str]) -> QueryOperation:
    """Returns the columns before ``position``, and the fields of the row at ``position``."""
    references = list(references_to(child.resolved_schema))
    row: ResolvedExpression = references[position]
    kept: list[FieldReferenceExpression] = references[:position]
    fields: list[ResolvedExpression] = [row]
    if isinstance(row.output_type, (RowType, StructuredType)):
        fields = [field_of(row, name) for name in row.output_type.field_names]
    return ProjectQueryOperation((*kept, *fields), (*(r.name for r in kept), *names), child)


def _columns_from(child: QueryOperation, start: int) -> QueryOperation:
    references = references_to(child.resolved_schema)[start:]
    return ProjectQueryOperation(tuple(references), tuple(r.name for r in references), child)
