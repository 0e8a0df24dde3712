"""Parses Java's character classes: nested brackets, intersections, properties and escapes."""

from __future__ import annotations

from table_common.java_patterns.character_sets import (
    CharacterSet,
    Complement,
    Intersection,
    Ranges,
    Union,
    WrittenSet,
    case_variants,
)
from table_common.java_patterns.properties import (
    DIGITS,
    SPACES,
    UNICODE_DIGITS,
    UNICODE_SPACES,
    UNICODE_WORD,
    WORD,
    find_property,
)
from table_common.java_patterns.reader import Flag, InvalidJavaPattern, PatternReader, UnsupportedJavaPattern

_HORIZONTAL = Ranges(
    (
        (9, 9),
        (32, 32),
        (0xA0, 0xA0),
        (0x1680, 0x1680),
        (0x180E, 0x180E),
        (0x2000, 0x200A),
        (0x202F, 0x202F),
        (0x205F, 0x205F),
        (0x3000, 0x3000),
    )
)
_VERTICAL = Ranges(((10, 13), (0x85, 0x85), (0x2028, 0x2029)))
_CLASSES: dict[str, tuple[CharacterSet, CharacterSet]] = {
    "d": (DIGITS, UNICODE_DIGITS),
    "s": (SPACES, UNICODE_SPACES),
    "w": (WORD, UNICODE_WORD),
    "h": (_HORIZONTAL, _HORIZONTAL),
    "v": (_VERTICAL, _VERTICAL),
}
_CONTROLS = {"a": 7, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9}


class ClassReader(PatternReader):
    """Parses constructs that match one character."""

    def single(self, code: int) -> CharacterSet:
        """Returns the set that a character matches, with or without regard to case."""
        if self.flags & Flag.IGNORE_CASE:
            return Ranges(tuple(case_variants(code, code, bool(self.flags & Flag.UNICODE_CASE))))
        return Ranges(((code, code),))

    def escape(self, is_range: bool) -> int | CharacterSet | str:
        """Reads what follows a backslash: the code of a character, a set, or a letter that means something else."""
        code = self.skip()
        if not (code < 128 and chr(code).isalnum()):
            return code
        letter = chr(code)
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter == "v" and is_range:
            return 11
        if letter.lower() in _CLASSES:
            found = _CLASSES[letter.lower()][bool(self.flags & Flag.UNICODE_CLASSES)]
            return Complement(found) if letter.isupper() else found
        match letter:
            case "0":
                return self.octal()
            case "x":
                return self.hexadecimal()
            case "u":
                return self.unicode()
            case "c":
                return self.control()
            case "N":
                return self.named_character()
        return letter

    def property(self) -> CharacterSet:
        r"""Reads from the ``p`` of ``\p…`` on.

        Raises:
            InvalidJavaPattern: the text ends too early, or there is no such property.
            UnsupportedJavaPattern: the name contains blanks that Java ignores.
        """
        negated = self.at(self.place) == ord("P")
        if self.next() != ord("{"):
            self.place -= 1
            self.next()
            name = chr(self.at(self.place))
            self.read()
        else:
            self.next()
            end = self.place
            while end < self.length and self.codes[end] != ord("}"):
                end += 1
            if end >= self.length:
                raise InvalidJavaPattern(r"'\p{' has no end")
            name = "".join(map(chr, self.codes[self.place : end]))
            if self.flags & Flag.COMMENTS and any(sign in name for sign in " \t\n#"):
                raise UnsupportedJavaPattern(r"blanks in '\p{…}' after '(?x)'")
            self.place = end + 1
        found = find_property(name, bool(self.flags & Flag.IGNORE_CASE), bool(self.flags & Flag.UNICODE_CLASSES))
        if found is None:
            raise InvalidJavaPattern(f"there is no property '{name}'")
        return Complement(found) if negated else found

    def bracketed(self, closes: bool) -> CharacterSet:
        """Reads the content of brackets; ``closes``: including the closing bracket.

        Raises:
            InvalidJavaPattern: the closing bracket or an operand of ``&&`` is missing, or a range is reversed.
        """
        found: CharacterSet | None = None
        last: CharacterSet | None = None
        written, is_written = WrittenSet([]), False
        code = self.next()
        negated = code == ord("^") and self.at(self.place - 1) == ord("[")
        if negated:
            code = self.next()
        while True:
            if code == ord("["):
                last = self.bracketed(closes=True)
                found = last if found is None else Union(found, last)
                code = self.peek()
                continue
            if code == ord("&"):
                code = self.next()
                if code == ord("&"):
                    right = self._right_side()
                    if is_written:
                        last = written if found is None else last
                        found = written if found is None else Union(found, written)
                        is_written = False
                    last = right or last
                    if last is None:
                        raise InvalidJavaPattern("a set is missing beside '&&'")
                    found = last if found is None else Intersection(found, last)
                    code = self.peek()
                    continue
                self.place -= 1
            elif code == 0 and self.place >= self.length:
                raise InvalidJavaPattern("']' is missing")
            elif code == ord("]") and (found is not None or is_written):
                if closes:
                    self.next()
                if is_written:
                    found = written if found is None else Union(found, written)
                assert found is not None
                return Complement(found) if negated else found
            member = self._member(written)
            if member is None:
                is_written = True
            else:
                last = member
                found = member if found is None else Union(found, member)
            code = self.peek()

    def _right_side(self) -> CharacterSet | None:
        """Reads the operand after ``&&``."""
        right: CharacterSet | None = None
        code = self.next()
        while code not in (ord("]"), ord("&")):
            if code == ord("["):
                part = self.bracketed(closes=True)
            else:
                self.place -= 1
                part = self.bracketed(closes=False)
            right = part if right is None else Union(right, part)
            code = self.peek()
        return right

    def _member(self, written: WrittenSet) -> CharacterSet | None:
        """Reads a character, a range or a set in brackets; returns None if it went to ``written``."""
        code = self.peek()
        if code == ord("\\"):
            if self.next_escaped() in (ord("p"), ord("P")):
                return self.property()
            is_range = self.at(self.place + 1) == ord("-")
            self.place -= 1
            found = self.escape(is_range=is_range)
            if isinstance(found, CharacterSet):
                return found
            if isinstance(found, str):
                raise InvalidJavaPattern(f"'\\{found}' is not allowed in brackets")
            code = found
        else:
            self.next()
        ignores_case, unicode_case = bool(self.flags & Flag.IGNORE_CASE), bool(self.flags & Flag.UNICODE_CASE)
        if self.peek() == ord("-"):
            end = self.at(self.place + 1)
            if end not in (ord("["), ord("]")):
                last = self._end_of_range()
                if last < code:
                    raise InvalidJavaPattern("a range ends before it begins")
                return Ranges(tuple(case_variants(code, last, unicode_case))) if ignores_case else Ranges(((code, last),))
        variants = case_variants(code, code, unicode_case) if ignores_case else [(code, code)]
        if code < 256:
            written.pairs.extend(variants)
            return None
        return Ranges(tuple(variants))

    def _end_of_range(self) -> int:
        self.next()
        code = self.peek()
        if code != ord("\\"):
            self.next()
            return code
        found = self.escape(is_range=True)
        return found if isinstance(found, int) else -1  # which no range ends with
