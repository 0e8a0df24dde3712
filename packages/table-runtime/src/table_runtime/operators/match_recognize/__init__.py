"""MATCH_RECOGNIZE: finds sequences of rows that match a pattern, with conditions and measures over whole batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_common.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from table_runtime.operators.match_recognize.operator import MatchRecognize
    from table_runtime.operators.match_recognize.pattern import PatternSpec
    from table_runtime.operators.match_recognize.recognizer import MatchRecognizer, MatchState

__all__ = ["MatchRecognize", "MatchRecognizer", "MatchState", "PatternSpec"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "table_runtime.operators.match_recognize.operator": ("MatchRecognize",),
        "table_runtime.operators.match_recognize.pattern": ("PatternSpec",),
        "table_runtime.operators.match_recognize.recognizer": ("MatchRecognizer", "MatchState"),
    },
)
