"""MATCH_RECOGNIZE: finds sequences of rows that match a pattern, with conditions and measures over whole batches."""

from table_common.lazy_exports import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    """
    .operator: MatchRecognize
    .pattern: PatternSpec
    .recognizer: MatchRecognizer MatchState
    """,
)
