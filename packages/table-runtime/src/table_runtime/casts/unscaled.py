"""Decimals as 64-bit integers without their point, whose arithmetic is several times cheaper, where all values of an array fit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from table_common.arrow import compute as pc

if TYPE_CHECKING:
    import numpy as np

    Integers = np.ndarray[Any, np.dtype[np.int64]]

_FEW = 1024
"""Arrays with fewer values are not worth the import of numpy."""
_EXACT = 2**53
"""All integers up to this one are doubles."""
_EXACT_DIGITS = 15
"""Integers of this number of digits are less than ``_EXACT``."""
_EXACT_POWER = 22
"""Powers of ten up to this one are doubles."""


def unscaled(values: Any) -> Any:
    """Returns the digits of decimals as an integer array or scalar, NULL for NULL; None if a value does not fit 64 bits, or without ``has_words``."""
    if isinstance(values, pa.Scalar):
        if not values.is_valid:
            return pa.scalar(None, pa.int64())
        digits = int.from_bytes(pa.repeat(values, 1).buffers()[1].to_pybytes()[: values.type.byte_width], sys.byteorder, signed=True)
        return pa.scalar(digits, pa.int64()) if -(2**63) <= digits < 2**63 else None
    if not has_words(values):
        return None
    import numpy as np

    low, high = _words(values)
    fits = high == low >> 63
    if values.null_count:
        absent = np.asarray(values.is_null())
        return pa.array(low, mask=absent) if bool((fits | absent).all()) else None
    return pa.array(np.ascontiguousarray(low)) if bool(fits.all()) else None


def from_unscaled(numbers: pa.Array, type_: pa.DataType) -> pa.Array:
    """Returns the decimals of a type of 128 bits that have these digits; the type has room for all of them."""
    import numpy as np

    digits = (numbers.fill_null(0) if numbers.null_count else numbers).to_numpy()
    words = np.empty((len(digits), 2), np.int64)
    words[:, 0] = digits
    np.right_shift(digits, 63, out=words[:, 1])
    validity = pa.array(np.asarray(numbers.is_valid())).buffers()[1] if numbers.null_count else None
    return pa.Array.from_buffers(type_, len(digits), [validity, pa.py_buffer(words)])


def nearest_doubles(values: pa.Array) -> pa.Array:
    """Returns the doubles next to decimals.

    Arrow's cast is not accurate: it multiplies by a negative power of ten, which is no double, so that 0.69 becomes 0.6900000000000001.
    """
    type_ = values.type
    if type_.scale <= _EXACT_POWER and (digits := _exact_digits(values)) is not None:
        # Both are exact, so the quotient is rounded once.
        return pc.divide(pc.cast(digits, pa.float64()), pa.scalar(10.0**type_.scale))
    return pc.cast(pc.cast(values, pa.string()), pa.float64())


def _exact_digits(values: pa.Array) -> pa.Array | None:
    """Returns the digits of decimals as integers; None if some may be no doubles."""
    if values.type.precision <= _EXACT_DIGITS and pa.types.is_decimal128(values.type):
        return pc.cast(retyped(values, pa.decimal128(38, 0)), pa.int64())
    digits = unscaled(values)
    if digits is None:
        return None
    least, most = pc.min_max(digits).values()
    return None if least.is_valid and (least.as_py() < -_EXACT or most.as_py() > _EXACT) else digits


def has_high_words_below(values: pa.Array, bound: int) -> bool:
    """Returns whether all decimals are at least ``-bound * 2**64`` and less than ``bound * 2**64``; False without ``has_words``."""
    if not has_words(values):
        return False
    import numpy as np

    high = _words(values)[1]
    fits = (high >= -bound) & (high < bound)
    if values.null_count:
        fits |= np.asarray(values.is_null())
    return bool(fits.all())


def fits_digits(values: pa.Array, digits: int) -> bool:
    """Returns whether all decimals have at most ``digits`` digits; False also where that is not known without converting them: see ``has_words``."""
    bound = 10**digits // 2**64
    if bound:
        return has_high_words_below(values, bound)
    numbers = unscaled(values) if has_words(values) else None
    if numbers is None:
        return False
    extremes = pc.min_max(numbers)
    least, most = extremes["min"].as_py(), extremes["max"].as_py()
    return least is None or (-(10**digits) < least and most < 10**digits)


def retyped(values: pa.Array, type_: pa.DataType) -> pa.Array:
    """Returns the digits of decimals of 128 bits in another such type; that all of them fit it is known."""
    return pa.Array.from_buffers(type_, len(values), values.buffers(), null_count=values.null_count, offset=values.offset)


def has_words(values: pa.Array) -> bool:
    """Returns whether the words of decimals can be read: there are enough of them to be worth the import of numpy."""
    return len(values) >= _FEW and pa.types.is_decimal128(values.type)


def _words(values: pa.Array) -> tuple[Integers, Integers]:
    """Returns the low and the high 64 bits of each decimal; those of NULL are any."""
    import numpy as np

    words = np.frombuffer(values.buffers()[1], np.int64)[2 * values.offset : 2 * (values.offset + len(values))]
    return words[::2], words[1::2]
