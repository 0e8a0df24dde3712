"""Reads a regular expression as Java does (``java.util.regex``, Java 17, the dialect of Flink), and tells what is none."""

from __future__ import annotations

from functools import lru_cache

from table_common.frozen_dataclass import dataclass
from table_common.java_patterns.character_classes import ClassReader
from table_common.java_patterns.character_sets import ANY
from table_common.java_patterns.look_behind import widths_behind
from table_common.java_patterns.nodes import (
    At,
    Atomic,
    Branch,
    Characters,
    Dot,
    Grapheme,
    Group,
    LineBreak,
    Look,
    Node,
    Place,
    Reference,
    Repeat,
    Sequence,
)
from table_common.java_patterns.reader import Flag, InvalidJavaPattern, UnsupportedJavaPattern

MOST_REPETITIONS = 0x7FFFFFFF
_FLAGS = {
    "i": Flag.IGNORE_CASE,
    "m": Flag.MULTI_LINE,
    "s": Flag.DOT_ALL,
    "d": Flag.UNIX_LINES,
    "u": Flag.UNICODE_CASE,
    "c": Flag.CANONICAL,
    "x": Flag.COMMENTS,
    "U": Flag.UNICODE_CLASSES | Flag.UNICODE_CASE,
}


@dataclass(frozen=True, slots=True)
class JavaPattern:
    """A regular expression of Java.

    ``groups`` is None if not even its groups could be counted. ``unsupported``: what only Java finds, None if there is nothing of that kind.

    Example:
        >>> read_java_pattern("(a)(b)?").groups
        2
    """

    pattern: str
    tree: Node
    groups: int | None
    unsupported: str | None


@lru_cache(maxsize=1024)
def read_java_pattern(pattern: str) -> JavaPattern | None:
    """Returns the tree of a regular expression, None if the text is none for Java.

    Example:
        >>> read_java_pattern("a+").unsupported is None, read_java_pattern("(") is None
        (True, True)
    """
    parser = _Parser(pattern)
    try:
        tree = parser.read_all()
    except InvalidJavaPattern:
        return None
    except UnsupportedJavaPattern as error:
        return JavaPattern(pattern, Sequence(()), None, str(error))
    except RecursionError:
        return JavaPattern(pattern, Sequence(()), None, "too many parentheses in each other")
    return JavaPattern(pattern, tree, parser.groups, parser.unsupported)


