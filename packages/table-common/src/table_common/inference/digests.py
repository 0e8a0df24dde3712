"""The length argument of SHA2."""

from __future__ import annotations

from table_common.annotation import override
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass
from table_common.inference.argument_types import ArgumentTypeStrategy
from table_common.inference.call_context import CallContext
from table_common.types.logical import EXACT_INTEGERS, IntType, LogicalType, NullType

_LENGTHS = (224, 256, 384, 512)


@dataclass(frozen=True, slots=True)
class _DigestLength(ArgumentTypeStrategy):
    @override
    def infer(self, context: CallContext, position: int) -> LogicalType | None:
        given = context.argument_types[position]
        value = context.literal(position)
        if value is not None and value not in _LENGTHS:
            raise ValidationException(f"{context.name} takes a length of {', '.join(map(str, _LENGTHS))} bits, but got {value}.")
        return IntType(nullable=given.nullable) if isinstance(given, (*EXACT_INTEGERS, NullType)) else None

    @override
    def describe(self) -> str:
        return "|".join(map(str, _LENGTHS))


def digest_length() -> ArgumentTypeStrategy:
    """A number of bits that SHA-2 knows."""
    return _DigestLength()
