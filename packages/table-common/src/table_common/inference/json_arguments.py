"""Arguments and results of the JSON functions."""

from __future__ import annotations

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.inference.argument_types import ArgumentTypeStrategy
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy
from table_common.types.logical import (
    NUMERICS,
    TIMESTAMPS,
    ArrayType,
    BinaryStringType,
    BooleanType,
    CharacterType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    VarCharType,
    VariantType,
)
from table_common.types.symbols import JsonBehavior

_SCALARS = (CharacterType, BooleanType, *NUMERICS, *TIMESTAMPS, BinaryStringType, VariantType)


def _is_serializable(type_: LogicalType) -> bool:
    match type_:
        case ArrayType() | MultisetType():
            return _is_serializable(type_.element_type)
        case MapType():
            return isinstance(type_.key_type, CharacterType) and _is_serializable(type_.value_type)
        case RowType() | StructuredType():
            return all(map(_is_serializable, type_.field_types))
        case _:
            return isinstance(type_, _SCALARS)


@dataclass(frozen=True, slots=True)
class _JsonSerializable(ArgumentTypeStrategy):
    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        return given if _is_serializable(given) else None

    @override
    def describe(self) -> str:
        return "<JSON VALUE>"


def json_serializable() -> ArgumentTypeStrategy:
    """A value with a JSON representation: not DATE, TIME or an interval."""
    return _JsonSerializable()


@dataclass(frozen=True, slots=True)
class _JsonKey(ArgumentTypeStrategy):
    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        return given if isinstance(given, CharacterType) and isinstance(context.literal(position), str) else None

    @override
    def describe(self) -> str:
        return "<STRING> constant"


def json_key() -> ArgumentTypeStrategy:
    """The name of a member of a JSON object: constant text, not NULL."""
    return _JsonKey()


def _name(type_: type[LogicalType]) -> str:
    return "STRING" if type_ is CharacterType else type_.ROOT


@dataclass(frozen=True, slots=True)
class _Returning(ArgumentTypeStrategy):
    types: tuple[type[LogicalType], ...]
    arrays_of: tuple[type[LogicalType], ...]

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        if position not in context.type_literals:
            return None
        wanted = context.argument_types[position]
        is_array = isinstance(wanted, ArrayType) and isinstance(wanted.element_type, self.arrays_of)
        if not is_array and not isinstance(wanted, self.types):
            raise ValidationException(f"{context.name} cannot return {wanted}: RETURNING takes {self._names()}.")
        return wanted

    def _names(self) -> str:
        return ", ".join([*map(_name, self.types), *(f"ARRAY<{_name(type_)}>" for type_ in self.arrays_of)])

    @override
    def describe(self) -> str:
        return "<TYPE>"


def returning(*types: type[LogicalType], arrays_of: tuple[type[LogicalType], ...] = ()) -> ArgumentTypeStrategy:
    """The type in RETURNING: of one of the classes, or an array of them."""
    return _Returning(types, arrays_of)


def json_value_type() -> TypeStrategy:
    """The type in RETURNING (the third argument), by default STRING; nullable."""
    return lambda context: (context.argument_types[2] if len(context.argument_types) > 2 else VarCharType()).with_nullability(True)


def json_query_type() -> TypeStrategy:
    """The type in RETURNING as for JSON_VALUE; an empty object cannot stand for an array.

    Raises:
        ValidationException: when the type is inferred, for EMPTY OBJECT with an array.
    """
    of_value = json_value_type()

    def infer(context: CallContext) -> LogicalType | None:
        result = of_value(context)
        if isinstance(result, ArrayType):
            for position, clause in ((4, "EMPTY"), (5, "ERROR")):
                if context.literal(position) is JsonBehavior.EMPTY_OBJECT:
                    raise ValidationException(
                        f"{context.name} returns {result}, so EMPTY OBJECT ON {clause} is not a value of it.",
                        hint=f"EMPTY ARRAY ON {clause}, NULL ON {clause} or ERROR ON {clause}",
                    )
        return result

    return infer
