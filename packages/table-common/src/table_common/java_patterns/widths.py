"""How many characters a part of a regular expression of Java may match."""

from __future__ import annotations

from table_common.java_patterns.nodes import (
    Atomic,
    Branch,
    Characters,
    Dot,
    Grapheme,
    Group,
    LineBreak,
    Node,
    Reference,
    Repeat,
    Sequence,
)


def widths(node: Node) -> tuple[int, int | None]:
    """Returns the least and the largest number of characters of a part, None if there is no largest one."""
    match node:
        case Characters() | Dot():
            return 1, 1
        case LineBreak():
            return 1, 2
        case Grapheme():
            return 1, None
        case Reference():
            return 0, None
        case Group(body=body) | Atomic(body=body):
            return widths(body)
        case Repeat(body=body, least=least, most=most):
            low, high = widths(body)
            return low * least, (0 if high == 0 else None if high is None or most is None else high * most)
        case Branch(options=options):
            lengths = [widths(option) for option in options]
            highs = [high for _, high in lengths if high is not None]
            return min(low for low, _ in lengths), max(highs) if len(highs) == len(lengths) else None
        case Sequence(parts=parts):
            lengths = [widths(part) for part in parts]
            highs = [high for _, high in lengths if high is not None]
            return sum(low for low, _ in lengths), sum(highs) if len(highs) == len(lengths) else None
    return 0, 0
