"""PIVOT and UNPIVOT in FROM, rewritten as an aggregation and as UNNEST, which every engine can run."""

# Differs from Flink: PIVOT and UNPIVOT work; Flink 2.3 parses them and fails with a NullPointerException.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from table_api.expressions.unresolved import Alias, Call, Literal, Reference, ResolvedLeaf, Span, Subquery, UnresolvedExpression
from table_api.operations import JoinType, QueryOperation
from table_api.resolution.casting import cast_to
from table_api.resolution.scope import Scope
from table_api.sql.ast import JoinKind, JoinRef, PivotRef, PivotValue, UnnestRef, UnpivotRef
from table_api.sql.conversion.lateral import join_unnest
from table_common.exceptions import ValidationException
from table_common.expressions import FieldReferenceExpression, ResolvedExpression
from table_common.frozen_dataclass import replace
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import collections, comparison, logic
from table_common.tree import preorder
from table_common.types import NullType, VarCharType, find_common_type

if TYPE_CHECKING:
    from table_api.sql.conversion.query_context import FromClause

_Scoped = tuple[QueryOperation, Scope]
_Named = tuple[str, Span | None]
_LABEL = VarCharType(nullable=False)


def pivot(clause: FromClause, node: PivotRef) -> _Scoped:
    """Returns one row per group of the columns that PIVOT does not name, with the aggregates for each value of FOR.

    Raises:
        ValidationException: a column does not exist, a value is not a constant, or two columns have one name.
    """
    child, scope = clause.reference(node.input)
    keys = [_column(clause, scope, column) for column in node.columns]
    used = {key.field_index for key in keys} | set(_positions(clause, scope, node.aggregates))
    kept = _columns_without(scope, used)
    names: list[_Named] = [(name, node.span) for name, _ in kept]
    projection: list[UnresolvedExpression] = [Alias(leaf, name) for name, leaf in kept]
    for value in node.values:
        condition = _condition(clause, node, value)
        for aggregate in node.aggregates:
            name = _pivot_name(clause, value, aggregate)
            names.append((name, value.span))
            projection.append(Alias(_filtered(clause, aggregate, condition), name, span=aggregate.span))
    _refuse_repeated(clause, "PIVOT", names)
    group_by = [leaf for _, leaf in kept]
    operation = clause.converter.builder.select(child, projection, scope=scope, group_by=group_by or None)
    return clause.named(node, operation, ())


def unpivot(clause: FromClause, node: UnpivotRef) -> _Scoped:
    """Returns one row per input row and group of columns in IN, without rows whose values are all NULL.

    Raises:
        ValidationException: a column does not exist, the types differ, or two columns have one name.
    """
    child, scope = clause.reference(node.input)
    groups = [[_column(clause, scope, column) for column in group.columns] for group in node.groups]
    kept = _columns_without(scope, {column.field_index for group in groups for column in group})
    _refuse_repeated(clause, "UNPIVOT", [(name, node.span) for name in (*(n for n, _ in kept), node.label_name, *node.value_names)])
    rows = _unpivoted_rows(clause, node, groups)
    aliases = (node.label_name, *node.value_names)
    unnest = UnnestRef((_call(collections.ARRAY, rows),), column_aliases=aliases, span=node.span)
    join = JoinRef(node.input, unnest, JoinKind.CROSS, span=node.span)
    joined = join_unnest(clause, join, child, scope, JoinType.INNER)
    assert joined is not None  # it has no condition
    operation, _ = joined
    columns = operation.resolved_schema.columns
    made = [ResolvedLeaf(FieldReferenceExpression(columns[i].name, columns[i].data_type, 0, i)) for i in range(len(columns))]
    given = made[-len(aliases) :]
    builder = clause.converter.builder
    inner = Scope.of(operation.resolved_schema)
    if not node.include_nulls:
        present = tuple(_call(comparison.IS_NOT_NULL, (leaf,)) for leaf in given[1:])
        operation = builder.filter(operation, present[0] if len(present) == 1 else _call(logic.OR, present), inner)
    named = [*kept, *zip(aliases, given, strict=True)]
    operation = builder.select(operation, [Alias(leaf, name) for name, leaf in named], scope=inner)
    return clause.named(node, operation, ())


# --- PIVOT ------------------------------------------------------------------------------------------------------------------------


def _filtered(clause: FromClause, aggregate: UnresolvedExpression, condition: UnresolvedExpression) -> UnresolvedExpression:
    call = aggregate.expression if isinstance(aggregate, Alias) else aggregate
    if not isinstance(call, Call):
        raise ValidationException(
            "PIVOT takes calls of aggregate functions.",
            position=clause.converter.position(call.span),
            hint="use the results in expressions of SELECT",
        )
    return replace(call, filter=condition if call.filter is None else _call(logic.AND, (call.filter, condition)))


