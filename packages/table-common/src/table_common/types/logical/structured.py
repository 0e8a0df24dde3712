"""User-defined types: structured (named attributes) and distinct (a name over another type)."""

from __future__ import annotations

from typing import ClassVar

from table_common.frozen_dataclass import dataclass
from table_common.types.logical.root import LogicalType
from table_common.types.logical.row import RowField, quote_string


@dataclass(frozen=True, slots=True)
class StructuredType(LogicalType):
    """STRUCTURED<'class', name type, …>: a row with the name of the class that it is in programs.

    Source: Flink's ``org.apache.flink.table.types.logical.StructuredType``.

    Example:
        >>> from table_common.types import IntType
        >>> StructuredType("my_module.Point", (RowField("x", IntType()), RowField("y", IntType()))).field_names
        ('x', 'y')
    """

    ROOT: ClassVar[str] = "STRUCTURED"
    class_name: str
    fields: tuple[RowField, ...] = ()

    @property
    def field_names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)

    @property
    def field_types(self) -> tuple[LogicalType, ...]:
        return tuple(f.type for f in self.fields)

    def summary(self) -> str:
        return f"STRUCTURED<{', '.join([quote_string(self.class_name), *map(str, self.fields)])}>"

    def _python_parts(self) -> list[str]:
        return [self.class_name, *map(repr, self.fields)]

    def _body_serializable(self) -> str:
        return f"STRUCTURED<{', '.join([quote_string(self.class_name), *(f.serializable() for f in self.fields)])}>"


@dataclass(frozen=True, slots=True)
class DistinctType(LogicalType):
    """A catalog's own name for another type; values of it are values of the source type.

    Source: Flink's ``org.apache.flink.table.types.logical.DistinctType``.

    Example:
        >>> from table_common.types import DecimalType
        >>> str(DistinctType("c.d.money", DecimalType(10, 2)).source_type)
        'DECIMAL(10, 2)'
    """

    ROOT: ClassVar[str] = "DISTINCT"
    identifier: str
    source_type: LogicalType

    def summary(self) -> str:
        return self.identifier
