"""Columns of state, addressed by slot."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

_T = TypeVar("_T", bound=np.generic)

_MANY = 1 << 18
"""Arrays of zeros with this number of elements grow by more, to be copied less often: their new elements take no memory before they are written."""


def grown(array: np.ndarray[Any, np.dtype[_T]], size: int, fill: Any = 0) -> np.ndarray[Any, np.dtype[_T]]:
    """Returns an array with room for ``size`` elements along its last axis; it at least doubles, and new elements are ``fill``."""
    if array.shape[-1] >= size:
        return array
    used = array.shape[-1]
    factor = 2 if fill or used < _MANY else 4
    shape = (*array.shape[:-1], max(size, factor * used))
    result = np.empty(shape, array.dtype) if fill else np.zeros(shape, array.dtype)  # memory of zeros is not touched before it is used
    result[..., :used] = array
    if fill:
        result[..., used:] = fill
    return result
