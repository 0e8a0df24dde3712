"""Regular expression matching with Java's semantics: matches, positions, groups, and the start of the next search."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from table_common.arrow import compute as pc
from table_common.exceptions import TableRuntimeException
from table_runtime.kernels.support.regular_expressions import Match, SafePattern
from table_runtime.kernels.support.unicode_properties import property_ranges

if TYPE_CHECKING:
    from table_common.java_patterns import JavaPattern, PythonPattern

_OTHER_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")
_SEARCH_START = r"\G"
_LITERAL = re.compile(r"[^\\^$.|?*+()\[\]{}]+")
"""A pattern without metacharacters."""
_BLOCK = 1 << 20
"""Characters of a long text that are split at once."""


class JavaMatcher:
    """A compiled regular expression of Java."""

    def __init__(self, pattern: JavaPattern) -> None:
        """Raises ``UnsupportedJavaPattern`` if Python's matchers cannot reproduce Java's matches."""
        self._pattern = pattern
        self.groups = pattern.groups or 0
        self._is_literal = _LITERAL.fullmatch(pattern.pattern) is not None
        self._written, self._plain = self._compile(False, False)
        self.uncertain_groups = self._written.uncertain_groups
        """Groups whose text may differ from Java's."""
        self._depends = self._written.has_lines or self._written.has_words
        self._others: dict[tuple[bool, bool], SafePattern] = {}
        self.longest_for_python = self._plain.longest_for_python
        """Maximum length of a text for Python's matcher."""

    def check_group(self, number: int) -> bool:
        """Returns whether there is a group with this number.

        Raises:
            TableRuntimeException: the group exists, but this engine cannot compute its text as Java does.
        """
        if number in self.uncertain_groups:
            raise _unsupported(self._pattern.pattern, f"the group {number}, whose text only Java can determine")
        return 0 <= number <= self.groups

    def search(self, text: str) -> Match | None:
        """Returns the first match."""
        return (self._for(text) if self._depends else self._plain).search(text)

    def group(self, text: str, number: int) -> str | None:
        """Returns the text of a group of the first match; None without a match or if the group takes no part in it."""
        match = self.search(text)
        return match[number] if match is not None else None

    def re2_pattern(self, texts: Any) -> str | None:
        """Returns the pattern with which RE2 finds the same matches and groups in each text of an array; None if there may be none."""
        if self._depends and (pc.any(pc.match_substring(texts, "\r")).as_py() or not pc.all(pc.string_is_ascii(texts)).as_py()):
            return None
        return self._plain.re2_pattern(texts)

    def finditer(self, text: str) -> Iterator[Match]:
        """Returns all matches, one after the other."""
        matcher = self._for(text)
        return (
            self._iterate_as_java(matcher, text) if self._written.can_be_empty or self._written.has_search_start else matcher.finditer(text)
        )

    def sub(self, replacement: str, text: str) -> str:
        """Returns the text with every match replaced by the literal replacement."""
        if not (self._written.can_be_empty or self._written.has_search_start):
            return self._for(text).sub(lambda match: replacement, text)
        parts: list[str] = []
        position = 0
        for match in self.finditer(text):
            parts += (text[position : match.start()], replacement)
            position = match.end()
        return "".join([*parts, text[position:]])

    def split(self, text: str, most: int = 0) -> list[str]:
        """Returns the parts between the matches: at most ``most`` parts, or with 0 all parts without empty ones at the end."""
        if self._is_literal and most:
            return text.split(self._pattern.pattern, most - 1)
        parts: list[str] = []
        position = 0
        for match in self.finditer(text):
            if most and len(parts) == most - 1:
                break
            if match.end() > 0:
                parts.append(text[position : match.start()])
                position = match.end()
        parts.append(text[position:])
        while not most and position and parts and not parts[-1]:
            parts.pop()
        return parts

    def parts(self, text: str) -> Iterator[str]:
        """Yields the parts between the matches, also empty ones at the end; a long text is split lazily, block by block."""
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
        compiled = self._others.get((lines, words))
        if compiled is None:
            from table_common.java_patterns import UnsupportedJavaPattern

            try:
                compiled = self._others[lines, words] = self._compile(lines, words)[1]
            except UnsupportedJavaPattern as error:
                raise _unsupported(self._pattern.pattern, str(error)) from None
        return compiled

    def _iterate_as_java(self, matcher: SafePattern, text: str) -> Iterator[Match]:
        # After an empty match Python searches at the same position; Java continues after the next character.
        # Differs from Flink: an empty regular expression does not match inside a character beyond U+FFFF, which Java splits into two.
        position = 0
        after_empty_match = matcher
        if self._written.has_search_start:  # after an empty match, the end of the last match is before the search start
            after_empty_match = SafePattern(matcher.pattern.replace(_SEARCH_START, "(?!)"), 0, True, self._pattern.pattern)
        current = matcher
        while position <= len(text):
            match = current.search(text, position)
            if match is None:
                return
            yield match
            is_empty = match.end() == match.start()
            position = match.end() + is_empty
            current = after_empty_match if is_empty else matcher

    def _compile(self, lines: bool, words: bool) -> tuple[PythonPattern, SafePattern]:
        from table_common.java_patterns import UnsupportedJavaPattern, write_python_pattern

        written = write_python_pattern(self._pattern, property_ranges, lines, words)
        try:
            # Java's \\d, \\w and \\s are ASCII by default.
            return written, SafePattern(written.text, 0 if written.needs_regex else re.ASCII, written.needs_regex, self._pattern.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise UnsupportedJavaPattern(f"a construct that Python rejects: {error}") from None


@lru_cache(maxsize=1024)
def java_pattern(pattern: str) -> JavaMatcher | None:
    """Compiles a regular expression of Java's dialect; None if it is not valid.

    Raises:
        TableRuntimeException: it is valid, but this engine cannot reproduce Java's matches.
    """
    from table_common.java_patterns import UnsupportedJavaPattern, read_java_pattern  # nothing but these functions needs them

    read = read_java_pattern(pattern)
    if read is None:
        return None
    try:
        return JavaMatcher(read)
    except UnsupportedJavaPattern as error:
        raise _unsupported(pattern, str(error)) from None


def _unsupported(pattern: str, construct: str) -> TableRuntimeException:
    # Differs from Flink: some rare constructs of Java's regular expressions are errors on engines that match in Python, such as `\b{g}`, `(?c)`, a
    # reference to a group before its end, and a group inside `(?!…)`; guide/regular-expressions.md lists them.
    return TableRuntimeException(
        f"The regular expression '{pattern}' uses {construct}. This engine does not support that.",
        hint="Write it in another way; docs/guide/regular-expressions.md lists the unsupported constructs.",
    )
