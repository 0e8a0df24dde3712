"""Exact arithmetic of ``Decimal``, in its own context; all arithmetic of decimals is here.

The operators of ``Decimal`` (``-x`` and ``abs(x)``, too) round to the context of the thread, 28 digits unless the program changed it, while
DECIMAL has up to 38. An architecture test forbids them elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from itertools import repeat
from operator import mul

__all__ = [
    "ROUND_DOWN",
    "ROUND_HALF_EVEN",
    "ROUND_HALF_UP",
    "absolute",
    "all_from_unscaled",
    "ceiling",
    "difference",
    "divided",
    "floor",
    "from_unscaled",
    "is_whole",
    "negated",
    "parsed",
    "product",
    "remainder",
    "rounded",
    "total",
    "unscaled",
    "without_trailing_zeros",
]

_MOST_DIGITS = 4000
"""More than any value of a column has, and than a format string can ask for at a reasonable price."""
_EXACT = Context(prec=2 * _MOST_DIGITS, rounding=ROUND_HALF_UP, traps=[InvalidOperation, DivisionByZero, Overflow])
_QUOTIENTS = Context(prec=200, rounding=ROUND_HALF_UP, traps=[InvalidOperation, DivisionByZero, Overflow])
"""Enough digits to round quotients of 76-digit numbers once more without an error."""


def parsed(text: str) -> Decimal:
    """Parses a number exactly.

    Raises:
        ValueError: the text is not a number.
    """
    try:
        return _EXACT.create_decimal(text)
    except InvalidOperation as error:
        raise ValueError("it is not a decimal") from error
    except Overflow as error:
        raise ValueError("it has too many digits") from error


def from_unscaled(number: int, scale: int) -> Decimal:
    """Returns ``number × 10**-scale``, with ``scale`` fractional digits."""
    return Decimal(number).scaleb(-scale, _EXACT)


def all_from_unscaled(numbers: Iterable[int], scale: int) -> list[Decimal]:
    """Returns ``from_unscaled`` of each number."""
    unit = Decimal((0, (1,), -scale))
    with localcontext(_EXACT):  # the operator takes two thirds of the time of the context's method
        return list(map(mul, numbers, repeat(unit)))


def unscaled(value: Decimal, scale: int) -> int | None:
    """Returns ``value × 10**scale`` if that is a whole number; else None."""
    if not value:
        return 0
    if not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS:
        return None
    scaled = value.scaleb(scale, _EXACT)
    whole = int(scaled)
    return whole if whole == scaled else None


def rounded(value: Decimal, scale: int, mode: str = ROUND_HALF_UP) -> Decimal:
    """Returns the value rounded to ``scale`` fractional digits; a negative scale rounds integer digits.

    Raises:
        ValueError: the value is infinite, not a number, or has thousands of digits; zero has one, whatever its exponent is.
    """
    if not value.is_finite() or (max(value.adjusted(), 0) if value else 0) + abs(scale) > _MOST_DIGITS:
        raise ValueError("it has too many digits")
    result = value.quantize(Decimal((0, (1,), -scale)), mode, _EXACT)
    return result if scale >= 0 else result.quantize(Decimal(1), mode, _EXACT)


def ceiling(value: Decimal, scale: int) -> Decimal:
    """Returns the least number with ``scale`` digits after the point that is not less than the value; errors are those of ``rounded``."""
    return rounded(value, scale, ROUND_CEILING)


def floor(value: Decimal, scale: int) -> Decimal:
    """Returns the greatest number with ``scale`` digits after the point that is not greater than the value; errors are those of ``rounded``."""
    return rounded(value, scale, ROUND_FLOOR)


def is_whole(value: Decimal) -> bool:
    """Returns whether a finite value has no digits after the point, zeros aside."""
    return value == value.to_integral_value()


def negated(value: Decimal) -> Decimal:
    """Returns ``-value``."""
    return value.copy_negate()


def absolute(value: Decimal) -> Decimal:
    """Returns the value without its sign."""
    return value.copy_abs()


def total(left: Decimal, right: Decimal) -> Decimal:
    """Returns ``left + right``."""
    return _EXACT.add(left, right)


def difference(left: Decimal, right: Decimal) -> Decimal:
    """Returns ``left - right``."""
    return _EXACT.subtract(left, right)


def product(left: Decimal, right: Decimal) -> Decimal:
    """Returns ``left × right``."""
    return _EXACT.multiply(left, right)


def divided(dividend: Decimal, divisor: Decimal | int) -> Decimal:
    """Returns the quotient, to far more digits than any DECIMAL has.

    Raises:
        ZeroDivisionError: the divisor is 0.
    """
    if not divisor:
        raise ZeroDivisionError
    return _QUOTIENTS.divide(dividend, Decimal(divisor))


def remainder(dividend: Decimal, divisor: Decimal) -> Decimal:
    """Returns what a division to a whole number leaves, with the sign of the dividend.

    Raises:
        ZeroDivisionError: the divisor is 0.
    """
    if not divisor:
        raise ZeroDivisionError
    return _EXACT.remainder(dividend, divisor)


def without_trailing_zeros(value: Decimal) -> Decimal:
    """Returns the number with as few digits as it needs."""
    return value.normalize(_EXACT)
