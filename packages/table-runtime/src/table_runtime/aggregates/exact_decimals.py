"""Exact division and rounding of decimal columns, by integers, where Arrow's decimals cannot do it."""

from __future__ import annotations

import pyarrow as pa

from table_common.arrow import compute as pc
from table_common.exact_decimals import divided

SAFE_PRECISION = 28
"""Sums of 10**10 numbers with at most this many digits fit 38 digits."""


def widen(values: pa.Array) -> pa.Array:
    """Returns the numbers in a type whose sum cannot overflow."""
    type_ = values.type
    return values if type_.precision <= SAFE_PRECISION else pc.cast(values, pa.decimal256(76, type_.scale))


def narrowed(values: pa.Array) -> pa.Array:
    """Returns the numbers in a type of 128 bits whose sum cannot overflow, if their digits are so few; else as they are."""
    type_ = values.type
    if type_.precision <= SAFE_PRECISION or type_.scale > SAFE_PRECISION:
        return values
    from table_runtime.casts.unscaled import fits_digits, retyped  # most decimals have a type of few digits

    return retyped(values, pa.decimal128(SAFE_PRECISION, type_.scale)) if fits_digits(values, SAFE_PRECISION) else values


def fit_decimals(values: pa.Array, type_: pa.DataType) -> pa.Array:
    """Returns the sums cast to ``type_``; NULL for sums with too many digits."""
    try:
        return pc.cast(values, type_)
    except pa.ArrowInvalid:
        from table_runtime.casts.decimals import rescale  # most sums are small

        return rescale(values, type_.precision, type_.scale)


def divide_half_up(sums: pa.Array, counts: pa.Array, type_: pa.DataType) -> pa.Array:
    """Returns sum / count, rounded half up to the scale of ``type_``; NULL if the sum is NULL, or if sum or quotient have too many digits."""
    fast = _divide_small(sums, counts, type_)
    if fast is not None:
        return fast
    from table_runtime.casts import fit_decimal  # most quotients are small

    quotients = [
        None
        if total is None or fit_decimal(total, 38, sums.type.scale) is None
        else fit_decimal(divided(total, count), type_.precision, type_.scale)
        for total, count in zip(sums.to_pylist(), counts.to_pylist(), strict=True)
    ]
    return pa.array(quotients, type=type_)


def _divide_small(sums: pa.Array, counts: pa.Array, type_: pa.DataType) -> pa.Array | None:
    """Returns the quotients by 64-bit integer division, which most data allows; None if a number is too large."""
    shift = type_.scale - sums.type.scale
    if not 0 <= shift <= 17 or type_.scale > 18:
        return None
    try:
        small = pc.cast(sums, pa.decimal64(18, sums.type.scale))
        unscaled = pa.Array.from_buffers(pa.int64(), len(small), small.buffers(), offset=small.offset)
        # Rounds half up: (2 * sum + count) / (2 * count), which must fit 64 bits.
        doubled = pc.multiply_checked(unscaled, pa.scalar(2 * 10**shift, pa.int64()))
        signed = pc.if_else(pc.less(doubled, pa.scalar(0, pa.int64())), pc.negate(counts), counts)
        rounded = pc.divide(pc.add_checked(doubled, signed), pc.multiply_checked(counts, pa.scalar(2, pa.int64())))
        if pc.any(pc.greater_equal(pc.abs(rounded), pa.scalar(10**18, pa.int64()))).as_py():
            return None
        return pc.cast(pa.Array.from_buffers(pa.decimal64(18, type_.scale), len(rounded), rounded.buffers(), offset=rounded.offset), type_)
    except pa.ArrowInvalid:
        return None
