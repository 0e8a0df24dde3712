"""Functions on BITMAP values, which are stored as serialized Roaring bitmaps."""

from __future__ import annotations

from collections.abc import Callable

from table_common.exceptions import TableRuntimeException
from table_common.functions import FunctionDefinition
from table_common.functions.builtin import bitmap as fn
from table_runtime.casts.to_text import roaring_to_text
from table_runtime.kernels.kernel import Kernel, infallible
from table_runtime.kernels.support.rowwise import python, rows_function
from table_runtime.roaring import decode, encode


def _from_bytes(data: bytes) -> bytes:
    try:
        return encode(decode(data))
    except ValueError as error:
        raise TableRuntimeException(f"BITMAP_FROM_BYTES: {error}.") from error


def _combining(combine: Callable[[set[int], set[int]], set[int]]) -> Kernel:
    return infallible(rows_function(lambda left, right: encode(combine(decode(left), decode(right)))))


def _signed(value: int) -> int:
    return value - 2**32 if value >= 2**31 else value


TABLE: dict[FunctionDefinition, Kernel] = {
    fn.BITMAP_BUILD: infallible(rows_function(lambda values: encode(value for value in values if value is not None))),
    fn.BITMAP_FROM_BYTES: python(_from_bytes, fails=True),
    fn.BITMAP_TO_BYTES: infallible(rows_function(lambda data: data)),
    fn.BITMAP_TO_ARRAY: infallible(rows_function(lambda data: [_signed(value) for value in sorted(decode(data))])),
    fn.BITMAP_TO_STRING: infallible(rows_function(roaring_to_text)),
    fn.BITMAP_CARDINALITY: infallible(rows_function(lambda data: len(decode(data)))),
    fn.BITMAP_AND: _combining(set.__and__),
    fn.BITMAP_ANDNOT: _combining(set.__sub__),
    fn.BITMAP_OR: _combining(set.__or__),
    fn.BITMAP_XOR: _combining(set.__xor__),
}
