"""Patterns of LIKE and SIMILAR TO as regular expressions, and what a regular expression costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_common.patterns.regular_expressions import PatternCost, pattern_cost
    from table_common.patterns.sql_patterns import PatternError, like_parts, like_regex, similar_regex

__all__ = [
    "PatternCost",
    "PatternError",
    "like_parts",
    "like_regex",
    "pattern_cost",
    "similar_regex",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_common.patterns.regular_expressions": (
            "PatternCost",
            "pattern_cost",
        ),
        "table_common.patterns.sql_patterns": (
            "PatternError",
            "like_parts",
            "like_regex",
            "similar_regex",
        ),
    },
)
