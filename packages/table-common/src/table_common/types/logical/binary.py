"""BINARY and VARBINARY; BYTES is the VARBINARY of greatest length. Lengths count bytes."""

from __future__ import annotations

from typing import ClassVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types.logical.character import MAX_LENGTH
from table_common.types.logical.root import LogicalType


@dataclass(frozen=True, slots=True)
class BinaryStringType(LogicalType):
    """The base of BINARY and VARBINARY.

    Example:
        >>> isinstance(VarBinaryType(), BinaryStringType)
        True
    """

    length: int = 1

    def __post_init__(self) -> None:
        # 0 is the type of the empty literal; SQL text cannot ask for it.
        if not 0 <= self.length <= MAX_LENGTH:
            raise ValidationException(f"{self.ROOT} takes a length from 1 to {MAX_LENGTH}, but got {self.length}.")


@dataclass(frozen=True, slots=True)
class BinaryType(BinaryStringType):
    """BINARY(length): exactly that many bytes.

    Source: Flink's ``org.apache.flink.table.types.logical.BinaryType``.

    Example:
        >>> str(BinaryType(16))
        'BINARY(16)'
    """

    ROOT: ClassVar[str] = "BINARY"

    def summary(self) -> str:
        return f"BINARY({self.length})"


@dataclass(frozen=True, slots=True)
class VarBinaryType(BinaryStringType):
    """VARBINARY(length): at most that many bytes; without a length BYTES.

    Source: Flink's ``org.apache.flink.table.types.logical.VarBinaryType``.

    Example:
        >>> str(VarBinaryType()), str(VarBinaryType(16))
        ('BYTES', 'VARBINARY(16)')
    """

    ROOT: ClassVar[str] = "VARBINARY"
    length: int = MAX_LENGTH

    def summary(self) -> str:
        return "BYTES" if self.length == MAX_LENGTH else f"VARBINARY({self.length})"

    def _body_serializable(self) -> str:
        return f"VARBINARY({self.length})"
