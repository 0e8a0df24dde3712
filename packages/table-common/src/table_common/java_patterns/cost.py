"""Which regular expressions are too costly for Java's matcher."""

from __future__ import annotations

import re

from table_common.java_patterns.pattern import read_java_pattern
from table_common.java_patterns.writer import cost_pattern
from table_common.patterns.regular_expressions import pattern_cost

MOST_REPETITIONS = 3
"""Up to this number of consecutive repetitions is acceptable for Java, such as those of LIKE '%a%b%'."""


def is_costly_java_pattern(pattern: object) -> bool:
    """Returns whether a constant pattern is too costly for Java, whose matcher cannot be interrupted.

    Example:
        >>> is_costly_java_pattern("a+b"), is_costly_java_pattern("(a+)+b")
        (False, True)
    """
    if not isinstance(pattern, str):
        return False
    read = read_java_pattern(pattern)
    written = cost_pattern(read) if read is not None else None
    if written is None:
        return False
    try:
        cost = pattern_cost(written, re.ASCII)
    except (re.error, OverflowError, RecursionError):
        return False
    return cost.power is None or cost.power > MOST_REPETITIONS + 1
