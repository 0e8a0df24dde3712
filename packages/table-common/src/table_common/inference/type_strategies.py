"""Strategies for the result type of a call (FLIP-65's *TypeStrategies*): small composable functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy
from table_common.types.logical import (
    ArrayType,
    BinaryStringType,
    CharacterType,
    LogicalType,
    SymbolType,
    VarBinaryType,
    VarCharType,
)
from table_common.types.merging import find_common_type


def explicit(result: LogicalType) -> TypeStrategy:
    """Always ``result``.

    Example:
        >>> from table_common.types import IntType
        >>> str(explicit(IntType())(CallContext("F", (), {})))
        'INT'
    """
    return lambda context: result


def same_as(position: int) -> TypeStrategy:
    """The type of an argument, with its nullability; None if the argument is omitted.

    Example:
        >>> from table_common.types import IntType
        >>> str(same_as(0)(CallContext("F", (IntType(nullable=False),), {})))
        'INT NOT NULL'
    """
    return lambda context: context.argument_types[position] if position < len(context.argument_types) else None


def least_common(start: int = 0) -> TypeStrategy:
    """The least common type of the arguments from ``start`` on; nullable if one of them is.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> str(least_common()(CallContext("F", (IntType(), BigIntType()), {})))
        'BIGINT'
    """

    return lambda context: find_common_type(context.argument_types[start:])


def force_nullable(inner: TypeStrategy) -> TypeStrategy:
    """The inner type, nullable.

    Example:
        >>> from table_common.types import IntType
        >>> str(force_nullable(same_as(0))(CallContext("F", (IntType(nullable=False),), {})))
        'INT'
    """
    return _with_nullability(inner, lambda context: True)


def force_not_null(inner: TypeStrategy) -> TypeStrategy:
    """The inner type, NOT NULL.

    Example:
        >>> from table_common.types import IntType
        >>> str(force_not_null(same_as(0))(CallContext("F", (IntType(),), {})))
        'INT NOT NULL'
    """
    return _with_nullability(inner, lambda context: False)


def nullable_if_args(inner: TypeStrategy) -> TypeStrategy:
    """The inner type, nullable if some argument is; symbols and type literals do not count.

    Example:
        >>> from table_common.types import BooleanType, IntType
        >>> str(nullable_if_args(explicit(BooleanType(nullable=False)))(CallContext("F", (IntType(),), {})))
        'BOOLEAN'
    """
    return _with_nullability(inner, lambda context: any(_nullabilities(context)))


def nullable_if_all_args(inner: TypeStrategy) -> TypeStrategy:
    """The inner type, nullable if every argument is.

    Example:
        >>> from table_common.types import IntType
        >>> types = (IntType(), IntType(nullable=False))
        >>> str(nullable_if_all_args(same_as(0))(CallContext("F", types, {})))
        'INT NOT NULL'
    """
    return _with_nullability(inner, lambda context: all(_nullabilities(context)))


def nullable_if(inner: TypeStrategy, *positions: int) -> TypeStrategy:
    """The inner type, nullable if one of the arguments at the positions is.

    Example:
        >>> from table_common.types import BooleanType, IntType
        >>> str(nullable_if(explicit(BooleanType(nullable=False)), 0)(CallContext("F", (IntType(),), {})))
        'BOOLEAN'
    """
    return _with_nullability(
        inner, lambda context: any(context.argument_types[at].nullable for at in positions if at < len(context.argument_types))
    )


def nullable_if_global(inner: TypeStrategy) -> TypeStrategy:
    """The inner type; nullable if the aggregate is global, because there may be no rows.

    Example:
        >>> from table_common.types import IntType
        >>> str(nullable_if_global(explicit(IntType(nullable=False)))(CallContext("F", (), {}, is_global_aggregate=True)))
        'INT'
    """

    def infer(context: CallContext) -> LogicalType | None:
        result = inner(context)
        return result.with_nullability(True) if result is not None and context.is_global_aggregate else result

    return infer


def first_of(*inner: TypeStrategy) -> TypeStrategy:
    """The result of the first strategy that has one.

    Example:
        >>> from table_common.types import IntType
        >>> str(first_of(same_as(1), same_as(0))(CallContext("F", (IntType(),), {})))
        'INT'
    """

    def infer(context: CallContext) -> LogicalType | None:
        return next((result for strategy in inner if (result := strategy(context)) is not None), None)

    return infer


def mapping(choices: Mapping[type[LogicalType], TypeStrategy], position: int = 0) -> TypeStrategy:
    """The strategy that stands for the class of an argument's type.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> str(mapping({IntType: explicit(BigIntType())})(CallContext("F", (IntType(),), {})))
        'BIGINT'
    """

    def infer(context: CallContext) -> LogicalType | None:
        chosen = choices.get(type(context.argument_types[position]))
        return chosen(context) if chosen is not None else None

    return infer


def match_family(position: int, classes: Sequence[type[LogicalType]], inner: TypeStrategy) -> TypeStrategy:
    """The inner strategy's result if the argument's type is of one of the classes.

    Example:
        >>> from table_common.types import BigIntType, IntType
        >>> match_family(0, [BigIntType], same_as(0))(CallContext("F", (IntType(),), {})) is None
        True
    """
    wanted = tuple(classes)
    return lambda context: inner(context) if isinstance(context.argument_types[position], wanted) else None


def varying(inner: TypeStrategy) -> TypeStrategy:
    """The inner type with CHAR and BINARY made VARCHAR and VARBINARY of the same length.

    Example:
        >>> from table_common.types import CharType
        >>> str(varying(same_as(0))(CallContext("F", (CharType(3),), {})))
        'VARCHAR(3)'
    """

    def infer(context: CallContext) -> LogicalType | None:
        result = inner(context)
        if isinstance(result, CharacterType):
            return VarCharType(result.length, nullable=result.nullable)
        if isinstance(result, BinaryStringType):
            return VarBinaryType(result.length, nullable=result.nullable)
        return result

    return infer


def array_of(inner: TypeStrategy) -> TypeStrategy:
    """A NOT NULL array of the inner type.

    Example:
        >>> from table_common.types import IntType
        >>> str(array_of(same_as(0))(CallContext("F", (IntType(),), {})))
        'ARRAY<INT> NOT NULL'
    """

    def infer(context: CallContext) -> LogicalType | None:
        element = inner(context)
        return ArrayType(element, nullable=False) if element is not None else None

    return infer


def _with_nullability(inner: TypeStrategy, is_nullable: Callable[[CallContext], bool]) -> TypeStrategy:
    def infer(context: CallContext) -> LogicalType | None:
        result = inner(context)
        return result.with_nullability(is_nullable(context)) if result is not None else None

    return infer


def _nullabilities(context: CallContext) -> list[bool]:
    return [
        type_.nullable
        for position, type_ in enumerate(context.argument_types)
        if not isinstance(type_, SymbolType) and position not in context.type_literals
    ]
