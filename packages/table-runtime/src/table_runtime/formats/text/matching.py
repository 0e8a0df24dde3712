"""Converts columns of text by a kernel, which refuses a column as a whole: texts that it may refuse are left out."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from table_common.arrow import compute as pc

Kernel = Callable[[pa.Array], pa.Array]


def matching(
    texts: pa.Array, pattern: str, convert: Kernel, *, whole: bool = False, characters: str | None = None
) -> tuple[pa.Array, pa.Array | None]:
    """Returns the values of the texts, and a mask of the texts that must be parsed one by one (None: there are none).

    Args:
        texts: the texts.
        pattern: what a text must match to be converted, unless one of the next two arguments helps.
        convert: converts texts; raises ``pa.ArrowInvalid`` if one of them is not a value.
        whole: whether all texts may be converted, as far as ``convert`` takes them.
        characters: if given, ``convert`` may get all texts that consist of digits and these characters.
    """
    if whole:
        try:
            return convert(texts), None
        except pa.ArrowInvalid:
            pass
    if characters is not None:
        from table_runtime.formats.text.invalid_values import texts_with_other_characters

        others = texts_with_other_characters(texts, characters)
        if others is not None:
            try:
                return convert(without(texts, others)), others
            except pa.ArrowInvalid:
                pass
    sure = pc.match_substring_regex(texts, pattern)
    if pc.all(sure).as_py() is not False:
        return convert(texts), None
    others = pc.fill_null(pc.invert(sure), False)
    return convert(without(texts, others)), others


def without(texts: pa.Array, mask: pa.Array) -> pa.Array:
    """Returns the texts with NULL where the mask is true; their bytes are not copied."""
    if texts.offset or not pa.types.is_string(texts.type):
        return pc.if_else(mask, pa.scalar(None, texts.type), texts)
    kept = pc.and_(pc.is_valid(texts), pc.invert(mask))
    return pa.Array.from_buffers(texts.type, len(texts), [kept.buffers()[1], *texts.buffers()[1:]])
