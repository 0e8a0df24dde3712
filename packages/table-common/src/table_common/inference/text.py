"""Result types of functions on CHAR and VARCHAR that keep track of lengths, and arguments with special values."""

from __future__ import annotations

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.inference.argument_types import ArgumentTypeStrategy
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy
from table_common.types.logical import MAX_LENGTH, CharacterType, CharType, LogicalType, NullType, VarCharType

__all__ = ["escape_character", "joined_lengths"]


def joined_lengths(*positions: int) -> TypeStrategy:
    """Text as long as the arguments together; CHAR only if all are."""

    def infer(context: CallContext) -> LogicalType | None:
        parts = [type_ for at in positions if isinstance(type_ := context.argument_types[at], CharacterType)]
        if len(parts) < len(positions):
            return None
        length = min(sum(part.length for part in parts), MAX_LENGTH)
        nullable = any(type_.nullable for type_ in context.argument_types)
        if all(isinstance(part, CharType) for part in parts):
            return CharType(length, nullable=nullable)
        return VarCharType(length, nullable=nullable)

    return infer


@dataclass(frozen=True, slots=True)
class _EscapeCharacter(ArgumentTypeStrategy):
    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        value = context.literal(position)
        if isinstance(value, str) and len(value) != 1:
            raise ValidationException(f"ESCAPE of {context.name} takes one character, but got '{value}'.")
        if isinstance(given, NullType):
            return VarCharType()
        return given if isinstance(given, CharacterType) else None

    @override
    def describe(self) -> str:
        return "<CHARACTER>"


def escape_character() -> ArgumentTypeStrategy:
    """The character behind ESCAPE."""
    return _EscapeCharacter()
