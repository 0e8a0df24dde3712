"""Calls of process table functions: binding of arguments, checks of traits, and the operation; the same for SQL and the Table API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from table_api.delegation import Session
from table_api.expressions.unresolved import Call, Literal, NamedArgument, Reference, Span, Symbol, UnresolvedExpression
from table_api.operations import ProcessTableFunctionQueryOperation, QueryOperation, SortOrder, TableArgument, ValuesQueryOperation
from table_api.resolution.casting import cast_to, same_type
from table_api.resolution.set_operations import cast_columns
from table_api.resolution.user_calls import for_session
from table_common.catalog import ResolvedSchema
from table_common.exceptions import SourcePosition, TableException, ValidationException
from table_common.expressions import (
    CallExpression,
    FieldReferenceExpression,
    ResolvedExpression,
    ValueLiteralExpression,
    field_references,
)
from table_common.frozen_dataclass import dataclass, replace
from table_common.functions import ArgumentTrait, ProcessArgument, ProcessSignature, UserFunction
from table_common.functions.builtin import collections
from table_common.types import (
    ArrayType,
    BinaryStringType,
    CharacterType,
    IntType,
    LocalZonedTimestampType,
    LogicalType,
    NullType,
    TimestampType,
    VarCharType,
    is_time_attribute,
    supports_implicit_cast,
)

Positions = Callable[[Span | None], SourcePosition | None]
Resolve = Callable[[UnresolvedExpression], ResolvedExpression]
"""Resolves a scalar argument, which has no columns in scope."""


@dataclass(frozen=True, slots=True)
class GivenTable:
    """A table argument as it is written: its rows, keys and order, which refer to its columns with ``input_index`` 0."""

    operation: QueryOperation
    partition_by: tuple[FieldReferenceExpression, ...] = ()
    order_by: tuple[SortOrder, ...] = ()
    span: Span | None = None


def bind_arguments(
    function: UserFunction, args: Sequence[UnresolvedExpression], position: Positions, call_span: Span | None = None
) -> dict[str, UnresolvedExpression]:
    """Returns the arguments of a call by parameter, without those that are DEFAULT; ``on_time`` and ``uid`` are among them.

    Raises:
        ValidationException: an argument is unknown, missing, given twice, or by position among ones by name.
    """
    signature = _signature_of(function)
    names = [argument.name for argument in signature.arguments]
    known = [*names, "on_time", "uid"]
    text = describe(function)
    given: dict[str, UnresolvedExpression] = {}
    is_named = any(isinstance(arg, NamedArgument) for arg in args)
    for number, arg in enumerate(args):
        if is_named:
            if not isinstance(arg, NamedArgument):
                raise ValidationException(
                    f"The arguments of {function.name} must be either all named or all positional.", position=position(arg.span), hint=text
                )
            name = next((one for one in known if one == arg.name), None) or next(
                (one for one in known if one.lower() == arg.name.lower()), None
            )
            if name is None:
                raise ValidationException.unknown("Argument", arg.name, known, where=function.name).at(position(arg.span))
            value = arg.value
        elif number < len(known):
            name, value = known[number], arg
        else:
            raise ValidationException(
                f"{function.name} has at most {len(known)} arguments, but got {len(args)}.", position=position(arg.span), hint=text
            )
        if name in given:
            raise ValidationException(f"{function.name} got the argument '{name}' twice.", position=position(arg.span))
        given[name] = value
    given = {name: value for name, value in given.items() if not isinstance(value, Symbol)}
    missing = [argument.name for argument in signature.arguments if argument.name not in given and not argument.is_optional]
    if missing:
        raise ValidationException(f"{function.name} lacks the argument '{missing[0]}'.", position=position(call_span), hint=text)
    return given


def describe(function: UserFunction) -> str:
    """Returns the call of a function as messages show it."""
    parts = []
    for argument in _signature_of(function).arguments:
        if argument.is_table:
            part = f"{argument.name} => TABLE t{' PARTITION BY k' if argument.is_set else ''}"
        else:
            part = f"{argument.name} => <{argument.extracted.type if argument.extracted.type is not None else 'ANY'}>"
        parts.append(f"[{part}]" if argument.is_optional else part)
    return f"{function.name}({', '.join([*parts, '[on_time => DESCRIPTOR(ts)]', '[uid => <STRING>]'])})"


def process_table_function(
    session: Session,
    function: UserFunction,
    tables: Mapping[str, GivenTable],
    others: Mapping[str, UnresolvedExpression],
    resolve: Resolve,
    position: Positions,
) -> ProcessTableFunctionQueryOperation:
    """Returns the operation of a call: ``tables`` are its table arguments, ``others`` scalars, ``on_time`` and ``uid``.

    Raises:
        ValidationException: a table has no partition where it needs one, or another one than the others; a scalar is of a wrong type; the time is no column.
    """
    signature = _signature_of(function)
    for argument in signature.arguments:
        if argument.name in tables and not argument.is_table:
            raise ValidationException(
                f"The argument '{argument.name}' of {function.name} is a scalar, but got a table.",
                position=position(tables[argument.name].span),
                hint=describe(function),
            )
    on_time = _time_columns(function, others.get("on_time"), position)
    given = [(argument, tables[argument.name]) for argument in signature.tables if argument.name in tables]
    _check_partitions(function, given, position)
    children: list[QueryOperation] = []
    arguments: list[TableArgument] = []
    for argument, table in given:
        number = len(children)
        children.append(_typed_rows(function, argument, table, position))
        time = _time_of(session, function, argument, table, on_time, position)
        _check_order(session, function, argument, table, position)
        arguments.append(
            TableArgument(
                argument.name,
                tuple(replace(key, input_index=number) for key in table.partition_by),
                tuple(replace(order, expression=_of_input(order.expression, number)) for order in table.order_by),
                None if time is None else replace(time, input_index=number),
            )
        )
    if on_time and not given:
        raise ValidationException(f"{function.name} got on_time, but no table that has times.", position=position(others["on_time"].span))
    if not given:
        one = ValueLiteralExpression(0, IntType(nullable=False))
        children.append(ValuesQueryOperation(((one,),), ResolvedSchema.physical([("$row", one.output_type)])))
        arguments.append(TableArgument(None))
    scalars = tuple(
        _scalar(function, argument, others.get(argument.name), resolve, position)
        for argument in signature.arguments
        if not argument.is_table
    )
    uid = _uid(function, others.get("uid"), position)
    definition = for_session(function, session)
    assert isinstance(definition, UserFunction)
    return ProcessTableFunctionQueryOperation(definition, tuple(children), tuple(arguments), scalars, uid)


def _signature_of(function: UserFunction) -> ProcessSignature:
    assert function.process is not None
    return function.process


def _of_input(expression: ResolvedExpression, number: int) -> ResolvedExpression:
    assert isinstance(expression, FieldReferenceExpression)
    return replace(expression, input_index=number)


def _check_partitions(function: UserFunction, given: Sequence[tuple[ProcessArgument, GivenTable]], position: Positions) -> None:
    for argument, table in given:
        if argument.is_set:
            is_optional = not argument.traits.isdisjoint({ArgumentTrait.OPTIONAL_PARTITION_BY})
            if not table.partition_by and not is_optional:
                raise ValidationException(
                    f"The table '{argument.name}' of {function.name} has set semantics, so it needs PARTITION BY.",
                    position=position(table.span),
                    hint="write TABLE t PARTITION BY k; the trait OPTIONAL_PARTITION_BY of the function makes all rows one partition without it",
                )
        elif table.partition_by or table.order_by:
            what = "PARTITION BY" if table.partition_by else "ORDER BY"
            raise ValidationException(
                f"The table '{argument.name}' of {function.name} has row semantics, so it takes no {what}: each row is processed alone.",
                position=position(table.span),
                hint="ArgumentTrait.SET_SEMANTIC_TABLE declares a table with partitions",
            )
    if len(given) < 2:
        return
    first_argument, first = given[0]
    for argument, table in given[1:]:
        types, others = ([key.output_type for key in one.partition_by] for one in (first, table))
        if len(types) != len(others) or not all(map(_are_comparable, types, others)):
            raise ValidationException(
                f"The tables of {function.name} must be partitioned alike, but '{first_argument.name}' is partitioned by {_keys(first)}"
                f" and '{argument.name}' by {_keys(table)}.",
                position=position(table.span),
                hint="partition by as many columns of the same types, in the same order; CAST a column in a subquery",
            )


def _are_comparable(left: LogicalType, right: LogicalType) -> bool:
    """Whether equal values of two types are equal keys: texts, and bytes, of any length are."""
    return any(isinstance(left, class_) and isinstance(right, class_) for class_ in (CharacterType, BinaryStringType)) or same_type(
        left, right
    )


def _keys(table: GivenTable) -> str:
    return ", ".join(f"{key.name} {key.output_type.summary()}" for key in table.partition_by) or "nothing"


def _typed_rows(function: UserFunction, argument: ProcessArgument, table: GivenTable, position: Positions) -> QueryOperation:
    """Returns the rows of a table with the types of the class of its rows, if the function declares one."""
    type_ = argument.extracted.type
    if type_ is None:
        return table.operation
    fields = type_.fields  # type: ignore[attr-defined]  # extraction allows rows only
    columns = table.operation.resolved_schema.columns
    if len(columns) != len(fields):
        raise ValidationException(
            f"The rows of the table '{argument.name}' of {function.name} have the fields {', '.join(field.name for field in fields)}, but the"
            f" table has {len(columns)} columns: {', '.join(column.name for column in columns)}.",
            position=position(table.span),
            hint="select the columns of the fields, in their order, in a subquery",
        )
    for column, field in zip(columns, fields, strict=True):
        if not supports_implicit_cast(column.data_type, field.type):
            raise ValidationException(
                f"The column '{column.name}' of the table '{argument.name}' of {function.name} is {column.data_type.summary()}, but the field"
                f" '{field.name}' is {field.type.summary()}.",
                position=position(table.span),
                hint="CAST it in a subquery",
            )
    types = [
        column.data_type if same_type(column.data_type, field.type) else field.type.with_nullability(column.data_type.nullable)
        for column, field in zip(columns, fields, strict=True)
    ]
    return cast_columns(table.operation, types)


def _time_columns(function: UserFunction, value: UnresolvedExpression | None, position: Positions) -> tuple[str, ...]:
    names = None if value is None else _descriptor(value)
    if value is not None and names is None and not _is_null(value):
        raise ValidationException(
            f"The argument 'on_time' of {function.name} must name a column of each table.",
            position=position(value.span),
            hint="write it as DESCRIPTOR(ts)",
        )
    return names or ()


def _descriptor(value: UnresolvedExpression) -> tuple[str, ...] | None:
    """Returns the names of a DESCRIPTOR; None for another expression."""
    if not isinstance(value, Call) or value.function != ("DESCRIPTOR",):
        return None
    return tuple(column.path[-1] for column in value.args if isinstance(column, Reference))


def _time_of(
    session: Session, function: UserFunction, argument: ProcessArgument, table: GivenTable, on_time: Sequence[str], position: Positions
) -> FieldReferenceExpression | None:
    if not on_time:
        if ArgumentTrait.REQUIRE_ON_TIME in argument.traits:
            raise ValidationException(
                f"The table '{argument.name}' of {function.name} requires a time.",
                position=position(table.span),
                hint="add on_time => DESCRIPTOR(ts) to the call",
            )
        return None
    columns = table.operation.resolved_schema.columns
    found = [(index, column) for index, column in enumerate(columns) if column.name in on_time]
    if len(found) != 1:
        raise ValidationException(
            f"on_time of {function.name} names {', '.join(on_time)}, of which the table '{argument.name}' has {len(found) or 'none'}.",
            position=position(table.span),
            hint=f"its columns are {', '.join(column.name for column in columns)}; each table needs one time",
        )
    ((index, column),) = found
    if not isinstance(column.data_type, (TimestampType, LocalZonedTimestampType)):
        raise ValidationException(
            f"on_time of {function.name} names the column '{column.name}' of '{argument.name}', which is {column.data_type.summary()}.",
            position=position(table.span),
            hint="TIMESTAMP(3) or TIMESTAMP_LTZ(3)",
        )
    _require_time_attribute(session, f"on_time of {function.name}", column.name, is_time_attribute(column.data_type), table, position)
    return FieldReferenceExpression(column.name, column.data_type, 0, index)


def _require_time_attribute(session: Session, what: str, column: str, is_one: bool, table: GivenTable, position: Positions) -> None:
    if session.is_streaming_mode and not is_one:
        raise ValidationException(
            f"{what} needs a time attribute in streaming mode, but the column '{column}' is none.",
            position=position(table.span),
            hint="use a column for which the table declares a WATERMARK, as it is",
        )


def _check_order(session: Session, function: UserFunction, argument: ProcessArgument, table: GivenTable, position: Positions) -> None:
    if not table.order_by:
        return
    first = table.order_by[0]
    what = f"ORDER BY of the table '{argument.name}' of {function.name}"
    if not first.ascending:
        raise ValidationException(f"{what} begins with a descending column.", position=position(table.span), hint="ORDER BY ts ASC, …")
    column = next(iter(field_references(first.expression)))
    _require_time_attribute(session, what, column.name, is_time_attribute(column.output_type), table, position)


def _scalar(
    function: UserFunction, argument: ProcessArgument, value: UnresolvedExpression | None, resolve: Resolve, position: Positions
) -> ResolvedExpression:
    where = f"The argument '{argument.name}' of {function.name}"
    type_ = argument.extracted.type
    if value is None:
        from table_api.expressions.literals import literal_of

        try:
            literal = literal_of(argument.default)
        except ValidationException as error:
            raise ValidationException(f"{where} cannot be left out: its default is no constant of SQL.", hint=describe(function)) from error
        resolved: ResolvedExpression = ValueLiteralExpression(literal.value, literal.type)
        if literal.value is None and type_ is not None:
            return ValueLiteralExpression(None, type_.with_nullability(True))
        return resolved if type_ is None else cast_to(resolved, type_)
    names = _descriptor(value)
    if names is not None:
        text = VarCharType(nullable=False)
        items = tuple(ValueLiteralExpression(name, text) for name in names)
        resolved = CallExpression(collections.ARRAY, items, ArrayType(text, nullable=False))
    else:
        resolved = resolve(value)
    is_null = isinstance(resolved.output_type, NullType) or (isinstance(resolved, ValueLiteralExpression) and resolved.value is None)
    if is_null and type_ is not None:
        if not argument.extracted.accepts_none:
            raise ValidationException(f"{where} is NULL, but it is declared without None.", position=position(value.span))
        return ValueLiteralExpression(None, type_.with_nullability(True))
    if type_ is None:
        return resolved
    if not supports_implicit_cast(resolved.output_type, type_):
        raise ValidationException(
            f"{where} is {type_.summary()}, but got {resolved.output_type.summary()}.",
            position=position(value.span),
            hint=describe(function),
        )
    return cast_to(resolved, type_)


def _is_null(value: UnresolvedExpression) -> bool:
    return isinstance(value, Literal) and value.value is None


def _uid(function: UserFunction, value: UnresolvedExpression | None, position: Positions) -> str | None:
    if value is None or _is_null(value):
        return None
    if isinstance(value, Literal) and isinstance(value.value, str) and value.value.replace("-", "").replace("_", "").isalnum():
        return value.value
    raise ValidationException(
        f"The argument 'uid' of {function.name} must be a constant text of letters, digits, '_' and '-'.",
        position=position(value.span),
        hint="uid => 'totals-1'",
    )


def require_process_function(definition: object, name: str) -> UserFunction:
    """Returns the definition if it is a process table function.

    Raises:
        TableException: it is another kind of function.
    """
    if isinstance(definition, UserFunction) and definition.process is not None:
        return definition
    raise TableException(f"{name} is not a process table function.", hint="Derive from ProcessTableFunction.")
