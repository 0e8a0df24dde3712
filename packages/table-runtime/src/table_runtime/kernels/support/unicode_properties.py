"""The characters with a Unicode property, computed once with the library ``regex``."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=256)
def property_ranges(text: str) -> tuple[tuple[int, int], ...]:
    """Returns the ranges of code points in a set in the syntax of ``regex``, such as ``\\p{L}``."""
    import regex  # most patterns have no properties

    runs = regex.compile(f"{text}+", regex.VERSION1).finditer(_all_characters())
    return tuple((run.start(), run.end() - 1) for run in runs)


@lru_cache(maxsize=1)
def _all_characters() -> str:
    return "".join(map(chr, range(0x110000)))
