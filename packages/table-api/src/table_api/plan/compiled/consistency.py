"""Validation of compiled plans: a damaged file may refer to missing columns or declare wrong types.

Checks what the resolver ensures for statements, as far as kernels would otherwise receive values of unexpected types.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from types import NoneType

from table_api.operations import (
    AggregateCall,
    AggregateQueryOperation,
    FilterQueryOperation,
    FromChangelogQueryOperation,
    JoinQueryOperation,
    MatchRecognizeQueryOperation,
    ProcessTableFunctionQueryOperation,
    ProjectQueryOperation,
    QueryOperation,
    SinkModifyOperation,
    SortQueryOperation,
    UnnestQueryOperation,
    ValuesQueryOperation,
    VersionedJoinQueryOperation,
    WatermarkQueryOperation,
    WindowCall,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
)
from table_common.exceptions import ValidationException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    PatternAggregate,
    ResolvedExpression,
    RowNavigation,
    ValueLiteralExpression,
    field_references,
    infer_call,
)
from table_common.functions import BuiltInFunctionDefinition, FunctionDefinition
from table_common.tree import by_class, children_of, preorder
from table_common.types import (
    APPROXIMATE_NUMERICS,
    EXACT_INTEGERS,
    INTERVALS,
    BinaryStringType,
    BooleanType,
    CharacterType,
    DateType,
    DecimalType,
    DoubleType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    NullType,
    SymbolType,
    TimestampType,
    TimeType,
    VarCharType,
)

_OVER_CHILDREN = (
    ProjectQueryOperation,
    FilterQueryOperation,
    AggregateQueryOperation,
    JoinQueryOperation,
    SortQueryOperation,
    UnnestQueryOperation,
    WindowQueryOperation,
    WindowTableFunctionQueryOperation,
    WatermarkQueryOperation,
    FromChangelogQueryOperation,
    VersionedJoinQueryOperation,
    ValuesQueryOperation,
)
"""Operations whose expressions refer only to the columns of their children; those of constant rows to none."""
_VALUES: tuple[tuple[tuple[type[LogicalType], ...], type], ...] = (
    ((BooleanType,), bool),
    (EXACT_INTEGERS, int),
    (APPROXIMATE_NUMERICS, float),
    ((DecimalType,), Decimal),
    ((CharacterType,), str),
    ((BinaryStringType,), bytes),
    ((DateType,), date),
    ((TimeType, TimestampType, LocalZonedTimestampType, *INTERVALS), int),
    ((SymbolType,), Enum),
)
"""The Python class of the literals of each type."""
_CONSTANTS: tuple[tuple[type, LogicalType], ...] = (
    (NoneType, NullType()),
    (Enum, SymbolType(nullable=False)),
    (bool, BooleanType(nullable=False)),
    (int, IntType(nullable=False)),
    (float, DoubleType(nullable=False)),
    (Decimal, DecimalType(38, 18, nullable=False)),
    (str, VarCharType(nullable=False)),
)
"""A type for the constant arguments of aggregates of each Python class."""


def contradiction(operation: QueryOperation | SinkModifyOperation) -> str | None:
    """Returns a description of the first inconsistency in an operation or with its inputs; None if it is valid."""
    for expression in children_of(operation, ResolvedExpression):
        for node in preorder(expression, ResolvedExpression):
            found = _in_expression(node)
            if isinstance(node, FieldReferenceExpression) and isinstance(operation, _OVER_CHILDREN):
                found = _in_reference(node, children_of(operation, QueryOperation))
            if found is not None:
                return found
    return _in_fields(operation)


@by_class
def _in_fields(operation: QueryOperation | SinkModifyOperation) -> str | None:
    """Returns the first inconsistency of what an operation has besides expressions over columns."""
    return None


@_in_fields.register(ValuesQueryOperation)
def _in_values(operation: ValuesQueryOperation) -> str | None:
    types = operation.resolved_schema.column_types
    if any(len(row) != len(types) or not all(map(_is_same, (e.output_type for e in row), types)) for row in operation.rows):
        return "a row has values of other types than its columns"
    return None


@_in_fields.register(AggregateQueryOperation)
def _in_groups(operation: AggregateQueryOperation) -> str | None:
    sets = operation.grouping_sets or ()
    if any(not 0 <= position < len(operation.grouping) for one in sets for position in one):
        return "a grouping set has a key that does not exist"
    return next((found for call in operation.aggregates if (found := _in_aggregate(call, call.constant_args)) is not None), None)


@_in_fields.register(WindowQueryOperation)
def _in_window(operation: WindowQueryOperation) -> str | None:
    return next((found for call in operation.calls if (found := _in_aggregate(call)) is not None), None)


@_in_fields.register(MatchRecognizeQueryOperation)
def _in_match(match: MatchRecognizeQueryOperation) -> str | None:
    """Returns the first inconsistency: expressions refer to the pattern values, and those to columns of the child for any ``input_index``."""
    names = {variable.name for variable in match.pattern}
    for name in (*(definition.variable for definition in match.definitions), match.after_match_variable):
        if name is not None and name not in names:
            return f"the pattern has no variable '{name}'"
    over_child: list[ResolvedExpression] = [*match.partition_by, *(order.expression for order in match.order_by)]
    for pattern in (*match.measures, *(definition.condition for definition in match.definitions)):
        types = []
        for value in pattern.values:
            column = None if isinstance(value, PatternAggregate) else value.column
            over_child += value.args if isinstance(value, PatternAggregate) else [column] if column is not None else []
            types.append(value.column.output_type if isinstance(value, RowNavigation) else value.output_type)
        for reference in field_references(pattern.expression):
            found = _in_types(reference, types)
            if found is not None:
                return found
    columns = match.child.resolved_schema.column_types
    used = (reference for expression in over_child for reference in field_references(expression))
    return next((found for reference in used if (found := _in_types(reference, columns))), None)


@_in_fields.register(ProcessTableFunctionQueryOperation)
def _in_process(call: ProcessTableFunctionQueryOperation) -> str | None:
    """Returns the first inconsistency of a call with the function as it is now."""
    process = call.function.process
    if process is None:
        return f"{call.function.name} is no process table function"
    names = [argument.name for argument in process.arguments if argument.is_table]
    if any(argument.name is not None and argument.name not in names for argument in call.arguments):
        return f"{call.function.name} has no such table argument"
    scalars = [argument for argument in process.arguments if not argument.is_table]
    if len(scalars) != len(call.scalars):
        return f"{call.function.name} takes {len(scalars)} scalars"
    for number, argument in enumerate(call.arguments):
        columns = call.tables[number].resolved_schema.column_types
        references = [*argument.partition_by, *([argument.time] if argument.time is not None else [])]
        references += [reference for order in argument.order_by for reference in field_references(order.expression)]
        for reference in references:
            if reference.input_index != number or (found := _in_types(reference, columns)) is not None:
                return found if reference.input_index == number else "a column is of another table"
    return None


def _in_expression(node: ResolvedExpression) -> str | None:
    if isinstance(node, ValueLiteralExpression) and node.value is not None:
        for types, class_ in _VALUES:
            if isinstance(node.output_type, types):
                is_of_class = isinstance(node.value, class_) and (class_ is bool or not isinstance(node.value, bool))
                return None if is_of_class else f"a constant is no {node.output_type.summary()}"
    return _in_call(node.function, node.args, node.output_type) if isinstance(node, CallExpression) else None


def _in_call(function: FunctionDefinition, args: Sequence[ResolvedExpression], output_type: LogicalType) -> str | None:
    if not isinstance(function, BuiltInFunctionDefinition):
        return None
    try:
        inferred = infer_call(function, args)
    except ValidationException as error:
        return error.message
    if type(inferred.output_type) is not type(output_type):
        return f"{function.name} gives {inferred.output_type.summary()}, not {output_type.summary()}"
    for arg, expected in zip(args, inferred.argument_types, strict=True):
        if type(arg.output_type) is not type(expected):
            return f"{function.name} takes {expected.summary()}, not {arg.output_type.summary()}"
    return None


def _in_aggregate(call: AggregateCall | WindowCall, constants: Sequence[object] = ()) -> str | None:
    args: list[ResolvedExpression] = list(call.args)
    for value in constants:
        found = next((type_ for class_, type_ in _CONSTANTS if isinstance(value, class_)), None)
        if found is None:
            return f"a constant argument of {call.function.name} has the wrong type"
        args.append(ValueLiteralExpression(value, found))
    if call.filter is not None and not isinstance(call.filter.output_type, BooleanType):
        return f"the filter of {call.function.name} is not a BOOLEAN"
    return _in_call(call.function, args, call.output_type)


def _in_reference(reference: FieldReferenceExpression, children: Sequence[QueryOperation]) -> str | None:
    if not 0 <= reference.input_index < len(children):
        return f"the column '{reference.name}' refers to an input that does not exist"
    return _in_types(reference, children[reference.input_index].resolved_schema.column_types)


def _in_types(reference: FieldReferenceExpression, types: Sequence[LogicalType]) -> str | None:
    if not 0 <= reference.field_index < len(types):
        return f"the column '{reference.name}' is not in its input"
    if not _is_same(reference.output_type, types[reference.field_index]):
        return f"the column '{reference.name}' has another type in its input"
    return None


@_in_fields.register(SinkModifyOperation)
def _in_sink(sink: SinkModifyOperation) -> str | None:
    given = sink.child.resolved_schema.column_types
    if sink.target_columns is None and sink.consumed is None and not sink.static_partition:
        wanted = [column.data_type for column in sink.table.table.resolved_schema.columns if column.is_persisted()]
        if len(given) != len(wanted) or not all(map(_is_same, given, wanted)):
            return f"the query has other columns than the table {sink.table.identifier.as_summary_string()}"
    return None


def _is_same(one: LogicalType, other: LogicalType) -> bool:
    return one == other or type(one) is type(other)
