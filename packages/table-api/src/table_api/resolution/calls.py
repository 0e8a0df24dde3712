"""Resolution of calls: finds the function, infers the types, casts the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from table_api.delegation import Session
from table_api.operations import SortOrder
from table_api.resolution.aggregate_expression import AggregateExpression, contains_aggregate
from table_api.resolution.casting import cast_arguments, cast_to
from table_api.resolution.key_types import check_key
from table_api.resolution.over.expression import contains_window
from table_api.resolution.row_comparison import compare_rows
from table_common.exceptions import SourcePosition, ValidationException
from table_common.expressions import (
    CallExpression,
    ResolvedExpression,
    TypeLiteralExpression,
    ValueLiteralExpression,
    infer_call,
    rearrange_named_arguments,
)
from table_common.frozen_dataclass import dataclass
from table_common.functions import EngineFunction, FunctionDefinition, FunctionKind
from table_common.functions.builtin import BUILT_INS_BY_NAME, aggregates, family_of
from table_common.tree import MAX_TYPE_DEPTH, MAX_TYPE_PARTS, preorder
from table_common.types import ArrayType, BooleanType, LogicalType, NullType, RowType, StructuredType, has_more_parts, is_deeper


@dataclass(frozen=True, slots=True)
class ResolvedNamedArgument:
    """``name => value`` with the value resolved."""

    name: str
    value: ResolvedExpression


def resolve_call(
    session: Session,
    function: tuple[str, ...] | FunctionDefinition,
    args: Sequence[ResolvedExpression | ResolvedNamedArgument],
    *,
    position: SourcePosition | None = None,
    distinct: bool = False,
    condition: ResolvedExpression | None = None,
    order_by: tuple[SortOrder, ...] = (),
    star: bool = False,
    aggregates_refused_in: str | None = None,
    is_global_aggregate: bool = False,
    has_window: bool = False,
) -> ResolvedExpression:
    """Returns the typed call, with casts where an argument is of another type than the function takes.

    Raises:
        ValidationException: the function is unknown or does not take these arguments.
    """
    definition = definition_of(session, function, position)
    from table_api.resolution.user_calls import ROWS_OF, call_of_rows, for_session, with_defaults  # few queries call functions of users

    if definition.is_user_defined:
        definition = for_session(definition, session)
    arguments = _in_order(definition, args)
    if definition.is_user_defined:
        arguments = with_defaults(definition, arguments)
    if definition.kind in ROWS_OF:
        return call_of_rows(definition, arguments, aggregates_refused_in, position)
    if definition.kind not in (FunctionKind.AGGREGATE, FunctionKind.TABLE_AGGREGATE):
        if distinct or condition is not None or order_by or star:
            raise ValidationException(
                f"{definition.name} is not an aggregate function, so it takes no DISTINCT, FILTER, ORDER BY or *.", position=position
            )
        return _typed_call(definition, arguments)
    traits = definition.aggregate_traits
    if traits.is_over_only and not has_window:
        raise ValidationException(f"{definition.name} needs an OVER window.", position=position, hint=f"{definition.name}(…) OVER (…)")
    if aggregates_refused_in is not None:
        kind, hint = ("window function", "filter with QUALIFY") if has_window else ("aggregate", "filter groups with HAVING")
        raise ValidationException(
            f"The {kind} {definition.name} cannot be used in {aggregates_refused_in}.",
            position=position,
            hint=hint if aggregates_refused_in == "WHERE" else None,
        )
    if distinct and len(arguments) > 1 and definition is aggregates.COUNT:
        raise ValidationException(
            "COUNT(DISTINCT …) counts the values of one column.", position=position, hint="count the rows of SELECT DISTINCT a, b"
        )
    for argument in arguments if distinct else ():
        check_key(f"{definition.name}(DISTINCT …)", argument, position)
    inner = [*arguments, *([condition] if condition is not None else [])]
    if not has_window and contains_window(inner):
        raise ValidationException(
            f"The aggregate {definition.name} has a window function among its arguments.",
            position=position,
            hint="compute the window function in a query in FROM",
        )
    if not has_window and contains_aggregate(inner):
        raise ValidationException(
            f"The aggregate {definition.name} has an aggregate among its arguments.",
            position=position,
            hint="aggregate in a subquery first",
        )
    if condition is not None and not isinstance(condition.output_type, (BooleanType, NullType)):
        raise ValidationException.wrong_type("FILTER", expected="a BOOLEAN condition", got=condition.output_type, position=position)
    for argument in arguments:
        refuse_json(argument)
    inferred = infer_call(definition, arguments, is_global_aggregate=is_global_aggregate or condition is not None)
    cast = cast_arguments(arguments, inferred.argument_types)
    output_type = inferred.output_type
    if definition.kind is FunctionKind.TABLE_AGGREGATE:
        output_type = ArrayType(output_type, nullable=False)
    if condition is not None and isinstance(condition.output_type, NullType):
        condition = cast_to(condition, BooleanType())
    if traits.check is not None and (problem := traits.check([_constants_in(argument) for argument in cast])) is not None:
        raise ValidationException(problem, position=position)
    return AggregateExpression(definition, cast, output_type, distinct, condition, order_by if traits.depends_on_order else ())


def _constants_in(argument: ResolvedExpression) -> list[ValueLiteralExpression]:
    return [node for node in preorder(argument, ResolvedExpression) if isinstance(node, ValueLiteralExpression)]


def _typed_call(definition: FunctionDefinition, arguments: Sequence[ResolvedExpression]) -> ResolvedExpression:
    if definition is _ROW and not arguments:
        raise ValidationException("ROW needs at least one value.")
    if definition is _ROW and all(type(argument) is ValueLiteralExpression for argument in arguments):
        return CallExpression(_ROW, tuple(arguments), _row_of_constants(tuple(argument.output_type for argument in arguments)))
    if definition is BUILT_INS_BY_NAME["AT"] and isinstance(arguments[0].output_type, (RowType, StructuredType)):
        from table_api.resolution.field_access import field_at  # few queries need it

        return field_at(*arguments)
    inferred = infer_call(definition, arguments)
    _check_constant_division(definition, arguments)
    if definition.name not in _JSON_CONSTRUCTORS or family_of(definition) is None:
        for argument in arguments:
            refuse_json(argument)
    by_fields = compare_rows(definition, arguments, _typed_call)
    if by_fields is not None:
        return by_fields
    if definition in _MAKE_TYPES and has_more_parts(inferred.output_type, MAX_TYPE_PARTS):
        raise ValidationException(f"A type may hold at most {MAX_TYPE_PARTS:,} types, but that of this {definition.name} holds more.")
    if definition in _MAKE_TYPES and is_deeper(inferred.output_type, MAX_TYPE_DEPTH):
        raise ValidationException(f"Types may be nested at most {MAX_TYPE_DEPTH} deep, but this {definition.name} is of a deeper one.")
    is_collection = definition in _MAKE_TYPES and definition is not _ROW
    cast = cast_arguments(arguments, inferred.argument_types, into_rows=is_collection)
    return CallExpression(definition, cast, inferred.output_type)


@lru_cache(maxsize=256)
def _row_of_constants(types: tuple[LogicalType, ...]) -> LogicalType:
    """Returns the type of a ROW of constants: a statement may have many thousands of rows of the same types."""
    return _typed_call(_ROW, [TypeLiteralExpression(type_) for type_ in types]).output_type


_ROW = BUILT_INS_BY_NAME["ROW"]
_MAKE_TYPES = frozenset(BUILT_INS_BY_NAME[name] for name in ("ARRAY", "MAP", "ROW"))


def refuse_json(expression: ResolvedExpression) -> None:
    """Refuses a call of JSON, which is only valid as an argument of JSON_OBJECT or JSON_ARRAY.

    Raises:
        ValidationException: it is such a call.
    """
    if isinstance(expression, CallExpression) and expression.function is BUILT_INS_BY_NAME["JSON"]:
        raise ValidationException(
            "JSON() can only be used as an argument of JSON_OBJECT and JSON_ARRAY.",
            hint="elsewhere use the text itself, or PARSE_JSON to get a VARIANT",
        )


def _check_constant_division(definition: FunctionDefinition, arguments: Sequence[ResolvedExpression]) -> None:
    if definition is not BUILT_INS_BY_NAME["DIVIDE"] or not all(isinstance(a, ValueLiteralExpression) for a in arguments):
        return
    dividend, divisor = (argument.value for argument in arguments if isinstance(argument, ValueLiteralExpression))
    if dividend is not None and divisor is not None and divisor == 0:
        raise ValidationException("A constant is divided by zero.")


_JSON_CONSTRUCTORS = frozenset({"JSON_OBJECT", "JSON_ARRAY"})


def definition_of(session: Session, function: tuple[str, ...] | FunctionDefinition, position: SourcePosition | None) -> FunctionDefinition:
    """Returns the function of a call.

    Raises:
        ValidationException: there is none of this name.
    """
    found = function if isinstance(function, FunctionDefinition) else session.functions.find_function(function)
    if found is None:
        assert isinstance(function, tuple)
        raise session.functions.function_not_found(function, position)
    return session.resolve_function(found) if isinstance(found, EngineFunction) else found


def _in_order(definition: FunctionDefinition, args: Sequence[ResolvedExpression | ResolvedNamedArgument]) -> list[ResolvedExpression]:
    values = [a for a in args if not isinstance(a, ResolvedNamedArgument)]
    if len(values) == len(args):
        return values
    pairs = [(a.name, a.value) if isinstance(a, ResolvedNamedArgument) else (None, a) for a in args]
    from table_api.resolution.user_calls import MISSING  # few queries call functions of users

    return list(rearrange_named_arguments(definition, pairs, MISSING))
