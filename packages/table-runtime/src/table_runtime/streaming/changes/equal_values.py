"""Compares the values before and after a change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from table_common.arrow import compute as pc


def equal_values(left: pa.Array, right: pa.Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Compares two arrays of one type element by element; NULL equals NULL, NaN equals NaN."""
    if not len(left):
        return np.ones(0, np.bool_)
    type_ = left.type
    if pa.types.is_null(type_):
        return np.ones(len(left), np.bool_)
    if pa.types.is_nested(type_):
        return np.array([one.equals(other) for one, other in zip(left, right, strict=True)], np.bool_)
    if pa.types.is_duration(type_):
        left, right = left.view(pa.int64()), right.view(pa.int64())
    equal = pc.equal(left, right)
    if left.null_count or right.null_count:
        equal = pc.or_(pc.fill_null(equal, False), pc.and_(pc.is_null(left), pc.is_null(right)))
    if pa.types.is_floating(type_):
        equal = pc.or_(equal, pc.fill_null(pc.and_(pc.is_nan(left), pc.is_nan(right)), False))
    return np.asarray(equal.to_numpy(zero_copy_only=False))
