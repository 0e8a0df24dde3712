"""The lengths that types limit values to: CHAR(n), VARCHAR(n), BINARY(n), VARBINARY(n), also inside of other types."""

from __future__ import annotations

from collections.abc import Iterator

from table_common.frozen_dataclass import dataclass, replace
from table_common.types.logical import (
    MAX_LENGTH,
    ArrayType,
    BinaryStringType,
    BinaryType,
    CharacterType,
    CharType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
    StructuredType,
    VarBinaryType,
    VarCharType,
)


@dataclass(frozen=True, slots=True)
class LengthLimit:
    """A part of a column whose type limits the length of values.

    ``steps`` lead to it from the column: the position of a field, or ``element``, ``key`` or ``value``. ``path`` is the same for people.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> (limit,) = length_limits(parse_logical_type("CHAR(3)"), "a")
        >>> limit.length, limit.is_exact
        (3, True)
    """

    steps: tuple[int | str, ...]
    path: str
    type: LogicalType

    @property
    def length(self) -> int:
        """The declared length."""
        assert isinstance(self.type, (CharacterType, BinaryStringType))
        return self.type.length

    @property
    def is_exact(self) -> bool:
        """Whether all values have the declared length."""
        return isinstance(self.type, (CharType, BinaryType))

    def violation(self, table: str) -> tuple[str, str]:
        """Returns the message about a value that does not fit: what is written before and after the length of the value."""
        return f"Column '{self.path}' of {table} is {self.type.summary()}, but a row has a value of length ", " there."


def without_lengths(type_: LogicalType) -> LogicalType:
    """Returns the type; text and bytes in it are of any length. Without such types it is the same type.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> without_lengths(parse_logical_type("ARRAY<CHAR(3)>")).summary()
        'ARRAY<STRING>'
    """
    match type_:
        case CharacterType():
            return VarCharType(MAX_LENGTH, nullable=type_.nullable)
        case BinaryStringType():
            return VarBinaryType(MAX_LENGTH, nullable=type_.nullable)
        case ArrayType() | MultisetType():
            return replace(type_, element_type=without_lengths(type_.element_type))
        case MapType():
            return replace(type_, key_type=without_lengths(type_.key_type), value_type=without_lengths(type_.value_type))
        case RowType() | StructuredType():
            return replace(type_, fields=tuple(replace(field, type=without_lengths(field.type)) for field in type_.fields))
        case _:
            return type_


def length_limits(type_: LogicalType, name: str) -> Iterator[LengthLimit]:
    """Yields the parts of a column of this type and name whose types limit the length of values.

    Example:
        >>> from table_common.types import parse_logical_type
        >>> [limit.path for limit in length_limits(parse_logical_type("ROW<a INT, b ARRAY<CHAR(3)>>"), "r")]
        ['r.b[element]']
    """
    return _limits(type_, name, ())


def _limits(type_: LogicalType, path: str, steps: tuple[int | str, ...]) -> Iterator[LengthLimit]:
    match type_:
        case CharacterType() | BinaryStringType() if type_.length != MAX_LENGTH:
            yield LengthLimit(steps, path, type_)
        case ArrayType():
            yield from _limits(type_.element_type, f"{path}[element]", (*steps, "element"))
        case MultisetType():
            yield from _limits(type_.element_type, f"{path}[element]", (*steps, "key"))
        case MapType():
            yield from _limits(type_.key_type, f"{path}[key]", (*steps, "key"))
            yield from _limits(type_.value_type, f"{path}[value]", (*steps, "value"))
        case RowType() | StructuredType():
            for index, field in enumerate(type_.fields):
                yield from _limits(field.type, f"{path}.{field.name}", (*steps, index))
        case _:
            pass
