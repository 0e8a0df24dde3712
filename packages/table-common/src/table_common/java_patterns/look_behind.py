"""The widths of look-behind in Java, with its 32-bit arithmetic, and the parts that it refuses."""

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

_MOST = 0x7FFFFFFF


def _wrapped(number: int) -> int:
    """The number in 32 bits."""
    return (number + 0x80000000) % 0x100000000 - 0x80000000


class _Study:
    """The analysis of a part: its width, whether that is bounded, and whether the match is deterministic."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.least = self.most = 0
        self.is_bounded = self.is_fixed = True

    def add(self, least: int, most: int) -> None:
        self.least = _wrapped(self.least + least)
        self.most = _wrapped(self.most + most)


def widths_behind(body: Node) -> tuple[int, int | None] | None:
    """Returns how many characters before a place the part may begin; None if Java refuses it. No number bounds the second one if it is None."""
    study = _Study()
    _visit([body], study)
    if not study.is_bounded:
        return None
    if study.most == _MOST or study.most <= study.least - 0x80000000:
        return study.least, None
    return study.least, study.most


def is_deterministic(body: Node) -> bool:
    """Whether Java takes a part for one with a single way to match at a place."""
    study = _Study()
    _visit([body], study)
    return study.is_fixed


def _visit(body: list[Node], study: _Study) -> None:
    """Follows the parts of a chain."""
    chain = body[::-1]
    while chain:
        node = chain.pop()
        match node:
            case Sequence(parts=parts):
                chain.extend(reversed(parts))
            case Characters() | Dot():
                study.add(1, 1)
            case LineBreak():
                study.add(1, 2)
            case Grapheme():
                study.add(1, 0)
                study.is_fixed = False
            case Reference():
                study.is_bounded = False
            case Group(body=body_of_group):
                chain.append(body_of_group)
            case Atomic(body=body_of_group):
                _visit([body_of_group], study)
            case Branch(options=options):
                _alternatives(options, chain[::-1], study)
                return
            case Repeat(body=Group(), least=0, most=1, mode="" | "?"):
                _alternatives((node.body, Sequence(())), chain[::-1], study)
                return
            case Repeat():
                if not _repetition(node, study):
                    return


def _alternatives(options: tuple[Node, ...], rest: list[Node], study: _Study) -> None:
    least, most, bounded = study.least, study.most, study.is_bounded
    lowest, highest = _MOST, -1
    for option in options:
        study.reset()
        _visit([option], study)
        lowest, highest = min(lowest, study.least), max(highest, study.most)
        bounded = bounded and study.is_bounded
    study.reset()
    _visit(rest, study)
    study.add(_wrapped(least + lowest), _wrapped(most + highest))
    study.is_bounded = study.is_bounded and bounded
    study.is_fixed = False


def _repetition(node: Repeat, study: _Study) -> bool:
    """Returns whether Java looks at what follows the repetition."""
    body = node.body
    if isinstance(body, Characters | Dot) and node.mode == "" and node.most is None:
        study.add(node.least, _MOST)
        study.is_fixed = False
        return True
    if (node.least, node.most) == (0, 1):
        least = study.least
        _visit([body], study)
        study.least = least
        study.is_fixed = False
        return True
    inner = _Study()
    _visit([body], inner)
    if isinstance(body, Group) and node.mode != "+" and not inner.is_fixed:
        study.is_bounded = study.is_fixed = False
        return False
    most = _MOST if node.most is None else node.most
    lowest = _wrapped(_wrapped(inner.least * node.least) + study.least)
    study.least = 0xFFFFFFF if lowest < study.least else lowest
    highest = _wrapped(_wrapped(inner.most * most) + study.most)
    study.is_bounded = study.is_bounded and inner.is_bounded and highest >= study.most
    study.most = highest
    study.is_fixed = study.is_fixed and inner.is_fixed and node.least == most
    return True
