"""Strategies for the result type of a call (FLIP-65's *TypeStrategies*): small composable functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from table_common.expressions.expression import TypeLiteralExpression
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy
from table_common.types.logical import (
    ArrayType,
    BinaryStringType,
    CharacterType,
    LocalZonedTimestampType,
    LogicalType,
    SymbolType,
    TimestampKind,
    TimestampType,
    VarBinaryType,
    VarCharType,
)
from table_common.types.merging import find_common_type

__all__ = [
    "array_of",
    "explicit",
    "first_of",
    "force_not_null",
    "force_nullable",
    "least_common",
    "mapping",
    "match_family",
    "nullable_if",
    "nullable_if_all_args",
    "nullable_if_args",
    "nullable_if_global",
    "plain_timestamp",
    "same_as",
    "varying",
]


def explicit(result: LogicalType) -> TypeStrategy:
    """Always ``result``."""
    return lambda context: result


def same_as(position: int) -> TypeStrategy:
    """The type of an argument, with its nullability; None if the argument is omitted.

    A time attribute becomes a plain timestamp.
    """
    return lambda context: plain_timestamp(context.argument_types[position]) if position < len(context.argument_types) else None


def plain_timestamp(type_: LogicalType) -> LogicalType:
    """Returns the type; a time attribute loses its kind."""
    if isinstance(type_, (TimestampType, LocalZonedTimestampType)) and type_.kind is not TimestampKind.REGULAR:
        return dataclasses.replace(type_, kind=TimestampKind.REGULAR)
    return type_


def least_common(start: int = 0) -> TypeStrategy:
    """The least common type of the arguments from ``start`` on; nullable if one of them is."""

    def infer(context: CallContext) -> LogicalType | None:
        common = find_common_type(context.argument_types[start:])
        return plain_timestamp(common) if common is not None else None

    return infer


def force_nullable(inner: TypeStrategy) -> TypeStrategy:
    """The inner type, nullable."""
    return _with_nullability(inner, lambda context: True)


def force_not_null(inner: TypeStrategy) -> TypeStrategy:
    """The inner type, NOT NULL."""
    return _with_nullability(inner, lambda context: False)


def nullable_if_args(inner: TypeStrategy) -> TypeStrategy:
    """The inner type, nullable if some argument is; symbols and type literals do not count."""
    return _with_nullability(inner, lambda context: any(_nullabilities(context)))


def nullable_if_all_args(inner: TypeStrategy) -> TypeStrategy:
    """The inner type, nullable if every argument is."""
    return _with_nullability(inner, lambda context: all(_nullabilities(context)))


def nullable_if(inner: TypeStrategy, *positions: int) -> TypeStrategy:
    """The inner type, nullable if one of the arguments at the positions is."""
    return _with_nullability(
        inner, lambda context: any(context.argument_types[at].nullable for at in positions if at < len(context.argument_types))
    )


def nullable_if_global(inner: TypeStrategy) -> TypeStrategy:
    """The inner type; nullable if the aggregate is global, because there may be no rows."""

    def infer(context: CallContext) -> LogicalType | None:
        result = inner(context)
        return result.with_nullability(True) if result is not None and context.is_global_aggregate else result

    return infer


def first_of(*inner: TypeStrategy) -> TypeStrategy:
    """The result of the first strategy that has one."""

    def infer(context: CallContext) -> LogicalType | None:
        return next((result for strategy in inner if (result := strategy(context)) is not None), None)

    return infer


def mapping(choices: Mapping[type[LogicalType], TypeStrategy], position: int = 0) -> TypeStrategy:
    """The strategy that stands for the class of an argument's type."""

    def infer(context: CallContext) -> LogicalType | None:
        chosen = choices.get(type(context.argument_types[position]))
        return chosen(context) if chosen is not None else None

    return infer


def match_family(position: int, classes: Sequence[type[LogicalType]], inner: TypeStrategy) -> TypeStrategy:
    """The inner strategy's result if the argument's type is of one of the classes."""
    wanted = tuple(classes)
    return lambda context: inner(context) if isinstance(context.argument_types[position], wanted) else None


def varying(inner: TypeStrategy) -> TypeStrategy:
    """The inner type with CHAR and BINARY made VARCHAR and VARBINARY of the same length."""

    def infer(context: CallContext) -> LogicalType | None:
        result = inner(context)
        if isinstance(result, CharacterType):
            return VarCharType(result.length, nullable=result.nullable)
        if isinstance(result, BinaryStringType):
            return VarBinaryType(result.length, nullable=result.nullable)
        return result

    return infer


def array_of(inner: TypeStrategy) -> TypeStrategy:
    """A NOT NULL array of the inner type."""

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
        for type_, argument in zip(context.argument_types, context.arguments, strict=True)
        if not isinstance(type_, SymbolType) and not isinstance(argument, TypeLiteralExpression)
    ]
