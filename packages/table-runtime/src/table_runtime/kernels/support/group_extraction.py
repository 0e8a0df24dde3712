"""REGEXP_EXTRACT of an array of texts at once, with Arrow's RE2 where it finds what Python's matcher finds."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import pyarrow as pa

from table_common.arrow import compute as pc
from table_runtime.kernels.support.java_matching import java_pattern

_CAPTURING = re.compile(r"\((?!\?)")
"""The start of a capturing group; patterns for RE2 have escaped parentheses as numbers."""


def extract_group(texts: Any, pattern: str, group: int = 0) -> Any:
    """Returns a group of the first match in each text of an array without NULLs; NULL without a match or for an invalid pattern or group.

    Raises:
        TableRuntimeException: this engine cannot reproduce Java's matches.
    """
    compiled = java_pattern(pattern)
    if compiled is None or not compiled.check_group(group):
        return pa.nulls(len(texts), pa.string())
    re2 = compiled.re2_pattern(texts)
    named = None if re2 is None else _named_group(re2, group)
    if named is None:
        return pa.array([compiled.group(text, group) for text in texts.to_pylist()], pa.string())
    result = pc.struct_field(pc.extract_regex(texts, named), [0])
    is_empty = pc.fill_null(pc.equal(result, ""), False)
    if group == 0 or not pc.any(is_empty).as_py():
        return result
    # Arrow returns an empty text also for a group that takes no part in the match, which is NULL.
    empty = [compiled.group(text, group) for text in pc.filter(texts, is_empty).to_pylist()]
    return pc.replace_with_mask(result, is_empty, pa.array(empty, pa.string()))


@lru_cache(maxsize=256)
def _named_group(pattern: str, group: int) -> str | None:
    """Returns a pattern of RE2 whose only capturing group is the one with this number; None if RE2 does not accept it."""
    number = 0

    def rename(found: re.Match[str]) -> str:
        nonlocal number
        number += 1
        return "(?P<text>" if number == group else "(?:"

    named = _CAPTURING.sub(rename, pattern)
    if group == 0:
        named = f"(?P<text>{named})"
    try:
        pc.extract_regex(pa.array([""]), named)
    except pa.ArrowInvalid:
        return None
    return named