class _Parser(ClassReader):
    """Reads a pattern once, from its beginning to its end."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.groups = 0
        self.unsupported: str | None = None
        self._names: dict[str, int] = {}

    def read_all(self) -> Node:
        """Returns the tree."""
        tree = self._branches()
        if self.place != self.length:
            raise InvalidJavaPattern("there is a ')' without its '('")
        return tree

    def _branches(self) -> Node:
        options = [self._sequence()]
        while self.peek() == ord("|"):
            self.next()
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Branch(tuple(options))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while True:
            code = self.peek()
            if code == 0 and self.place >= self.length:
                break
            letter = chr(code)
            if letter in "|)":
                break
            if letter == "(":
                part = self._group()
                if part is not None:
                    parts.append(self._repeated(part))
                continue
            if letter in "?*+":
                raise InvalidJavaPattern(f"there is nothing for '{letter}' to repeat")
            parts.append(self._repeated(self._atom(letter)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _atom(self, letter: str) -> Node:
        match letter:
            case "[":
                return Characters(self.bracketed(closes=True))
            case "\\":
                return self._escaped()
            case "^":
                self.next()
                if not self.flags & Flag.MULTI_LINE:
                    return At(Place.START)
                return At(Place.UNIX_LINE_START if self.flags & Flag.UNIX_LINES else Place.LINE_START)
            case "$":
                self.next()
                return At(self._line_end(bool(self.flags & Flag.MULTI_LINE)))
            case ".":
                self.next()
                return Characters(ANY) if self.flags & Flag.DOT_ALL else Dot(bool(self.flags & Flag.UNIX_LINES))
            case "{":
                return Sequence(())  # Java repeats nothing then
        self.next()
        return Characters(self.single(ord(letter)))

    def _line_end(self, of_each_line: bool) -> Place:
        if self.flags & Flag.UNIX_LINES:
            return Place.UNIX_LINE_END if of_each_line else Place.LAST_UNIX_LINE_END
        return Place.LINE_END if of_each_line else Place.LAST_LINE_END

    def _escaped(self) -> Node:
        if self.next_escaped() in (ord("p"), ord("P")):
            return Characters(self.property())
        self.place -= 1
        found = self.escape(is_range=False)
        if isinstance(found, str):
            return self._escaped_part(found)
        return Characters(self.single(found) if isinstance(found, int) else found)

    def _escaped_part(self, letter: str) -> Node:
        unicode_words = bool(self.flags & Flag.UNICODE_CLASSES)
        match letter:
            case "A":
                return At(Place.START)
            case "z":
                return At(Place.END)
            case "Z":
                return At(self._line_end(False))
            case "G":
                return At(Place.SEARCH_START)
            case "R":
                return LineBreak()
            case "X":
                return Grapheme()
            case "B":
                return At(Place.NO_UNICODE_WORD_EDGE if unicode_words else Place.NO_WORD_EDGE)
            case "b":
                if self.peek() == ord("{") and self.at(self.place + 1) == ord("g"):
                    self.place += 2
                    if self.read() != ord("}"):
                        raise InvalidJavaPattern(r"'}' is missing after '\b{g'")
                    self.unsupported = self.unsupported or r"'\b{g}'"
                    return Sequence(())
                return At(Place.UNICODE_WORD_EDGE if unicode_words else Place.WORD_EDGE)
            case "k":
                if self.read() != ord("<"):
                    raise InvalidJavaPattern(r"'<' is missing after '\k'")
                name = self.group_name()
                if name not in self._names:
                    raise InvalidJavaPattern(f"there is no group '{name}' before")
                return self._reference(self._names[name])
        if not letter.isdigit():
            raise InvalidJavaPattern(f"'\\{letter}' means nothing")
        number = int(letter)
        while 48 <= self.peek() <= 57 and number * 10 + self.peek() - 48 <= self.groups:
            number = number * 10 + self.read() - 48
        return self._reference(number)

    def _reference(self, number: int) -> Reference:
        return Reference(number, bool(self.flags & Flag.IGNORE_CASE), bool(self.flags & Flag.UNICODE_CASE))

    def _group(self) -> Node | None:
        """Reads a part in parentheses; returns None if it only sets flags."""
        flags = self.flags
        if self.next() != ord("?"):
            part: Node = self._captured()
        else:
            letter = chr(self.skip())
            match letter:
                case ":":
                    part = Group(None, self._branches())
                case "=" | "!":
                    part = Look(behind=False, negative=letter == "!", body=self._branches())
                case ">":
                    part = Atomic(self._branches())
                case "<":
                    part = self._named_or_behind()
                case _:
                    self.place -= 1
                    self._set_flags()
                    end = self.read()
                    if end == ord(")"):
                        return None
                    if end != ord(":"):
                        raise InvalidJavaPattern("'(?' takes flags, one of ':=!>' or '<'")
                    part = Group(None, self._branches())
        if self.read() != ord(")"):
            raise InvalidJavaPattern("')' is missing")
        self.flags = flags
        return part

    def _captured(self) -> Group:
        self.groups += 1
        number = self.groups
        return Group(number, self._branches())

    def _named_or_behind(self) -> Node:
        letter = self.read()
        if letter not in (ord("="), ord("!")):
            self.place -= 1
            name = self.group_name()
            if name in self._names:
                raise InvalidJavaPattern(f"there are two groups '{name}'")
            self._names[name] = self.groups + 1
            return self._captured()
        body = self._branches()
        widths = widths_behind(body)
        if widths is None:
            raise InvalidJavaPattern("the lookbehind has no maximum length")
        return Look(True, letter == ord("!"), body, *widths)

    def _set_flags(self) -> None:
        adds = True
        letter = chr(self.peek())
        while letter in _FLAGS or (letter == "-" and adds):
            if letter == "-":
                adds = False
            else:
                self.flags = self.flags | _FLAGS[letter] if adds else self.flags & ~_FLAGS[letter]
                if letter == "c" and adds:
                    self.unsupported = self.unsupported or "'(?c)'"
            letter = chr(self.next())

    def _repeated(self, part: Node) -> Node:
        """Reads how often a part is repeated."""
        code = self.peek()
        least, most = 0, None
        match chr(code):
            case "?":
                most = 1
            case "*":
                pass
            case "+":
                least = 1
            case "{":
                least, most = self._counts()
            case _:
                return part
        mode = chr(self.next())
        if mode in "?+":
            self.next()
        else:
            mode = ""
        return Repeat(part, least, most, mode)

    def _counts(self) -> tuple[int, int | None]:
        """Reads up to the closing brace, which it does not pass."""
        code = self.skip()
        if not 48 <= code <= 57:
            raise InvalidJavaPattern("'{' takes numbers")
        least, code = self._number(code)
        most: int | None = least
        if code == ord(","):
            code = self.read()
            if code == ord("}"):
                most = None
            else:
                most, code = self._number(code)
        if code != ord("}") or (most is not None and most < least):
            raise InvalidJavaPattern("'{' takes '}' after one or two numbers, the larger at last")
        self.place -= 1
        return least, most

    def _number(self, code: int) -> tuple[int, int]:
        number = 0
        while 48 <= code <= 57:
            number = number * 10 + code - 48
            if number > MOST_REPETITIONS:
                raise InvalidJavaPattern("a number in '{}' is too large")
            code = self.read()
        return number, code
