"""ROW: named fields in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from table_common.frozen_dataclass import dataclass
from table_common.object_names import check_no_nul
from table_common.types.logical.root import LogicalType


def quote_identifier(name: str) -> str:
    """Returns the name in back-ticks, with back-ticks inside doubled.

    Example:
        >>> quote_identifier("a`b")
        '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def quote_string(text: str) -> str:
    """Returns the text as a SQL string literal.

    Example:
        >>> quote_string("it's")
        "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class RowField:
    """A field of a row: a name, a type, and perhaps a comment.

    Source: Flink's ``org.apache.flink.table.types.logical.RowType.RowField``.

    Example:
        >>> from table_common.types import IntType
        >>> RowField("id", IntType()).name
        'id'
    """

    name: str
    type: LogicalType
    description: str | None = None

    def __post_init__(self) -> None:
        check_no_nul(self.name, "the name of a field")

    def __str__(self) -> str:
        return f"{quote_identifier(self.name)} {self.type}" + self._comment()

    def __repr__(self) -> str:
        return f"RowField({self.name}, {self.type.python_text()}, {'...' if self.description is None else self.description})"

    def serializable(self) -> str:
        """Returns SQL text that the type parser reads back."""
        return f"{quote_identifier(self.name)} {self.type.serializable()}" + self._comment()

    def _comment(self) -> str:
        return f" {quote_string(self.description)}" if self.description is not None else ""


@dataclass(frozen=True, slots=True)
class RowType(LogicalType):
    """ROW<name type, …>: named fields in order.

    Source: Flink's ``org.apache.flink.table.types.logical.RowType``.

    Example:
        >>> from table_common.types import IntType
        >>> str(RowType.of([("id", IntType())], nullable=False))
        'ROW<`id` INT> NOT NULL'
    """

    ROOT: ClassVar[str] = "ROW"
    fields: tuple[RowField, ...] = ()

    @classmethod
    def of(cls, fields: Sequence[tuple[str, LogicalType]], *, nullable: bool = True) -> Self:
        """Builds a row type from pairs of name and type."""
        return cls(tuple(RowField(name, type_) for name, type_ in fields), nullable=nullable)

    @property
    def field_names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    @property
    def field_types(self) -> tuple[LogicalType, ...]:
        return tuple(f.type for f in self.fields)

    def with_nullable_fields(self) -> RowType:
        """Returns the type of rows that may be NULL in each field, as rows that retract by a key are."""
        return RowType(tuple(RowField(field.name, field.type.with_nullability(True)) for field in self.fields), nullable=self.nullable)

    def summary(self) -> str:
        return f"ROW<{', '.join(map(str, self.fields))}>"

    def python_text(self) -> str:
        return f"RowType({','.join(map(repr, self.fields))}{'' if self.nullable else ', false'})"

    def _body_serializable(self) -> str:
        return f"ROW<{', '.join(f.serializable() for f in self.fields)}>"
