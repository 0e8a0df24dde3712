"""NULL, RAW, symbols, descriptors, VARIANT and BITMAP."""

from __future__ import annotations

from typing import ClassVar

from table_common.frozen_dataclass import dataclass
from table_common.types.logical.root import LogicalType
from table_common.types.logical.row import quote_string

__all__ = ["BitmapType", "DescriptorType", "NullType", "RawType", "SymbolType", "VariantType"]


@dataclass(frozen=True, slots=True)
class NullType(LogicalType):
    """The type of the untyped NULL literal; it casts to every nullable type."""

    ROOT: ClassVar[str] = "NULL"


@dataclass(frozen=True, slots=True)
class RawType(LogicalType):
    """RAW('class', 'serializer'): a value that only user code understands."""

    ROOT: ClassVar[str] = "RAW"
    class_name: str
    serializer: str = ""

    def summary(self) -> str:
        return f"RAW({quote_string(self.class_name)}, {quote_string(self.serializer)})"


@dataclass(frozen=True, slots=True)
class SymbolType(LogicalType):
    """The type of a keyword given to a function, such as a time unit."""

    ROOT: ClassVar[str] = "SYMBOL"


@dataclass(frozen=True, slots=True)
class DescriptorType(LogicalType):
    """The type of ``DESCRIPTOR(column, …)``: a list of column names."""

    ROOT: ClassVar[str] = "DESCRIPTOR"


@dataclass(frozen=True, slots=True)
class VariantType(LogicalType):
    """VARIANT: a value that carries its own type, as JSON does."""

    ROOT: ClassVar[str] = "VARIANT"


@dataclass(frozen=True, slots=True)
class BitmapType(LogicalType):
    """BITMAP: a compressed set of 32-bit unsigned integers."""

    ROOT: ClassVar[str] = "BITMAP"
