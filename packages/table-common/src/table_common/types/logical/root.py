"""The root of all SQL types: a frozen value with nullability, equal by structure, printed as SQL."""

from __future__ import annotations

from dataclasses import fields
from typing import ClassVar, Self

from table_common.frozen_dataclass import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class LogicalType:
    """A SQL type. ``str(t)`` is Flink's summary text, with ``NOT NULL`` if it is not nullable.

    Source: Flink's ``org.apache.flink.table.types.logical.LogicalType``.

    Example:
        >>> from table_common.types import DecimalType
        >>> str(DecimalType(10, 2).not_null())
        'DECIMAL(10, 2) NOT NULL'
    """

    ROOT: ClassVar[str] = ""
    """Flink's name of the type root, such as ``VARCHAR``."""

    nullable: bool = field(default=True, kw_only=True)

    def not_null(self) -> Self:
        """Returns the same type that holds no NULL."""
        return self if not self.nullable else replace(self, nullable=False)

    def with_nullability(self, nullable: bool) -> Self:
        """Returns the same type with the nullability given."""
        return self if self.nullable == nullable else replace(self, nullable=nullable)

    def summary(self) -> str:
        """Returns the text without nullability, such as ``STRING`` or ``DECIMAL(10, 2)``."""
        return self.ROOT

    def serializable(self) -> str:
        """Returns SQL text that the type parser reads back to an equal type."""
        return self._body_serializable() + ("" if self.nullable else " NOT NULL")

    def _body_serializable(self) -> str:
        return self.summary()

    def is_(self, *classes: type[LogicalType]) -> bool:
        """Returns whether this is a type of one of the classes."""
        return isinstance(self, classes)

    def python_text(self) -> str:
        """Returns PyFlink's ``repr``: the class, what the type holds, and whether it is nullable, such as ``DecimalType(10, 2, true)``."""
        # Differs from Flink: intervals show their units, and time attributes that they are ones.
        return f"{type(self).__name__}({', '.join([*self._python_parts(), str(self.nullable).lower()])})"

    def _python_parts(self) -> list[str]:
        values = [getattr(self, f.name) for f in fields(self) if f.name != "nullable"]
        shown = [value.python_text() if isinstance(value, LogicalType) else str(getattr(value, "value", value)) for value in values]
        return [text for text in shown if text]

    def __str__(self) -> str:
        return self.summary() + ("" if self.nullable else " NOT NULL")
