"""BOOLEAN and the numbers."""

from __future__ import annotations

from typing import ClassVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types.logical.root import LogicalType


@dataclass(frozen=True, slots=True)
class BooleanType(LogicalType):
    """BOOLEAN: true, false, and unknown as NULL.

    Source: Flink's ``org.apache.flink.table.types.logical.BooleanType``.

    Example:
        >>> str(BooleanType(nullable=False))
        'BOOLEAN NOT NULL'
    """

    ROOT: ClassVar[str] = "BOOLEAN"


@dataclass(frozen=True, slots=True)
class TinyIntType(LogicalType):
    """TINYINT: 8-bit signed integer.

    Source: Flink's ``org.apache.flink.table.types.logical.TinyIntType``.

    Example:
        >>> str(TinyIntType())
        'TINYINT'
    """

    ROOT: ClassVar[str] = "TINYINT"


@dataclass(frozen=True, slots=True)
class SmallIntType(LogicalType):
    """SMALLINT: 16-bit signed integer.

    Source: Flink's ``org.apache.flink.table.types.logical.SmallIntType``.

    Example:
        >>> str(SmallIntType())
        'SMALLINT'
    """

    ROOT: ClassVar[str] = "SMALLINT"


@dataclass(frozen=True, slots=True)
class IntType(LogicalType):
    """INT: 32-bit signed integer.

    Source: Flink's ``org.apache.flink.table.types.logical.IntType``.

    Example:
        >>> str(IntType(nullable=False))
        'INT NOT NULL'
    """

    ROOT: ClassVar[str] = "INT"


@dataclass(frozen=True, slots=True)
class BigIntType(LogicalType):
    """BIGINT: 64-bit signed integer.

    Source: Flink's ``org.apache.flink.table.types.logical.BigIntType``.

    Example:
        >>> str(BigIntType())
        'BIGINT'
    """

    ROOT: ClassVar[str] = "BIGINT"


@dataclass(frozen=True, slots=True)
class FloatType(LogicalType):
    """FLOAT: 32-bit floating point number.

    Source: Flink's ``org.apache.flink.table.types.logical.FloatType``.

    Example:
        >>> str(FloatType())
        'FLOAT'
    """

    ROOT: ClassVar[str] = "FLOAT"


@dataclass(frozen=True, slots=True)
class DoubleType(LogicalType):
    """DOUBLE: 64-bit floating point number.

    Source: Flink's ``org.apache.flink.table.types.logical.DoubleType``.

    Example:
        >>> str(DoubleType())
        'DOUBLE'
    """

    ROOT: ClassVar[str] = "DOUBLE"


@dataclass(frozen=True, slots=True)
class DecimalType(LogicalType):
    """DECIMAL(precision, scale): exact number of at most 38 digits, ``scale`` of them fractional.

    Source: Flink's ``org.apache.flink.table.types.logical.DecimalType``.

    Example:
        >>> str(DecimalType(10, 2))
        'DECIMAL(10, 2)'
    """

    ROOT: ClassVar[str] = "DECIMAL"
    MAX_PRECISION: ClassVar[int] = 38

    precision: int = 10
    scale: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.precision <= 38:
            raise ValidationException(f"DECIMAL takes a precision from 1 to 38, but got {self.precision}.")
        if not 0 <= self.scale <= self.precision:
            raise ValidationException(f"DECIMAL takes a scale from 0 to its precision {self.precision}, but got {self.scale}.")

    def summary(self) -> str:
        return f"DECIMAL({self.precision}, {self.scale})"


EXACT_INTEGERS: tuple[type[LogicalType], ...] = (TinyIntType, SmallIntType, IntType, BigIntType)
"""The integers, narrowest first."""
APPROXIMATE_NUMERICS: tuple[type[LogicalType], ...] = (FloatType, DoubleType)
"""The types of binary floating-point numbers."""
NUMERICS: tuple[type[LogicalType], ...] = (*EXACT_INTEGERS, DecimalType, *APPROXIMATE_NUMERICS)
"""All types of numbers."""
