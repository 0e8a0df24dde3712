"""NULL, RAW, symbols, descriptors, VARIANT and BITMAP."""

from __future__ import annotations

from typing import ClassVar

from table_common.frozen_dataclass import dataclass
from table_common.types.logical.root import LogicalType
from table_common.types.logical.row import quote_string


@dataclass(frozen=True, slots=True)
class NullType(LogicalType):
    """The type of the untyped NULL literal; it casts to every nullable type.

    Source: Flink's ``org.apache.flink.table.types.logical.NullType``.

    Example:
        >>> str(NullType())
        'NULL'
    """

    ROOT: ClassVar[str] = "NULL"


@dataclass(frozen=True, slots=True)
class RawType(LogicalType):
    """RAW('class', 'serializer'): a value that only user code understands.

    Source: Flink's ``org.apache.flink.table.types.logical.RawType``.

    Example:
        >>> str(RawType("my_module.Point", "pickle"))
        "RAW('my_module.Point', 'pickle')"
    """

    ROOT: ClassVar[str] = "RAW"
    class_name: str
    serializer: str = ""

    def summary(self) -> str:
        return f"RAW({quote_string(self.class_name)}, {quote_string(self.serializer)})"


@dataclass(frozen=True, slots=True)
class SymbolType(LogicalType):
    """The type of a keyword given to a function, such as a time unit.

    Source: Flink's ``org.apache.flink.table.types.logical.SymbolType``.

    Example:
        >>> str(SymbolType())
        'SYMBOL'
    """

    ROOT: ClassVar[str] = "SYMBOL"


@dataclass(frozen=True, slots=True)
class DescriptorType(LogicalType):
    """The type of ``DESCRIPTOR(column, …)``: a list of column names.

    Source: Flink's ``org.apache.flink.table.types.logical.DescriptorType``.

    Example:
        >>> str(DescriptorType())
        'DESCRIPTOR'
    """

    ROOT: ClassVar[str] = "DESCRIPTOR"


@dataclass(frozen=True, slots=True)
class VariantType(LogicalType):
    """VARIANT: a value that carries its own type, as JSON does.

    Source: Flink's ``org.apache.flink.table.types.logical.VariantType``.

    Example:
        >>> str(VariantType())
        'VARIANT'
    """

    ROOT: ClassVar[str] = "VARIANT"


@dataclass(frozen=True, slots=True)
class BitmapType(LogicalType):
    """BITMAP: a compressed set of 32-bit unsigned integers.

    Source: Flink's ``org.apache.flink.table.types.logical.BitmapType``.

    Example:
        >>> str(BitmapType())
        'BITMAP'
    """

    ROOT: ClassVar[str] = "BITMAP"
