"""Applies Python functions once per distinct value instead of once per row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from table_common.arrow import arrow_array
from table_common.arrow import compute as pc
from table_runtime.columns.array_cache import derived


def map_distinct(values: Any, function: Callable[[Any], Any], arrow_type: Any) -> Any:
    """Returns the array of ``function(value)``; NULL stays NULL without a call, and the function may return None.

    ``values`` is an array of numbers, decimals, strings or bytes, which Arrow can hash.
    """
    return map_distinct_array(
        values, lambda distinct: arrow_array([function(value) for value in distinct.to_pylist()], arrow_type), arrow_type
    )


def map_distinct_array(values: Any, function: Callable[[Any], Any], arrow_type: Any) -> Any:
    """Does what ``map_distinct`` does, with a function of the array of all distinct values, which has no NULLs.

    The distinct values of an array are the same object in all calls with this array, so the function may keep with it what it derives.
    """
    if len(values) == 0 or values.null_count == len(values):
        return pa.nulls(len(values), arrow_type)
    encoded = derived(values, "distinct", pc.dictionary_encode)
    return pc.take(function(encoded.dictionary), encoded.indices)


def map_values(values: Any, function: Callable[[Any], Any], arrow_type: Any) -> Any:
    """Returns the array of ``function(value)`` for types that Arrow cannot hash: one call per row. NULL stays NULL."""
    return arrow_array([None if value is None else function(value) for value in values.to_pylist()], arrow_type)
