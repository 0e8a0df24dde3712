"""ARRAY, MULTISET and MAP."""

from __future__ import annotations

from typing import ClassVar

from table_common.frozen_dataclass import dataclass
from table_common.types.logical.root import LogicalType


@dataclass(frozen=True, slots=True)
class ArrayType(LogicalType):
    """ARRAY<element>: elements in order, counted from 1 in SQL.

    Source: Flink's ``org.apache.flink.table.types.logical.ArrayType``.

    Example:
        >>> from table_common.types import IntType
        >>> str(ArrayType(IntType(nullable=False)))
        'ARRAY<INT NOT NULL>'
    """

    ROOT: ClassVar[str] = "ARRAY"
    element_type: LogicalType

    def summary(self) -> str:
        return f"ARRAY<{self.element_type}>"

    def _body_serializable(self) -> str:
        return f"ARRAY<{self.element_type.serializable()}>"


@dataclass(frozen=True, slots=True)
class MultisetType(LogicalType):
    """MULTISET<element>: elements with a count each, in no order.

    Source: Flink's ``org.apache.flink.table.types.logical.MultisetType``.

    Example:
        >>> from table_common.types import IntType
        >>> str(MultisetType(IntType()))
        'MULTISET<INT>'
    """

    ROOT: ClassVar[str] = "MULTISET"
    element_type: LogicalType

    def summary(self) -> str:
        return f"MULTISET<{self.element_type}>"

    def _body_serializable(self) -> str:
        return f"MULTISET<{self.element_type.serializable()}>"


@dataclass(frozen=True, slots=True)
class MapType(LogicalType):
    """MAP<key, value>: one value for each key, in no order.

    Source: Flink's ``org.apache.flink.table.types.logical.MapType``.

    Example:
        >>> from table_common.types import IntType, VarCharType
        >>> str(MapType(VarCharType(), IntType()))
        'MAP<STRING, INT>'
    """

    ROOT: ClassVar[str] = "MAP"
    key_type: LogicalType
    value_type: LogicalType

    def summary(self) -> str:
        return f"MAP<{self.key_type}, {self.value_type}>"

    def _body_serializable(self) -> str:
        return f"MAP<{self.key_type.serializable()}, {self.value_type.serializable()}>"
