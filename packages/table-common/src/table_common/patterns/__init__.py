"""Patterns of LIKE and SIMILAR TO as regular expressions, and what a regular expression costs."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .regular_expressions: PatternCost pattern_cost
    .sql_patterns: PatternError like_parts like_regex similar_regex
    """,
)
