"""Regular expressions with protection against catastrophic backtracking.

Python's matcher backtracks while it holds the interpreter lock, so it is used for short searches only. Other searches use RE2, which takes
linear time, if its results are equal. Patterns with syntax that RE2 lacks use the library ``regex``, which releases the lock and has a time
limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_common.patterns import pattern_cost

_R = TypeVar("_R")
MOST_STEPS = 10_000_000
"""Maximum estimated steps of Python's matcher: about a third of a second."""
LONGEST_TEXT = 1 << 20
SECONDS = 0.4
"""Time limit of one search, which also bounds the time until a cancelled query ends."""
SECONDS_PER_CHARACTER = 1e-6


class Match(Protocol):
    """A match in a text."""

    def __getitem__(self, group: int, /) -> str | None:
        """Returns the text of a group; group 0 is the whole match."""

    def start(self) -> int:
        """Returns the start position."""

    def end(self) -> int:
        """Returns the end position."""

    def span(self, group: int = 0, /) -> tuple[int, int]:
        """Returns start and end of a group; (-1, -1) if the group did not match."""


class SafePattern:
    """A compiled regular expression of Python's dialect; its methods do what those of ``re.Pattern`` do."""

    def __init__(self, pattern: str, flags: int, needs_regex: bool = False, original: str | None = None) -> None:
        """Raises ``re.error`` if the pattern is not valid.

        Args:
            pattern: the regular expression.
            flags: flags of ``re``; 0 if ``needs_regex``.
            needs_regex: whether only the library ``regex`` supports its syntax.
            original: the user's pattern, for messages.
        """
        self.pattern = pattern
        self._original = pattern if original is None else original
        self._flags = flags
        if needs_regex:
            self.longest_for_python = -1
            return
        self._python = re.compile(pattern, flags)
        self._cost = pattern_cost(pattern, flags)
        self.longest_for_python = _longest(self._cost.power, self._cost.choices)
        """Maximum length of a text for Python's matcher."""

    def re2_pattern(self, texts: Any) -> str | None:
        """Returns the pattern with which RE2 finds the same matches and groups in each text of an array; None if there may be none."""
        if self.longest_for_python < 0 or self._cost.re2 is None:
            return None
        if self._cost.has_end and pc.any(pc.ends_with(texts, "\n")).as_py():
            return None
        return self._cost.re2

    def search(self, text: str, start: int = 0) -> Match | None:
        """Returns the first match at or after ``start``."""
        if len(text) <= self.longest_for_python:  # the usual case, without a further call
            return self._python.search(text, start)
        match: Match | None = self._call(text, lambda pattern, limit: pattern.search(text, start, **limit))
        return match

    def fullmatch(self, text: str) -> Match | None:
        """Returns the match of the whole text."""
        if len(text) <= self.longest_for_python:  # the usual case, without a further call
            return self._python.fullmatch(text)
        match: Match | None = self._call(text, lambda pattern, limit: pattern.fullmatch(text, **limit))
        return match

    def finditer(self, text: str) -> Iterator[Match]:
        """Returns all matches, one after the other."""
        if len(text) <= self.longest_for_python:
            return self._python.finditer(text)
        return iter(self._call(text, lambda pattern, limit: list(pattern.finditer(text, **limit))))

    def sub(self, replacement: Callable[[Any], str], text: str) -> str:
        """Returns the text with every match replaced."""
        if len(text) <= self.longest_for_python:
            return self._python.sub(replacement, text)
        replaced: str = self._call(text, lambda pattern, limit: pattern.sub(replacement, text, **limit))
        return replaced

    def _call(self, text: str, call: Callable[[Any, dict[str, Any]], _R]) -> _R:
        """Calls the first matcher that cannot take too long for the text."""
        if len(text) <= self.longest_for_python:
            return call(self._python, {})
        if self.longest_for_python < 0 or (self._cost.has_end and text.endswith("\n")):
            linear = None
        else:
            linear = _linear(self._cost.re2)
        if linear is not None:
            return call(linear, {})
        try:
            return call(_limited(self.pattern, self._flags), {"timeout": SECONDS + SECONDS_PER_CHARACTER * len(text), "concurrent": True})
        except TimeoutError:
            # Differs from Flink: a pattern with catastrophic backtracking is an error; Flink's task hangs.
            raise TableRuntimeException(
                f"The regular expression '{self._original}' takes too long on a text of {len(text)} characters.",
                hint="Avoid nested repetitions, back references and lookaround; without the last two, matching takes linear time.",
            ) from None


@lru_cache(maxsize=1024)
def safe_pattern(pattern: str, flags: int = 0) -> SafePattern:
    """Compiles a regular expression of Python's dialect.

    Raises:
        re.error: the pattern is not valid.
    """
    return SafePattern(pattern, flags)


def _longest(power: int | None, choices: int) -> int:
    if power is None:
        return 0
    steps = MOST_STEPS >> choices
    return LONGEST_TEXT if power == 0 else min(LONGEST_TEXT, int(steps ** (1 / power)))


@lru_cache(maxsize=256)
def _linear(pattern: str | None) -> Any:
    """Compiles a pattern for RE2; None if RE2 does not support it."""
    if pattern is None:
        return None
    import re2  # only costly patterns need it

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None


@lru_cache(maxsize=256)
def _limited(pattern: str, flags: int) -> Any:
    import regex

    return regex.compile(pattern, regex.VERSION0 | sum(getattr(regex, flag.name) for flag in re.RegexFlag(flags) if flag.name))
