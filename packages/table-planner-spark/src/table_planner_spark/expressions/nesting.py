"""Limits the nesting of generated Spark SQL: Spark's planning time grows with the square of the depth, and its stack is limited."""

from __future__ import annotations

import re

from table_common.exceptions import TableException

MAX_NESTING = 1_000
"""The most parentheses of an expression that may be open at once; most functions open one or two. At this limit Spark takes 1 to 4 s, at twice
the limit four times as long."""
_LAMBDA_LEVELS = 8
"""The levels that a lambda counts as: Spark resolves its body again for each level around it."""
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|`[^`]*`|\btransform\(|[()]", re.DOTALL)


def check_nesting(text: str) -> None:
    """Rejects an expression that Spark would need minutes to plan.

    Raises:
        TableException: it is nested too deep.
    """
    if text.count("(") + _LAMBDA_LEVELS * text.count("transform(") <= MAX_NESTING:
        return
    depth = deepest = 0
    opened: list[int] = []
    for token in _TOKEN.finditer(text):
        match token[0]:
            case ")":
                depth -= opened.pop() if opened else 0
            case "(" | "transform(":
                opened.append(1 if token[0] == "(" else _LAMBDA_LEVELS)
                depth += opened[-1]
                deepest = max(deepest, depth)
    if deepest > MAX_NESTING:
        raise TableException(
            f"The planner 'spark' cannot run an expression that is nested too deep: Spark's text of it has {deepest:,} levels or more, "
            f"but there may be {MAX_NESTING:,}.",
            hint="Compute a part of it into a separate table; for a sum of many columns, use an aggregate.",
        )
