"""Capturing groups of a Java regular expression that may be unset in a match, or may keep the text of a failed attempt.

Java's matcher does not reset a group in a part that it does not backtrack into.
"""

from __future__ import annotations

from collections.abc import Iterator

from table_common.java_patterns.look_behind import is_deterministic
from table_common.java_patterns.nodes import Atomic, Branch, Group, Look, Node, Repeat, Sequence
from table_common.java_patterns.widths import widths


def optional_groups(tree: Node) -> frozenset[int]:
    """Returns the numbers of the groups that may be unset in a match.

    Example:
        >>> from table_common.java_patterns import read_java_pattern
        >>> optional_groups(read_java_pattern("(a)(b)?").tree)
        frozenset({2})
    """
    return frozenset(_optional(tree, False))


def _optional(node: Node, optional: bool) -> Iterator[int]:
    match node:
        case Group(number=number, body=body):
            if number is not None and optional:
                yield number
            yield from _optional(body, optional)
        case Look(negative=negative, body=body):
            yield from _optional(body, optional or negative)
        case Atomic(body=body):
            yield from _optional(body, optional)
        case Branch(options=options):
            for option in options:
                yield from _optional(option, True)
        case Sequence(parts=parts):
            for part in parts:
                yield from _optional(part, optional)
        case Repeat(body=body, least=least):
            yield from _optional(body, optional or least == 0)


def uncertain_groups(tree: Node) -> frozenset[int]:
    """Returns the numbers of the groups whose text may differ in Java."""
    return frozenset(_visit(tree, optional=False, atomic=False, stale=False, repeated=False))


def _visit(node: Node, optional: bool, atomic: bool, stale: bool, repeated: bool) -> Iterator[int]:
    """Goes through a part.

    Args:
        node: the part.
        optional: whether there are matches without it.
        atomic: whether it lies in a part that has one match only.
        stale: whether its groups keep what they had in an attempt that failed.
        repeated: whether it lies in a repetition.
    """
    match node:
        case Group(number=number, body=body):
            if number is not None and (stale or (optional and atomic)):
                yield number
            yield from _visit(body, optional, atomic, stale, repeated)
        case Look(negative=negative, body=body):
            yield from _visit(body, optional, True, stale or negative, repeated)
        case Atomic(body=body):
            yield from _visit(body, optional, True, stale, repeated)
        case Branch(options=options):
            for option in options:
                yield from _visit(option, True, atomic, stale, repeated)
        case Sequence(parts=parts):
            for part in parts:
                yield from _visit(part, optional, atomic, stale, repeated)
        case Repeat(body=body, least=least, most=most, mode=mode):
            optional = optional or least == 0
            inside = repeated or most != 1
            if isinstance(body, Group) and mode != "+" and (least, most) != (0, 1) and is_deterministic(body):
                # Such a group is set after all that follows has matched, so that the first repetition around it has the last word.
                is_first = repeated and least != most
                if body.number is not None and (stale or is_first or (optional and atomic) or widths(body)[1] == 0):
                    yield body.number
                yield from _visit(body.body, optional, atomic, True, inside)
            else:
                yield from _visit(body, optional, atomic or mode == "+", stale, inside)
