"""The worst-case cost of a regular expression, and its form for RE2: both engines check it before they use a backtracking matcher.

Java and Python match by backtracking, which takes polynomial time in the length of the text, and exponential time if repetitions are nested.
RE2 takes linear time, but has no back references and no look-around. The parser is Python's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# The module of the parsed tree is not public; a test covers all kinds of its nodes.
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from table_common.frozen_dataclass import dataclass

MOST_CHOICES = 12
LARGEST_COUNT = 1000
"""RE2 accepts no larger repetition count."""
_SPACES = r"\t-\r "
_CATEGORIES = {
    kinds.CATEGORY_DIGIT: r"\d",
    kinds.CATEGORY_NOT_DIGIT: r"\D",
    kinds.CATEGORY_WORD: r"\w",
    kinds.CATEGORY_NOT_WORD: r"\W",
    kinds.CATEGORY_SPACE: _SPACES,
}
_PLACES = {
    kinds.AT_BEGINNING: r"\A",
    kinds.AT_BEGINNING_STRING: r"\A",
    kinds.AT_END: r"\z",
    kinds.AT_END_STRING: r"\z",
    kinds.AT_BOUNDARY: r"\b",
    kinds.AT_NON_BOUNDARY: r"\B",
}
_REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)
_CHARACTERS = (kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY, kinds.IN)


@dataclass(frozen=True, slots=True)
class PatternCost:
    """``power``: the exponent of the polynomial time of a search; None: the time may be exponential.

    ``re2`` is the same pattern for RE2, None if it has none; it says the same unless the text ends with a line end and ``has_end`` is true.

    Example:
        >>> pattern_cost("a+b").power is None, pattern_cost("(a+)+b").power is None
        (False, True)
    """

    power: int | None
    choices: int
    re2: str | None
    has_end: bool


@lru_cache(maxsize=1024)
def pattern_cost(pattern: str, flags: int = 0) -> PatternCost:
    """Returns the cost of a regular expression of Python.

    Raises:
        re.error: the text is not a regular expression.
    """
    tree = parser.parse(pattern, flags)
    growth = _Growth()
    power = growth.of(tree)
    anchored = len(tree) > 0 and tree[0][0] is kinds.AT and tree[0][1] in (kinds.AT_BEGINNING, kinds.AT_BEGINNING_STRING)
    if power is not None:
        power = None if growth.choices > MOST_CHOICES else power + (not anchored)
    flags = tree.state.flags
    try:
        if flags & (re.IGNORECASE | re.MULTILINE | re.VERBOSE | re.LOCALE) or tree.getwidth()[0] == 0:
            raise _NotInRe2
        writer = _Re2(flags)
        return PatternCost(power, growth.choices, writer.text(tree), writer.has_end)
    except (_NotInRe2, RecursionError):
        return PatternCost(power, growth.choices, None, False)


class _Growth:
    """Counts consecutive repetitions and optional parts."""

    def __init__(self) -> None:
        self.choices = 0

    def of(self, nodes: Iterable[tuple[Any, Any]]) -> int | None:
        """Returns the number of consecutive repetitions; None if they are nested."""
        total = 0
        for kind, value in nodes:
            power = self._of_one(kind, value)
            if power is None:
                return None
            total += power
        return total

    def _of_one(self, kind: Any, value: Any) -> int | None:
        if kind in _REPEATS:
            least, most, inner = value
            if most <= 1:
                self.choices += least != most
                return self.of(inner)
            return int(least != most) if _is_fixed(inner) else None
        if kind is kinds.BRANCH:
            self.choices += 1
            powers = [self.of(branch) for branch in value[1]]
            return None if None in powers else max(power for power in powers if power is not None)
        if kind is kinds.SUBPATTERN:
            return self.of(value[3])
        if kind is kinds.ATOMIC_GROUP:
            return self.of(value)
        if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            return self.of(value[1])
        return 1 if kind in (kinds.GROUPREF, kinds.GROUPREF_EXISTS) else 0


def _is_fixed(nodes: Iterable[tuple[Any, Any]]) -> bool:
    """Whether the nodes match characters one by one, without a choice."""
    return all(
        kind in _CHARACTERS
        or (kind is kinds.SUBPATTERN and _is_fixed(value[3]))
        or (kind in _REPEATS and value[0] == value[1] and _is_fixed(value[2]))
        for kind, value in nodes
    )


class _NotInRe2(Exception):
    """RE2 does not support the construct, or matches it differently."""


class _Re2:
    """Writes a tree as RE2 takes it."""

    def __init__(self, flags: int) -> None:
        self._flags = flags
        self.has_end = False

    def text(self, nodes: Iterable[tuple[Any, Any]]) -> str:
        return "".join(self._one(kind, value) for kind, value in nodes)

    def _one(self, kind: Any, value: Any) -> str:
        if kind is kinds.LITERAL:
            return _letter(value)
        if kind is kinds.NOT_LITERAL:
            return f"[^{_letter(value)}]"
        if kind is kinds.ANY:
            return "(?s:.)" if self._flags & re.DOTALL else r"[^\n]"
        if kind is kinds.IN:
            return f"[{''.join(self._member(*member) for member in value)}]"
        if kind is kinds.BRANCH:
            return f"(?:{'|'.join(self.text(branch) for branch in value[1])})"
        if kind is kinds.SUBPATTERN and value[0] is None and value[1] == re.DOTALL and not value[2]:
            return _Re2(self._flags | re.DOTALL).text(value[3])
        if kind is kinds.SUBPATTERN and not value[1] and not value[2]:
            return f"({'' if value[0] is not None else '?:'}{self.text(value[3])})"
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
            return self._repeat(*value) + ("?" if kind is kinds.MIN_REPEAT else "")
        if kind is kinds.AT and value in _PLACES and (self._flags & re.ASCII or "BOUNDARY" not in str(value)):
            self.has_end |= value is kinds.AT_END
            return _PLACES[value]
        raise _NotInRe2

    def _member(self, kind: Any, value: Any) -> str:
        if kind is kinds.NEGATE:
            return "^"
        if kind is kinds.LITERAL:
            return _letter(value)
        if kind is kinds.RANGE:
            return f"{_letter(value[0])}-{_letter(value[1])}"
        if kind is kinds.CATEGORY and value in _CATEGORIES and self._flags & re.ASCII:
            return _CATEGORIES[value]
        raise _NotInRe2

    def _repeat(self, least: int, most: Any, inner: Any) -> str:
        bound = most is not kinds.MAXREPEAT
        # What may be empty is repeated by other rules there.
        if inner.getwidth()[0] == 0 or least > LARGEST_COUNT or (bound and most > LARGEST_COUNT):
            raise _NotInRe2
        return f"(?:{self.text(inner)}){{{least},{most if bound else ''}}}"


def _letter(code: int) -> str:
    return chr(code) if code < 128 and chr(code).isalnum() else f"\\x{{{code:X}}}"
