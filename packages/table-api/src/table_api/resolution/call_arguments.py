"""Arguments of ML_PREDICT and VECTOR_SEARCH: by name or position, DESCRIPTOR(…), and MAP[…] of options."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from table_api.expressions.unresolved import Call, Literal, NamedArgument, Reference, Span, Symbol, UnresolvedExpression
from table_common.exceptions import SourcePosition, ValidationException
from table_common.functions.builtin import collections, conversion

Positions = Callable[[Span | None], SourcePosition | None]


def named_arguments(
    function: str, names: Sequence[str], required: int, args: Sequence[UnresolvedExpression], position: Positions, signature: str
) -> dict[str, UnresolvedExpression]:
    """Returns the arguments of a call by name, without those that are DEFAULT or NULL; the first ``required`` must be there.

    Raises:
        ValidationException: an argument is unknown, missing, given twice, or by position among ones by name.
    """
    given: dict[str, UnresolvedExpression] = {}
    is_named = any(isinstance(arg, NamedArgument) for arg in args)
    for number, arg in enumerate(args):
        value = arg
        if isinstance(arg, NamedArgument):
            name, value = arg.name.lower(), arg.value
            if name not in names:
                raise ValidationException.unknown("Argument", arg.name, names, where=function).at(position(arg.span))
        elif is_named:
            raise ValidationException(
                f"The arguments of {function} must be either all named or all positional.", position=position(arg.span), hint=signature
            )
        elif number < len(names):
            name = names[number]
        else:
            raise ValidationException(
                f"{function} has at most {len(names)} arguments, but got {len(args)}.", position=position(arg.span), hint=signature
            )
        if name in given:
            raise ValidationException(f"{function} got the argument '{name}' twice.", position=position(arg.span))
        given[name] = value
    given = {
        name: value
        for name, value in given.items()
        if not isinstance(value, Symbol) and not (isinstance(value, Literal) and value.value is None)
    }
    missing = [name for name in names[:required] if name not in given]
    if missing:
        raise ValidationException(f"{function} lacks the argument '{missing[0]}'.", hint=signature)
    return given


def descriptor_columns(value: UnresolvedExpression) -> list[tuple[str, Span | None]] | None:
    """Returns the names in ``DESCRIPTOR(a, b)``; None if the argument is something else."""
    if isinstance(value, Call) and value.function == ("DESCRIPTOR",):
        return [(column.path[-1], column.span) for column in value.args if isinstance(column, Reference)]
    return None


def constant_options(function: str, value: UnresolvedExpression | None, position: Positions) -> dict[str, str]:
    """Returns the options of ``MAP['key', 'value', …]``, the argument 'config'.

    Raises:
        ValidationException: the argument is no map of constant texts.
    """
    if value is None:
        return {}
    if isinstance(value, Call) and value.function in (collections.MAP, ("MAP",)):
        values = [one.args[0] if isinstance(one, Call) and one.function is conversion.CAST else one for one in value.args]
        texts = [one.value for one in values if isinstance(one, Literal) and isinstance(one.value, str)]
        if len(texts) == len(value.args) and len(texts) % 2 == 0:
            return dict(zip(texts[::2], texts[1::2], strict=True))
    raise ValidationException(
        f"The argument 'config' of {function} must be a map of constant texts.",
        position=position(value.span),
        hint="write it as MAP['async', 'true', 'timeout', '30 s']",
    )