def _condition(clause: FromClause, node: PivotRef, value: PivotValue) -> UnresolvedExpression:
    position = clause.converter.position(value.span)
    if len(value.values) != len(node.columns):
        raise ValidationException(
            f"FOR of PIVOT has {len(node.columns)} columns, but here are {len(value.values)} values.", position=position
        )
    conditions = []
    for column, constant in zip(node.columns, value.values, strict=True):
        if any(isinstance(part, (Reference, Subquery)) for part in preorder(constant, UnresolvedExpression)):
            raise ValidationException(
                "IN of PIVOT accepts constants only.",
                position=clause.converter.position(constant.span),
                hint="strings are written in single quotes",
            )
        is_null = isinstance(constant, Literal) and (constant.value is None or isinstance(constant.type, NullType))
        conditions.append(
            _call(comparison.IS_NULL, (column,)) if is_null else replace(_call(comparison.EQUALS, (column, constant)), span=constant.span)
        )
    return conditions[0] if len(conditions) == 1 else _call(logic.AND, conditions)


def _pivot_name(clause: FromClause, value: PivotValue, aggregate: UnresolvedExpression) -> str:
    name = value.name if value.name is not None else "_".join(_constant_text(clause, constant) for constant in value.values)
    return f"{name}_{aggregate.name}" if isinstance(aggregate, Alias) else name


def _constant_text(clause: FromClause, constant: UnresolvedExpression) -> str:
    """Returns the column name for a constant: the content of a string, or the original text."""
    if isinstance(constant, Literal) and isinstance(constant.value, str):
        return constant.value
    span = constant.span
    written = clause.converter.text[span.start : span.end] if span is not None else str(constant)
    if isinstance(constant, Literal) and written.startswith(":"):  # a parameter
        return str(constant.value)
    return written.split("'")[1] if isinstance(constant, Literal) and written.count("'") == 2 else written


# --- UNPIVOT ----------------------------------------------------------------------------------------------------------------------


def _unpivoted_rows(
    clause: FromClause, node: UnpivotRef, groups: Sequence[Sequence[FieldReferenceExpression]]
) -> list[UnresolvedExpression]:
    for group in node.groups:
        if len(group.columns) != len(node.value_names):
            raise ValidationException(
                f"UNPIVOT has {len(node.value_names)} value columns, but this group has {len(group.columns)} columns.",
                position=clause.converter.position(group.span),
            )
    types = []
    for name, same in zip(node.value_names, zip(*groups, strict=True), strict=True):
        common = find_common_type([column.output_type for column in same])
        if common is None:
            shown = ", ".join(dict.fromkeys(f"'{column.name}' {column.output_type}" for column in same))
            raise ValidationException(
                f"The columns {shown} of UNPIVOT have no common type for '{name}'.",
                position=clause.converter.position(node.groups[0].span),
                hint="CAST them in a query in FROM",
            )
        types.append(common)
    rows: list[UnresolvedExpression] = []
    for group, columns in zip(node.groups, groups, strict=True):
        label = group.label if group.label is not None else "_".join(column.name for column in columns)
        values = [ResolvedLeaf(cast_to(column, type_)) for column, type_ in zip(columns, types, strict=True)]
        rows.append(_call(collections.ROW, (Literal(label, _LABEL), *values)))
    return rows


# --- both -------------------------------------------------------------------------------------------------------------------------


def _call(function: FunctionDefinition, args: Sequence[UnresolvedExpression]) -> Call:
    return Call(function, tuple(args))


def _column(clause: FromClause, scope: Scope, reference: Reference) -> FieldReferenceExpression:
    column, fields = scope.resolve(reference.path, clause.converter.position(reference.span))
    if fields or not isinstance(column, FieldReferenceExpression):
        raise ValidationException(
            f"'{'.'.join(reference.path)}' is not a column of the table.",
            position=clause.converter.position(reference.span),
            hint="compute and name it in a query in FROM",
        )
    return column


def _positions(clause: FromClause, scope: Scope, expressions: Iterable[UnresolvedExpression]) -> Iterable[int]:
    """Yields the positions of the input columns that the expressions use."""
    for expression in expressions:
        for part in preorder(expression, UnresolvedExpression):
            if isinstance(part, Reference):
                column, _ = scope.resolve(part.path, clause.converter.position(part.span))
                yield from (leaf.field_index for leaf in preorder(column, ResolvedExpression) if isinstance(leaf, FieldReferenceExpression))


def _columns_without(scope: Scope, used: set[int]) -> list[tuple[str, ResolvedLeaf]]:
    """Returns the columns of ``*`` without those at the positions."""
    found = []
    for name, column in scope.star_columns():
        positions = {leaf.field_index for leaf in preorder(column, ResolvedExpression) if isinstance(leaf, FieldReferenceExpression)}
        if not positions & used:
            found.append((name, ResolvedLeaf(column)))
    return found


def _refuse_repeated(clause: FromClause, what: str, names: Sequence[_Named]) -> None:
    seen: set[str] = set()
    for name, span in names:
        if name in seen:
            raise ValidationException(
                f"{what} gives two columns '{name}'.", position=clause.converter.position(span), hint="name them with AS"
            )
        seen.add(name)
