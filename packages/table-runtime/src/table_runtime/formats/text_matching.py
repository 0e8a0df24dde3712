"""Converts columns of text by a kernel, which refuses a column as a whole: texts that it may refuse are left out."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from table_common.arrow import compute as pc

__all__ = ["Kernel", "matching"]

Kernel = Callable[[pa.Array], pa.Array]


def matching(texts: pa.Array, pattern: str, convert: Kernel, *, whole: bool) -> tuple[pa.Array, pa.Array | None]:
    """Converts the texts that match the pattern; with ``whole``, the pattern is needed only if the conversion of all texts fails."""
    if whole:
        try:
            return convert(texts), None
        except pa.ArrowInvalid:
            pass
    sure = pc.match_substring_regex(texts, pattern)
    if pc.all(sure).as_py() is not False:
        return convert(texts), None
    return convert(pc.if_else(sure, texts, pa.scalar(None, texts.type))), pc.fill_null(pc.invert(sure), False)
