"""CHAR and VARCHAR; STRING is the VARCHAR of greatest length. Lengths count code points."""

from __future__ import annotations

from typing import ClassVar

from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.types.logical.root import LogicalType

MAX_LENGTH = 2_147_483_647
"""The greatest length of a type, which STRING and BYTES have."""


@dataclass(frozen=True, slots=True)
class CharacterType(LogicalType):
    """The base of CHAR and VARCHAR.

    Example:
        >>> isinstance(VarCharType(), CharacterType)
        True
    """

    length: int = 1

    def __post_init__(self) -> None:
        # 0 is the type of the empty literal; SQL text cannot ask for it.
        if not 0 <= self.length <= MAX_LENGTH:
            raise ValidationException(f"{self.ROOT} takes a length from 1 to {MAX_LENGTH}, but got {self.length}.")


@dataclass(frozen=True, slots=True)
class CharType(CharacterType):
    """CHAR(length): exactly that many code points.

    Source: Flink's ``org.apache.flink.table.types.logical.CharType``.

    Example:
        >>> str(CharType(3))
        'CHAR(3)'
    """

    ROOT: ClassVar[str] = "CHAR"

    def summary(self) -> str:
        return f"CHAR({self.length})"


@dataclass(frozen=True, slots=True)
class VarCharType(CharacterType):
    """VARCHAR(length): at most that many code points; without a length STRING.

    Source: Flink's ``org.apache.flink.table.types.logical.VarCharType``.

    Example:
        >>> str(VarCharType()), str(VarCharType(20, nullable=False))
        ('STRING', 'VARCHAR(20) NOT NULL')
    """

    ROOT: ClassVar[str] = "VARCHAR"
    length: int = MAX_LENGTH

    def summary(self) -> str:
        return "STRING" if self.length == MAX_LENGTH else f"VARCHAR({self.length})"

    def _body_serializable(self) -> str:
        return f"VARCHAR({self.length})"
