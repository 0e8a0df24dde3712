"""Reads the text of a Java regular expression: quotations, blanks and comments, and escapes of one character."""

from __future__ import annotations

import unicodedata
from enum import IntFlag

from table_common.java_patterns.character_sets import LAST

_HEX = frozenset(map(ord, "0123456789abcdefABCDEF"))
_LINE_ENDS = frozenset((0x0A, 0x0D, 0x85, 0x2028, 0x2029))


class InvalidJavaPattern(ValueError):
    """The text is not a regular expression of Java."""


class UnsupportedJavaPattern(ValueError):
    """The regular expression has a construct that only Java supports; the message names it.

    Example:
        >>> str(UnsupportedJavaPattern("the flag (?d)"))
        'the flag (?d)'
    """


class Flag(IntFlag):
    """The flags of ``(?…)``."""

    IGNORE_CASE = 1
    MULTI_LINE = 2
    DOT_ALL = 4
    UNIX_LINES = 8
    UNICODE_CASE = 16
    CANONICAL = 32
    COMMENTS = 64
    UNICODE_CLASSES = 128


class PatternReader:
    """A cursor over the text of a regular expression."""

    def __init__(self, pattern: str) -> None:
        self.codes = [ord(letter) for letter in _unquoted(pattern)]
        self.length = len(self.codes)
        self.codes += [0, 0, 0, 0]
        self.place = 0
        self.flags = Flag(0)

    def at(self, place: int) -> int:
        """Returns the character at a position; 0 after the end.

        Raises:
            InvalidJavaPattern: the pattern ended before.
        """
        if place > self.length + 2:
            raise InvalidJavaPattern("it ends too early")
        return self.codes[place]

    def peek(self) -> int:
        """Returns the next character that means something."""
        return self._past_blanks(self.at(self.place))

    def next(self) -> int:
        """Continues by one, and returns the character there."""
        self.place += 1
        return self._past_blanks(self.at(self.place))

    def next_escaped(self) -> int:
        """Continues by one, and returns the character there, even a blank."""
        self.place += 1
        return self.at(self.place)

    def read(self) -> int:
        """Returns the next character that means something, and goes past it."""
        code = self._past_blanks(self.at(self.place))
        self.place += 1
        return code

    def skip(self) -> int:
        """Skips the next character, and reads and returns the one after it."""
        self.place += 2
        return self.at(self.place - 1)

    def _past_blanks(self, code: int) -> int:
        if not self.flags & Flag.COMMENTS:
            return code
        while True:
            if 9 <= code <= 13 or code == 32:
                self.place += 1
                code = self.at(self.place)
            elif code == 35:
                while code != 0 and not self._ends_line(code):
                    self.place += 1
                    code = self.at(self.place)
                if code == 0 and self.place > self.length:
                    self.place = self.length
            else:
                return code

    def _ends_line(self, code: int) -> bool:
        return code == 10 if self.flags & Flag.UNIX_LINES else code in _LINE_ENDS

    def octal(self) -> int:
        """Reads what follows ``\\0``: one to three digits.

        Raises:
            InvalidJavaPattern: no octal digit follows.
        """
        first = self.read()
        if not 48 <= first <= 55:
            raise InvalidJavaPattern(r"octal digits are missing after \0")
        value = first - 48
        for most in (55, 51):
            if most == 51 and first > 51:
                break
            code = self.read()
            if not 48 <= code <= 55:
                self.place -= 1
                break
            value = value * 8 + code - 48
        return value

    def hexadecimal(self) -> int:
        r"""Reads what follows ``\x``.

        Raises:
            InvalidJavaPattern: neither two hexadecimal digits nor a code point in braces follow.
        """
        code = self.read()
        if code in _HEX:
            second = self.read()
            if second in _HEX:
                return int(chr(code) + chr(second), 16)
        elif code == 123 and self.peek() in _HEX:
            value = 0
            while (code := self.read()) in _HEX:
                value = value * 16 + int(chr(code), 16)
                if value > LAST:
                    break
            if code == 125:
                return value
        raise InvalidJavaPattern(r"\x takes two hexadecimal digits, or a code point in braces")

    def unicode(self) -> int:
        r"""Reads what follows ``\u``; two halves of a character give the character."""
        code = self._four_digits()
        if 0xD800 <= code < 0xDC00:
            place = self.place
            if self.read() == 92 and self.read() == 117:
                low = self._four_digits()
                if 0xDC00 <= low < 0xE000:
                    return 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00
            self.place = place
        return code

    def _four_digits(self) -> int:
        digits = [self.read() for _ in range(4)]
        if not _HEX.issuperset(digits):
            raise InvalidJavaPattern(r"\u takes four hexadecimal digits")
        return int("".join(map(chr, digits)), 16)

    def control(self) -> int:
        r"""Reads what follows ``\c``.

        Raises:
            InvalidJavaPattern: the pattern ends here.
        """
        if self.place >= self.length:
            raise InvalidJavaPattern(r"a character is missing after \c")
        return self.read() ^ 64

    def named_character(self) -> int:
        r"""Reads what follows ``\N``.

        Raises:
            InvalidJavaPattern: no name in braces follows.
            UnsupportedJavaPattern: Python does not know the name.
        """
        if self.read() != 123:
            raise InvalidJavaPattern(r"\N takes the name of a character in braces")
        start = self.place
        while self.read() != 125:
            if self.place >= self.length:
                raise InvalidJavaPattern(r"\N{ has no end")
        name = "".join(map(chr, self.codes[start : self.place - 1])).strip().upper()
        try:
            found = unicodedata.lookup(name)
        except KeyError:
            found = ""
        if len(found) != 1 or unicodedata.name(found, "") != name:
            raise UnsupportedJavaPattern(rf"the name of a character in '\N{{{name}}}'")
        return ord(found)

    def group_name(self) -> str:
        """Reads the name of a group and what ends it.

        Raises:
            InvalidJavaPattern: the name is not letters and digits, up to ``>``.
        """
        letters: list[str] = []
        code = self.read()
        while code < 128 and (chr(code).isalpha() or (letters and chr(code).isdigit())):
            letters.append(chr(code))
            code = self.read()
        if not letters or code != 62:
            raise InvalidJavaPattern("the name of a group is letters and digits, up to '>'")
        return "".join(letters)


def _unquoted(pattern: str) -> str:
    r"""Returns the pattern with escapes instead of ``\Q…\E``."""
    start = 0
    while True:
        start = pattern.find("\\", start)
        if start < 0 or start + 1 >= len(pattern):
            return pattern
        if pattern[start + 1] == "Q":
            break
        start += 2
    done, place, quoted, begins = [pattern[:start]], start + 2, True, True
    while place < len(pattern):
        letter = pattern[place]
        place += 1
        if not letter.isascii() or letter.isalpha():
            done.append(letter)
        elif letter.isdigit():
            # After an escape as of an octal number the digit would belong to that.
            done.append(f"\\x3{letter}" if begins else letter)
        elif letter != "\\":
            done.append(f"\\{letter}" if quoted else letter)
        elif quoted:
            if pattern[place : place + 1] == "E":
                place += 1
                quoted = False
            else:
                done.append("\\\\")
        elif pattern[place : place + 1] == "Q":
            place += 1
            quoted = begins = True
            continue
        else:
            done.append(pattern[place - 1 : place + 1])
            place += 1
        begins = False
    return "".join(done)
