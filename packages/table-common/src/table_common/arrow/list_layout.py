"""The element ranges of Arrow's lists and maps: a slice of a list array still refers to the whole array of elements."""

from __future__ import annotations

from itertools import pairwise

import pyarrow as pa

from table_common.arrow import compute as pc


def referenced_elements(array: pa.Array, elements: pa.Array) -> pa.Array:
    """Returns the part of ``elements`` (values, keys or items of ``array``) to which the lists of ``array`` refer."""
    if len(array) == 0:
        return elements.slice(0, 0)
    offsets = array.offsets
    start = offsets[0].as_py()
    return elements.slice(start, offsets[-1].as_py() - start)


def element_spans(array: pa.Array) -> list[tuple[int, int] | None]:
    """Returns for each list where its elements begin and end in ``referenced_elements``; None for NULL."""
    if len(array) == 0:
        return []
    offsets = array.offsets.to_pylist()
    first = offsets[0]
    spans: list[tuple[int, int] | None] = [(start - first, end - first) for start, end in pairwise(offsets)]
    if array.null_count:
        return [span if valid else None for span, valid in zip(spans, pc.is_valid(array).to_pylist(), strict=True)]
    return spans
