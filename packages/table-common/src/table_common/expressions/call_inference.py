"""Infers the types of a call: number and types of arguments with implicit casts, result type; and orders named arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from table_common.exceptions import ValidationException, closest
from table_common.expressions.expression import ResolvedExpression, TypeLiteralExpression, ValueLiteralExpression
from table_common.frozen_dataclass import dataclass
from table_common.inference.call_context import CallContext
from table_common.types.logical import LogicalType
from table_common.types.time_attributes import plain_timestamp

if TYPE_CHECKING:
    from table_common.functions.definition import FunctionDefinition

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class InferredCall:
    """The inferred types of a call: the type to which each argument is cast, and the result type.

    Example:
        >>> from table_common.types import IntType
        >>> str(InferredCall((IntType(),), IntType()).output_type)
        'INT'
    """

    argument_types: tuple[LogicalType, ...]
    output_type: LogicalType


def call_context(name: str, arguments: Sequence[ResolvedExpression], *, is_global_aggregate: bool = False) -> CallContext:
    """Returns the call as strategies see it."""
    types = tuple(argument.output_type for argument in arguments)
    literals = {position: argument.value for position, argument in enumerate(arguments) if isinstance(argument, ValueLiteralExpression)}
    type_literals = {position for position, argument in enumerate(arguments) if isinstance(argument, TypeLiteralExpression)}
    from table_common.expressions.whole_days import is_whole_days  # few calls need it

    return CallContext(
        name, types, literals, is_global_aggregate, type_literals, lambda position: is_whole_days(arguments[position]), arguments
    )


def infer_call(
    definition: FunctionDefinition, arguments: Sequence[ResolvedExpression], *, is_global_aggregate: bool = False
) -> InferredCall:
    """Types a call of ``definition``.

    Args:
        definition: The function or operator.
        arguments: The arguments as they are, before casts; NULL has ``NullType``.
        is_global_aggregate: Whether the function aggregates over all rows, of which there may be none.

    Returns:
        The argument types, equal to an argument's own type where no cast is needed, and the result's type.

    Raises:
        ValidationException: The number or the types of the arguments do not fit; the message lists what does.

    Example:
        >>> from table_common.expressions import FieldReferenceExpression
        >>> from table_common.functions.builtin import arithmetic
        >>> from table_common.types import BigIntType, IntType
        >>> a, b = FieldReferenceExpression("a", IntType(), 0, 0), FieldReferenceExpression("b", BigIntType(), 0, 1)
        >>> str(infer_call(arithmetic.PLUS, (a, b)).output_type)
        'BIGINT'
    """
    inference = definition.get_type_inference()
    context = call_context(definition.name, arguments, is_global_aggregate=is_global_aggregate)
    count = inference.input.argument_count
    if not count.accepts(len(arguments)):
        plural = "argument" if str(count) == "1" else "arguments"
        raise ValidationException(
            f"{definition.name} takes {count} {plural}, but got {len(arguments)}: {_call_text(context)}. Accepted: {_accepted(definition)}."
        )
    argument_types = inference.input.infer(context)
    if argument_types is None:
        message = f"{_call_text(context)} is not a valid call. Accepted: {_accepted(definition)}."
        from table_common.inference.operand_hints import operand_hint  # only an error needs it

        raise ValidationException(message, hint=inference.input.hint(context) or operand_hint(definition.name, context.argument_types))
    output_type = inference.output(context.with_types(argument_types))
    if output_type is None:
        raise ValidationException(f"{_call_text(context)} has no result type. Accepted: {_accepted(definition)}.")
    # Differs from Flink: a call of a time attribute is a plain timestamp, also where types are printed (`MIN(ts)`). Flink prints *ROWTIME* and refuses
    # its use, unless its optimizer reduces the call to the column, as `CASE WHEN a THEN ts ELSE ts END`.
    return InferredCall(argument_types, output_type if inference.gives_time_attribute else plain_timestamp(output_type))


def rearrange_named_arguments(definition: FunctionDefinition, arguments: Sequence[tuple[str | None, _T]], missing: _T) -> tuple[_T, ...]:
    """Puts ``name => value`` arguments in the order of the function's parameters.

    Args:
        definition: The function called.
        arguments: Pairs of name and value; the name None means that it was given by position. Either all arguments have names or none.
        missing: The value for an omitted optional argument (NULL).

    Raises:
        ValidationException: A name is unknown, given twice or not optional and left out, or the function has no names.

    Example:
        >>> from table_common.functions import ScalarFunction, as_user_function
        >>> class Scale(ScalarFunction):
        ...     def eval(self, value: int, factor: int = 10) -> int:
        ...         return value * factor
        >>> rearrange_named_arguments(as_user_function(Scale), [("factor", 2), ("value", 7)], missing=None)
        (7, 2)
    """
    names = [name for name, _ in arguments if name is not None]
    if not names:
        return tuple(value for _, value in arguments)
    inference = definition.get_type_inference()
    known = inference.argument_names
    if known is None:
        raise ValidationException(f"{definition.name} has no named arguments; pass them by position.")
    if len(names) != len(arguments):
        raise ValidationException(f"A call of {definition.name} passes either all arguments by name or all by position.")
    for name in names:
        if name not in known:
            near = closest(name, known)
            raise ValidationException(
                f"{definition.name} has no argument '{name}'. Its arguments are {', '.join(known)}.",
                hint=f"Did you mean '{near[0]}'?" if near else None,
            )
        if names.count(name) > 1:
            raise ValidationException(f"Argument '{name}' of {definition.name} is given twice.")
    given = {name: value for name, value in arguments if name is not None}
    optional = inference.optional_arguments or (False,) * len(known)
    for name, may_miss in zip(known, optional, strict=True):
        if name not in given and not may_miss:
            raise ValidationException(f"{definition.name} needs the argument '{name}', which is not optional.")
    return tuple(given.get(name, missing) for name in known)


def _call_text(context: CallContext) -> str:
    return f"{context.name}({', '.join(str(plain_timestamp(type_)) for type_ in context.argument_types)})"


def _accepted(definition: FunctionDefinition) -> str:
    return " or ".join(f"{definition.name}({text})" for text in definition.get_type_inference().input.signatures())
