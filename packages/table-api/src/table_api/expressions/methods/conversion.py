"""Conversions to other types."""

from __future__ import annotations

from typing import Self

from table_api.expressions.node_holder import NodeHolder
from table_api.expressions.unresolved import TypeLiteral
from table_common.types import DataType, LogicalType, parse_logical_type


class ConversionMethods(NodeHolder):
    """Casts."""

    __slots__ = ()

    def cast(self, data_type: DataType | LogicalType | str) -> Self:
        """Returns this as a value of another type; a value that cannot be converted fails the job."""
        return self._call("CAST", _type_literal(data_type))

    def try_cast(self, data_type: DataType | LogicalType | str) -> Self:
        """Returns this as a value of another type; NULL where it cannot be converted."""
        return self._call("TRY_CAST", _type_literal(data_type))


def _type_literal(data_type: DataType | LogicalType | str) -> TypeLiteral:
    if isinstance(data_type, str):
        return TypeLiteral(parse_logical_type(data_type))
    return TypeLiteral(data_type.logical_type if isinstance(data_type, DataType) else data_type)
