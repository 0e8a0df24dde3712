"""``DecimalData``: the internal structure of DECIMAL: an unscaled integer with a precision and a scale."""

from __future__ import annotations

from decimal import Decimal
from functools import total_ordering

from table_common.annotation import public_evolving
from table_common.exact_decimals import from_unscaled, rounded, unscaled
from table_common.exceptions import TableRuntimeException, ValidationException

_MAX_PRECISION = 38
_MAX_COMPACT_PRECISION = 18
_LONG = 2**63
_POWERS: tuple[int, ...] = tuple(10**digits for digits in range(_MAX_PRECISION + 1))


@public_evolving
@total_ordering
class DecimalData:
    """Immutable value of DECIMAL(precision, scale): ``unscaled × 10**-scale``.

    Values are compared by number: ``1.0`` of scale 1 equals ``1.00`` of scale 2, and their hashes are equal.

    Source: Flink's ``org.apache.flink.table.data.DecimalData``.

    Example:
        >>> from decimal import Decimal
        >>> DecimalData.from_big_decimal(Decimal("1.005"), 5, 2).to_big_decimal()
        Decimal('1.01')
    """

    __slots__ = ("_precision", "_scale", "_unscaled")

    _precision: int
    _scale: int
    _unscaled: int

    def __init__(self) -> None:
        """Refuses the call; the class methods ``from_…`` make values.

        Raises:
            TypeError: always.
        """
        raise TypeError("DecimalData is made with DecimalData.from_big_decimal(...), from_unscaled_long(...) or from_unscaled_bytes(...).")

    @classmethod
    def _of(cls, unscaled: int, precision: int, scale: int) -> DecimalData:
        """Wraps digits that are known to fit."""
        result = object.__new__(cls)
        result._unscaled = unscaled
        result._precision = precision
        result._scale = scale
        return result

    @classmethod
    def from_big_decimal(cls, value: Decimal, precision: int, scale: int) -> DecimalData | None:
        """Returns the number rounded half up to ``scale``, or None if it then has more digits than ``precision``.

        Raises:
            ValidationException: There is no such precision or scale, or the value is infinite or not a number.
        """
        _check(precision, scale)
        if not value.is_finite():
            raise ValidationException(f"{value} is not a value of DECIMAL({precision}, {scale}).")
        if value.adjusted() >= precision - scale and value:
            return None
        number = unscaled(rounded(value, scale), scale)
        return cls._of(number, precision, scale) if number is not None and abs(number) < _POWERS[precision] else None

    @classmethod
    def _exactly(cls, value: Decimal, precision: int, scale: int) -> DecimalData | None:
        """Returns the number if its integer and fractional digits fit; else None."""
        if not value:
            return cls._of(0, precision, scale)
        if not value.is_finite() or value.adjusted() >= precision - scale:
            return None
        number = unscaled(value, scale)
        return None if number is None else cls._of(number, precision, scale)

    @classmethod
    def from_unscaled_long(cls, precision: int, scale: int, unscaled: int) -> DecimalData:
        """Returns ``unscaled × 10**-scale``, of a precision of at most 18.

        Raises:
            ValidationException: The precision is greater, or the number has more digits.
        """
        _check(precision, scale)
        if precision > _MAX_COMPACT_PRECISION:
            raise ValidationException(
                f"A decimal made of a 64-bit integer has a precision of at most {_MAX_COMPACT_PRECISION}, but got {precision}.",
                hint="Use from_unscaled_bytes(...) or from_big_decimal(...).",
            )
        return cls._of(_fitting(unscaled, precision, scale), precision, scale)

    @classmethod
    def from_unscaled_bytes(cls, precision: int, scale: int, unscaled: bytes) -> DecimalData:
        """Returns the number whose digits are a big-endian integer in two's complement.

        Raises:
            ValidationException: There is no such precision or scale, there are no bytes, or the number has more digits.
        """
        _check(precision, scale)
        if not unscaled:
            raise ValidationException("The unscaled value of a decimal has at least one byte.")
        return cls._of(_fitting(int.from_bytes(unscaled, "big", signed=True), precision, scale), precision, scale)

    @classmethod
    def zero(cls, precision: int, scale: int) -> DecimalData:
        """Returns 0."""
        _check(precision, scale)
        return cls._of(0, precision, scale)

    @property
    def precision(self) -> int:
        """The number of digits that the value may have."""
        return self._precision

    @property
    def scale(self) -> int:
        """The number of fractional digits."""
        return self._scale

    def to_big_decimal(self) -> Decimal:
        """Returns the number with exactly ``scale`` fractional digits."""
        return from_unscaled(self._unscaled, self._scale)

    def to_unscaled_long(self) -> int:
        """Returns the unscaled value.

        Raises:
            TableRuntimeException: It does not fit into 64 bits.
        """
        if -_LONG <= self._unscaled < _LONG:
            return self._unscaled
        raise TableRuntimeException(f"The unscaled value {self._unscaled} of {self!r} does not fit into 64 bits.")

    def to_unscaled_bytes(self) -> bytes:
        """Returns the unscaled value as a big-endian integer in two's complement, as short as it can be."""
        bits = self._unscaled.bit_length() if self._unscaled >= 0 else (self._unscaled + 1).bit_length()
        return self._unscaled.to_bytes(bits // 8 + 1, "big", signed=True)

    def is_compact(self) -> bool:
        """Returns whether every value of this precision fits into 64 bits: up to 18 digits."""
        return self._precision <= _MAX_COMPACT_PRECISION

    def copy(self) -> DecimalData:
        """Returns an equal value; values never change, so it may be this one."""
        return self

    def __str__(self) -> str:
        return format(self.to_big_decimal(), "f")

    def __repr__(self) -> str:
        return f"DecimalData({self}, {self._precision}, {self._scale})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DecimalData):
            return NotImplemented
        if self._scale == other._scale:
            return self._unscaled == other._unscaled
        return self._unscaled * _POWERS[other._scale] == other._unscaled * _POWERS[self._scale]

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, DecimalData):
            return NotImplemented
        return self._unscaled * _POWERS[other._scale] < other._unscaled * _POWERS[self._scale]

    def __hash__(self) -> int:
        return hash(self.to_big_decimal())

    def __reduce__(self) -> tuple[object, ...]:
        return DecimalData._of, (self._unscaled, self._precision, self._scale)


def _check(precision: int, scale: int) -> None:
    if not 1 <= precision <= _MAX_PRECISION:
        raise ValidationException(f"DECIMAL takes a precision from 1 to {_MAX_PRECISION}, but got {precision}.")
    if not 0 <= scale <= precision:
        raise ValidationException(f"DECIMAL takes a scale from 0 to its precision {precision}, but got {scale}.")


def _fitting(unscaled: int, precision: int, scale: int) -> int:
    if abs(unscaled) >= _POWERS[precision]:
        raise ValidationException(f"The unscaled value {unscaled} has more digits than DECIMAL({precision}, {scale}) holds.")
    return unscaled
