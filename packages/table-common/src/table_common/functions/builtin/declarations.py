"""Declares functions of the registry, one call per function, with argument and result rules that many of them share."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from table_common.functions.aggregate_traits import AggregateTraits
from table_common.functions.definition import BuiltInFunctionDefinition, FunctionKind
from table_common.inference.argument_types import ArgumentTypeStrategy, any_type, explicit_argument, family, symbol
from table_common.inference.type_inference import InputTypeStrategy, TypeInference, TypeStrategy
from table_common.inference.type_strategies import explicit, force_nullable, nullable_if_args
from table_common.types.logical import (
    EXACT_INTEGERS,
    INTERVALS,
    NUMERICS,
    TIMESTAMPS,
    ArrayType,
    BigIntType,
    BinaryStringType,
    BitmapType,
    BooleanType,
    CharacterType,
    DateType,
    DoubleType,
    IntType,
    LogicalType,
    MapType,
    TimestampType,
    TimeType,
    VarBinaryType,
    VarCharType,
)
from table_common.types.symbols import TimeUnit

STRING_FAMILY = family("STRING", CharacterType, default=VarCharType())
BINARY_FAMILY = family("BYTES", BinaryStringType, default=VarBinaryType())
NUMERIC_FAMILY = family("NUMERIC", *NUMERICS, default=IntType())
INTEGER_FAMILY = family("INTEGER", *EXACT_INTEGERS, default=IntType())
DATETIME_FAMILY = family("DATETIME", DateType, TimeType, *TIMESTAMPS, default=TimestampType(3))
TIMESTAMP_FAMILY = family("TIMESTAMP", *TIMESTAMPS, default=TimestampType(3))
INTERVAL_FAMILY = family("INTERVAL", *INTERVALS)
TEMPORAL_FAMILY = family("TEMPORAL", DateType, TimeType, *TIMESTAMPS, *INTERVALS, default=TimestampType(3))
ARRAY_FAMILY = family("ARRAY", ArrayType)
MAP_FAMILY = family("MAP", MapType)
BOOLEAN = explicit_argument(BooleanType())
INT = explicit_argument(IntType())
BIGINT = explicit_argument(BigIntType())
DOUBLE = explicit_argument(DoubleType())
BITMAP = explicit_argument(BitmapType())
TIME_UNIT = symbol(TimeUnit)
ANY = any_type()
ANY_OR_NULL = any_type(null=True)

_Renderer = Callable[[list[str]], str]


def unit_of(*units: TimeUnit) -> ArgumentTypeStrategy:
    """One of the time units."""
    members: tuple[Enum, ...] = units
    return symbol(TimeUnit, *members)


def returns(result: LogicalType) -> TypeStrategy:
    """The type; nullable if an argument is, as for most functions."""
    return nullable_if_args(explicit(result))


def nullable(result: LogicalType) -> TypeStrategy:
    """The type, always nullable: the function returns NULL for some non-NULL arguments."""
    return force_nullable(explicit(result))


def scalar(
    name: str,
    arguments: InputTypeStrategy,
    result: TypeStrategy,
    *,
    aliases: tuple[str, ...] = (),
    deterministic: bool = True,
    names: tuple[str, ...] | None = None,
    optional: tuple[bool, ...] | None = None,
    renderer: _Renderer | None = None,
    gives_time_attribute: bool = False,
) -> BuiltInFunctionDefinition:
    """A scalar function that is called by its name."""
    inference = TypeInference(
        arguments, result, argument_names=names, optional_arguments=optional, gives_time_attribute=gives_time_attribute
    )
    return BuiltInFunctionDefinition(name, FunctionKind.SCALAR, inference, aliases, deterministic, renderer=renderer)


def operator(name: str, arguments: InputTypeStrategy, result: TypeStrategy, renderer: _Renderer) -> BuiltInFunctionDefinition:
    """An operator, which SQL writes with signs or keywords; it cannot be called by its name."""
    return BuiltInFunctionDefinition(name, FunctionKind.SCALAR, TypeInference(arguments, result), is_operator=True, renderer=renderer)


def aggregate(
    name: str,
    arguments: InputTypeStrategy,
    result: TypeStrategy,
    *,
    aliases: tuple[str, ...] = (),
    kind: FunctionKind = FunctionKind.AGGREGATE,
    renderer: _Renderer | None = None,
    gives_time_attribute: bool = False,
    traits: AggregateTraits | None = None,
) -> BuiltInFunctionDefinition:
    """An aggregate function."""
    inference = TypeInference(arguments, result, gives_time_attribute=gives_time_attribute)
    return BuiltInFunctionDefinition(name, kind, inference, aliases, renderer=renderer, aggregate_traits=traits or AggregateTraits())


def infix(text: str) -> _Renderer:
    """Writes ``(a text b text c)``."""
    return lambda args: f"({f' {text} '.join(args)})"


def prefix(text: str) -> _Renderer:
    """Writes ``(text a)``; the space keeps two minus signs from becoming a comment."""
    return lambda args: f"({text} {args[0]})"


def postfix(text: str) -> _Renderer:
    """Writes ``(a text)``."""
    return lambda args: f"({args[0]} {text})"
