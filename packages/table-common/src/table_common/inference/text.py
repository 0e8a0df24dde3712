"""Result types of functions on CHAR and VARCHAR that keep track of lengths, and arguments with special values."""

from __future__ import annotations

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.inference.argument_types import ArgumentTypeStrategy
from table_common.inference.call_context import CallContext
from table_common.inference.type_inference import TypeStrategy
from table_common.types.logical import MAX_LENGTH, CharacterType, CharType, LogicalType, NullType, VarCharType


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
    is_similar: bool

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        value = context.literal(position)
        pattern = context.literal(1)
        if isinstance(value, str):
            _check_pattern(pattern if isinstance(pattern, str) else "", value, self.is_similar)
        if isinstance(given, NullType):
            return VarCharType()
        return given if isinstance(given, CharacterType) else None

    @override
    def describe(self) -> str:
        return "<CHARACTER>"


@dataclass(frozen=True, slots=True)
class _Pattern(ArgumentTypeStrategy):
    is_similar: bool

    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        pattern = context.literal(position)
        if isinstance(pattern, str) and len(context.argument_types) == position + 1:
            _check_pattern(pattern, None, self.is_similar)
        if isinstance(given, NullType):
            return VarCharType()
        return given if isinstance(given, CharacterType) else None

    @override
    def describe(self) -> str:
        return "<STRING>"


def _check_pattern(pattern: str, escape: str | None, is_similar: bool) -> None:
    from table_common.patterns.sql_patterns import PatternError, like_parts, similar_regex

    try:
        similar_regex(pattern, escape) if is_similar else like_parts(pattern, escape)
    except PatternError as error:
        raise ValidationException(str(error)) from error


def pattern_text(*, is_similar: bool) -> ArgumentTypeStrategy:
    """The pattern of LIKE or SIMILAR TO; a constant is checked."""
    return _Pattern(is_similar)


def escape_character(*, is_similar: bool) -> ArgumentTypeStrategy:
    """The ESCAPE character; a constant one is validated together with a constant pattern."""
    return _EscapeCharacter(is_similar)
