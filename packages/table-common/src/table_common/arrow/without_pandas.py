"""Arrow scalars and arrays of Python values, made without pandas.

``pa.scalar`` and ``pa.array`` import pandas where it is installed, in order to recognize its objects. That takes longer than everything else that
a small query does. The functions here write the buffers of the usual types themselves as long as Arrow has not imported pandas. Values
of other types, and values that do not fit into their type, are left to Arrow; so results and errors are those of ``pa.scalar`` and ``pa.array``.
"""

from __future__ import annotations

import datetime
import struct
import sys
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from itertools import accumulate
from typing import Any

import pyarrow as pa
from pyarrow import _compute

_CODES: dict[pa.DataType, tuple[type, str]] = {
    pa.int8(): (int, "b"),
    pa.int16(): (int, "h"),
    pa.int32(): (int, "i"),
    pa.int64(): (int, "q"),
    pa.uint8(): (int, "B"),
    pa.uint16(): (int, "H"),
    pa.uint32(): (int, "I"),
    pa.uint64(): (int, "Q"),
    pa.float64(): (float, "d"),
    pa.date32(): (datetime.date, "i"),
}
"""By type of Arrow: the class of the values that are written here, and the code of ``struct``."""
_INFERRED: dict[type, pa.DataType] = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
"""By class of values: the type of Arrow that ``pa.scalar`` infers."""
_ZEROS: dict[type, Any] = {type(zero): zero for zero in (False, 0, 0.0, "", b"", Decimal(), datetime.date.min)}
"""By class of values: what is written for NULL."""
_EPOCH = datetime.date(1970, 1, 1).toordinal()


def arrow_scalar(value: Any, arrow_type: pa.DataType | None = None) -> Any:
    """Does what ``pa.scalar(value, arrow_type)`` does.

    Example:
        >>> arrow_scalar(7, pa.int16())
        <pyarrow.Int16Scalar: 7>
    """
    if not _would_import_pandas():
        return pa.scalar(value, arrow_type)
    written = _written([value], arrow_type)
    return pa.scalar(value, arrow_type) if written is None else written[0]


def arrow_array(values: Any, arrow_type: pa.DataType | None = None) -> Any:
    """Does what ``pa.array(values, arrow_type)`` does, for a sequence or an array of numpy.

    Example:
        >>> arrow_array(["a", None], pa.string()).null_count
        1
    """
    if not _would_import_pandas():
        return pa.array(values, arrow_type)
    written = _viewed(values, arrow_type) if hasattr(values, "dtype") else _written(values, arrow_type)
    return pa.array(values, arrow_type) if written is None else written


def _would_import_pandas() -> bool:
    return "pandas" not in sys.modules and _is_pandas_installed()


@cache
def _is_pandas_installed() -> bool:
    return find_spec("pandas") is not None


def _viewed(values: Any, arrow_type: pa.DataType | None) -> pa.Array | None:
    """Returns an array of numpy as an array of Arrow, which shares its memory; None if Arrow must convert it."""
    dtype = values.dtype
    if type(values).__name__ != "ndarray" or values.ndim != 1 or dtype.kind not in "iufb" or not dtype.isnative or dtype.itemsize > 8:
        return None
    own_type = pa.from_numpy_dtype(dtype)
    if arrow_type is not None and arrow_type != own_type:
        return None
    data = values if values.flags.c_contiguous else values.copy()
    return pa.Array.from_buffers(own_type, len(values), [None, _bits(data) if dtype.kind == "b" else pa.py_buffer(data)], 0)


def _written(values: Sequence[Any], arrow_type: pa.DataType | None) -> pa.Array | None:
    """Returns the values as an array; None if a value is not of the class that is expected, or does not fit."""
    classes = set(map(type, values))
    has_nulls = type(None) in classes
    classes.discard(type(None))
    if len(classes) > 1:
        return None
    cls = next(iter(classes), type(None))
    arrow_type = arrow_type or _INFERRED.get(cls)
    if arrow_type is None:
        return None
    if not classes:
        return pa.nulls(len(values), arrow_type)
    zero = _ZEROS.get(cls)
    if zero is None:
        return None
    data = _data([zero if value is None else value for value in values] if has_nulls else values, cls, arrow_type)
    if data is None:
        return None
    valid = _bits(bytes(value is not None for value in values)) if has_nulls else None
    return pa.Array.from_buffers(arrow_type, len(values), [valid, *map(pa.py_buffer, data)])


def _data(values: Sequence[Any], cls: type, arrow_type: pa.DataType) -> list[Any] | None:
    """Returns the buffers for values of one class, without that of the validity; None if Arrow must convert them."""
    expected, code = _CODES.get(arrow_type, (None, ""))
    try:
        if cls is datetime.date and expected is cls:
            return [_packed([value.toordinal() - _EPOCH for value in values], code)]
        if expected is cls:
            return [_packed(values, code)]
        if cls is bool and arrow_type == pa.bool_():
            return [_bits(bytes(values))]
        if cls in (Decimal, int) and pa.types.is_decimal(arrow_type):
            width = arrow_type.byte_width
            return [b"".join(_unscaled(Decimal(value), arrow_type).to_bytes(width, sys.byteorder, signed=True) for value in values)]
        if (cls is str and arrow_type == pa.string()) or (cls is bytes and arrow_type == pa.binary()):
            pieces = [value.encode() for value in values] if cls is str else values
            return [_packed([0, *accumulate(map(len, pieces))], "i"), b"".join(pieces)]
    except (struct.error, ArithmeticError, UnicodeEncodeError):  # a value that does not fit
        pass
    return None


def _packed(values: Sequence[Any], code: str) -> bytes:
    return struct.pack(f"={len(values)}{code}", *values)


def _bits(truths: Any) -> pa.Buffer:
    """Returns a buffer with one bit for each byte that is 0 or 1."""
    array = pa.Array.from_buffers(pa.uint8(), len(truths), [None, pa.py_buffer(truths)], 0)
    return _compute.call_function("cast", [array], _compute.CastOptions.safe(pa.bool_())).buffers()[1]


def _unscaled(value: Decimal, arrow_type: Any) -> int:
    """Returns the value times ten to the power of the scale.

    Raises:
        ArithmeticError: it has more digits than the type.
    """
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or exponent + arrow_type.scale < 0 or len(digits) + exponent + arrow_type.scale > arrow_type.precision:
        raise ArithmeticError
    magnitude: int = int("".join(map(str, digits))) * 10 ** (exponent + arrow_type.scale)
    return -magnitude if sign else magnitude
