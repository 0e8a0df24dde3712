"""A SQL type together with the Python class that its values have in a program."""

from __future__ import annotations

from typing import Any, Self

from table_common.frozen_dataclass import dataclass, replace
from table_common.types.logical import LogicalType

__all__ = ["DataType"]


@dataclass(frozen=True, slots=True)
class DataType:
    """A logical type and the class used at the edges (``bridged_to``); ``None`` means the type's default class."""

    logical_type: LogicalType
    conversion_class: type[Any] | None = None

    def not_null(self) -> Self:
        """Returns the data type that holds no NULL."""
        return replace(self, logical_type=self.logical_type.not_null())

    def nullable(self) -> Self:
        """Returns the data type that may hold NULL."""
        return replace(self, logical_type=self.logical_type.with_nullability(True))

    def bridged_to(self, conversion_class: type[Any]) -> Self:
        """Returns the data type with values of another Python class."""
        return replace(self, conversion_class=conversion_class)

    def __str__(self) -> str:
        return str(self.logical_type)
