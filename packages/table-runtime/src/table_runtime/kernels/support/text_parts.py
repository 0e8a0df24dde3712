"""SPLIT_INDEX of an array of texts at once."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.columns.array_cache import derived


def part_of_split(texts: Any, separator: str, index: int) -> Any:
    """Returns part number ``index`` (from 0) of each text of an array without NULLs, split at each ``separator``, which is not empty.

    NULL: the text is empty or has no such part. The texts are split once for all indexes.
    """
    if index < 0:
        return pa.nulls(len(texts), pa.string())
    parts = derived(texts, ("split", separator), lambda array: pc.split_pattern(array, separator))
    first, count = parts.offsets.slice(0, len(texts)), pc.list_value_length(parts)
    has_part = pc.and_(pc.greater(count, index), pc.not_equal(texts, ""))
    return pc.take(parts.values, pc.if_else(has_part, pc.add(pc.cast(first, pa.int64()), index), pa.scalar(None, pa.int64())))
