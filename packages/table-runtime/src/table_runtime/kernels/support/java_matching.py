"""Regular expression matching with Java's semantics: matches, positions, groups, and where the next search begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from table_common.exceptions import TableRuntimeException
from table_runtime.kernels.support.regular_expressions import Match, SafePattern
from table_runtime.kernels.support.unicode_properties import property_ranges

if TYPE_CHECKING:
    from table_common.functions import JavaPattern, PythonPattern

__all__ = ["JavaMatcher", "java_pattern"]

_OTHER_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")
_SEARCH_START = r"\G"
_LITERAL = re.compile(r"[^\\^$.|?*+()\[\]{}]+")
"""A pattern without any sign of regular expressions."""
_BLOCK = 1 << 20
"""Characters of a long text that are cut at once."""


class JavaMatcher:
    """A compiled regular expression of Java."""

    def __init__(self, pattern: JavaPattern) -> None:
        """Raises ``UnsupportedJavaPattern`` if Python's matchers cannot find what Java's does."""
        self._pattern = pattern
        self.groups = pattern.groups or 0
        self._is_literal = _LITERAL.fullmatch(pattern.pattern) is not None
        self._written, self._plain = self._compile(False, False)
        self.uncertain_groups = self._written.uncertain_groups
        """The groups that may have another text in Java."""
        self._depends = self._written.has_lines or self._written.has_words
        self._others: dict[tuple[bool, bool], SafePattern] = {}
        self.longest_for_python = self._plain.longest_for_python
        """Up to how many characters a text is given to Python's matcher."""

    def check_group(self, number: int) -> bool:
        """Returns whether there is a group with this number.

        Raises:
            TableRuntimeException: there is, but this engine cannot tell its text as Java does.
        """
        if number in self.uncertain_groups:
            raise _unsupported(self._pattern.pattern, f"the group {number}, whose text only Java knows")
        return 0 <= number <= self.groups

    def search(self, text: str) -> Match | None:
        """Returns the first match."""
        return (self._for(text) if self._depends else self._plain).search(text)

    def finditer(self, text: str) -> Iterator[Match]:
        """Returns all matches, one after the other."""
        matcher = self._for(text)
        return self._one_by_one(matcher, text) if self._written.can_be_empty or self._written.has_search_start else matcher.finditer(text)

    def sub(self, replacement: str, text: str) -> str:
        """Returns the text with every match replaced by the text as it is."""
        if not (self._written.can_be_empty or self._written.has_search_start):
            return self._for(text).sub(lambda match: replacement, text)
        parts: list[str] = []
        place = 0
        for match in self.finditer(text):
            parts += (text[place : match.start()], replacement)
            place = match.end()
        return "".join([*parts, text[place:]])

    def split(self, text: str, most: int = 0) -> list[str]:
        """Returns what is between the matches: at most so many parts or, if there is no limit, none that is empty at the end."""
        if self._is_literal and most:
            return text.split(self._pattern.pattern, most - 1)
        parts: list[str] = []
        place = 0
        for match in self.finditer(text):
            if most and len(parts) == most - 1:
                break
            if match.end() > 0:
                parts.append(text[place : match.start()])
                place = match.end()
        parts.append(text[place:])
        while not most and place and parts and not parts[-1]:
            parts.pop()
        return parts

    def parts(self, text: str) -> Iterator[str]:
        """Yields what is between the matches, with empty parts at the end too; a long text is not cut as a whole."""
        separator = self._pattern.pattern
        if not self._is_literal:
            yield from self.split(text)
            return
        start = 0
        while start + _BLOCK < len(text) and len(separator) == 1:
            end = text.rfind(separator, start, start + _BLOCK)
            if end < 0 and (end := text.find(separator, start + _BLOCK)) < 0:
                break
            yield from text[start:end].split(separator)
            start = end + 1
        yield from text[start:].split(separator)

    def _for(self, text: str) -> SafePattern:
        if not self._depends:
            return self._plain
        is_ascii = text.isascii()
        words = self._written.has_words and not is_ascii
        lines = self._written.has_lines and ("\r" in text if is_ascii else _OTHER_LINE_ENDS.search(text) is not None)
        if not words and not lines:
            return self._plain
        found = self._others.get((lines, words))
        if found is None:
            from table_common.functions import UnsupportedJavaPattern

            try:
                found = self._others[lines, words] = self._compile(lines, words)[1]
            except UnsupportedJavaPattern as error:
                raise _unsupported(self._pattern.pattern, str(error)) from None
        return found

    def _one_by_one(self, matcher: SafePattern, text: str) -> Iterator[Match]:
        # Python searches for more where it found nothing but an empty part; Java goes on behind the next character.
        # Differs from Flink: an empty regular expression is not found inside a character beyond U+FFFF, which Java cuts in two.
        place = 0
        behind_empty = matcher
        if self._written.has_search_start:  # the place where the last match ended is passed then
            behind_empty = SafePattern(matcher.pattern.replace(_SEARCH_START, "(?!)"), 0, True, self._pattern.pattern)
        current = matcher
        while place <= len(text):
            match = current.search(text, place)
            if match is None:
                return
            yield match
            is_empty = match.end() == match.start()
            place = match.end() + is_empty
            current = behind_empty if is_empty else matcher

    def _compile(self, lines: bool, words: bool) -> tuple[PythonPattern, SafePattern]:
        from table_common.functions import UnsupportedJavaPattern, write_python_pattern

        written = write_python_pattern(self._pattern, property_ranges, lines, words)
        try:
            # Java's \\d, \\w and \\s are ASCII unless told otherwise.
            return written, SafePattern(written.text, 0 if written.needs_regex else re.ASCII, written.needs_regex, self._pattern.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise UnsupportedJavaPattern(f"what Python refuses: {error}") from None


@lru_cache(maxsize=1024)
def java_pattern(pattern: str) -> JavaMatcher | None:
    """Compiles a regular expression written for Java; None if it is none.

    Raises:
        TableRuntimeException: it is one, but this engine cannot find what Java does.
    """
    from table_common.functions import UnsupportedJavaPattern, read_java_pattern  # nothing but these functions needs them

    read = read_java_pattern(pattern)
    if read is None:
        return None
    try:
        return JavaMatcher(read)
    except UnsupportedJavaPattern as error:
        raise _unsupported(pattern, str(error)) from None


def _unsupported(pattern: str, construct: str) -> TableRuntimeException:
    # Differs from Flink: some rare constructs of Java's regular expressions are errors where Python has to find them, such as `\b{g}`, `(?c)`, a
    # reference to a group in front of its end, and a group inside `(?!…)`; guide/regular-expressions.md lists them.
    return TableRuntimeException(
        f"The regular expression '{pattern}' uses {construct}. This engine does not support that.",
        hint="Write it in another way; docs/guide/regular-expressions.md lists what is missing.",
    )
