"""Translates the tree of a Java regular expression to Python: for ``re`` if possible, else for the library ``regex``."""

from __future__ import annotations

from table_common.frozen_dataclass import dataclass
from table_common.java_patterns.character_sets import ANY, Pairs, PropertyRanges, class_text, ranges_of
from table_common.java_patterns.group_values import uncertain_groups
from table_common.java_patterns.look_behind import is_deterministic
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
from table_common.java_patterns.pattern import JavaPattern
from table_common.java_patterns.reader import UnsupportedJavaPattern
from table_common.java_patterns.widths import widths

_LINE_ENDS = r"\n\r\u0085\u2028\u2029"
_NEVER = "(?!)"
_WORD = r"[\p{L}\p{Nd}_]"
_MARKED = r"[\p{L}\p{Nd}]\p{Mn}"
_UNICODE_WORD = r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]"
_LINE_PLACES = {
    Place.LAST_LINE_END: ("$", rf"(?!(?<=\r)\n)(?=(?:\r\n|[{_LINE_ENDS}])?\Z)"),
    Place.LINE_END: ("(?m:$)", rf"(?!(?<=\r)\n)(?=[{_LINE_ENDS}]|\Z)"),
    Place.LINE_START: (r"(?m:^)(?!\Z)", rf"(?:(?<![\s\S])|(?<=[{_LINE_ENDS}])(?!(?<=\r)\n))(?!\Z)"),
}
_OTHER_PLACES = {
    Place.START: r"\A",
    Place.END: r"\Z",
    Place.LAST_UNIX_LINE_END: "$",
    Place.UNIX_LINE_END: "(?m:$)",
    Place.UNIX_LINE_START: r"(?m:^)(?!\Z)",
}
_NEGATED = (Place.NO_WORD_EDGE, Place.NO_UNICODE_WORD_EDGE)


@dataclass(frozen=True, slots=True)
class PythonPattern:
    """A Python regular expression with the same matches as one of Java.

    ``text`` is for ``re`` with its flag ASCII or, if ``needs_regex``, for the library ``regex`` without a flag. It finds the same in texts without
    certain characters: if ``has_lines``, without line ends but the line feed; if ``has_words``, without what is not ASCII.

    Example:
        >>> from table_common.java_patterns import read_java_pattern
        >>> write_python_pattern(read_java_pattern("a*"), lambda name: ()).can_be_empty
        True
    """

    text: str
    needs_regex: bool
    has_lines: bool
    has_words: bool
    has_search_start: bool
    can_be_empty: bool
    uncertain_groups: frozenset[int]
    """The groups that may have another text in Java."""


def write_python_pattern(pattern: JavaPattern, properties: PropertyRanges, lines: bool = False, words: bool = False) -> PythonPattern:
    """Writes a regular expression for Python.

    Args:
        pattern: the regular expression of Java.
        properties: tells the characters of a property.
        lines: whether the texts have line ends that Python does not know.
        words: whether the texts have letters that are not ASCII.

    Raises:
        UnsupportedJavaPattern: neither of the two libraries finds what Java does.

    Example:
        >>> from table_common.java_patterns import read_java_pattern
        >>> write_python_pattern(read_java_pattern("a+b"), lambda name: ()).text
        'a+b'
    """
    if pattern.unsupported is not None:
        raise UnsupportedJavaPattern(pattern.unsupported)
    try:
        writer = _Writer(pattern, properties, lines, words)
        text = writer.text(pattern.tree)
        if writer.needs_regex:  # whose flag ASCII would narrow properties
            writer = _Writer(pattern, properties, lines, True, for_regex=True)
            text = writer.text(pattern.tree)
            if writer.ignores_case_of_groups:
                raise UnsupportedJavaPattern(
                    "a reference to a group after '(?i)' together with a construct that only the library 'regex' supports"
                )
        least, _ = widths(pattern.tree)
        uncertain = uncertain_groups(pattern.tree)
    except RecursionError:
        raise UnsupportedJavaPattern("too many parentheses in each other") from None
    return PythonPattern(text, writer.needs_regex, writer.has_lines, writer.has_words, writer.has_search_start, least == 0, uncertain)


def cost_pattern(pattern: JavaPattern) -> str | None:
    """Returns a regular expression of ``re`` that takes as long as the one of Java; it need not find the same. None: it has none."""
    writer = _Writer(pattern, lambda text: ((97, 97),), False, False, for_cost=True)
    try:
        return writer.text(pattern.tree)
    except RecursionError:
        return None


class _Writer:
    def __init__(
        self,
        pattern: JavaPattern,
        properties: PropertyRanges,
        lines: bool,
        words: bool,
        for_regex: bool = False,
        for_cost: bool = False,
    ) -> None:
        self._properties = properties
        self._lines = lines
        self._words = words
        self._groups = pattern.groups or 0
        self._uncertain = uncertain_groups(pattern.tree)
        self._for_regex = for_regex
        self._for_cost = for_cost
        self._closed: set[int] = set()
        self._repeats = self._repeats_one_way = 0
        self.needs_regex = self.has_lines = self.has_words = self.has_search_start = self.ignores_case_of_groups = False

    def text(self, node: Node) -> str:
        """Returns what finds a part."""
        match node:
            case Characters(characters=characters):
                return "(?s:.)" if characters == ANY else class_text(self._ranges(node), not self._for_regex)
            case Dot(unix=unix):
                self.has_lines |= not unix
                return f"[^{_LINE_ENDS}]" if self._lines and not unix else "."
            case At(place=place):
                return self._place(place)
            case LineBreak():
                # Java does not go back into one that is repeated.
                return rf"(?{'>' if self._repeats_one_way else ':'}\r\n|[\n-\r\u0085\u2028\u2029])"
            case Grapheme():
                self.needs_regex = True
                return "." if self._for_cost else r"\X"
            case Reference():
                return self._reference(node)
            case Group(number=number, body=body):
                inner = self.text(body)
                if number is None:
                    return f"(?:{inner})"
                self._closed.add(number)
                return f"({inner})"
            case Atomic(body=body):
                return f"(?>{self.text(body)})"
            case Look():
                return self._look(node)
            case Repeat():
                return self._repeat(node)
            case Branch(options=options):
                return "|".join(self.text(option) for option in options)
            case Sequence(parts=parts):
                return "".join(self.text(part) for part in parts)

    def _ranges(self, node: Characters) -> Pairs:
        return ranges_of(node.characters, self._properties)

    def _place(self, place: Place) -> str:
        if place in _LINE_PLACES:
            self.has_lines = True
            return _LINE_PLACES[place][self._lines]
        if place in _OTHER_PLACES:
            return _OTHER_PLACES[place]
        if place is Place.SEARCH_START:
            self.needs_regex = self.has_search_start = True
            return "" if self._for_cost else r"\G"
        if self._for_cost:
            return r"\b"
        negated = place in _NEGATED
        if place in (Place.UNICODE_WORD_EDGE, Place.NO_UNICODE_WORD_EDGE):
            self.needs_regex = True
            before, after = _UNICODE_WORD, _UNICODE_WORD
        else:
            self.has_words = True
            if not self._words:
                return r"(?:\B|\A\Z)" if negated else r"\b"
            self.needs_regex = True
            before, after = rf"{_WORD}|{_MARKED}+", rf"{_WORD}|(?=\p{{Mn}})(?<={_MARKED}*)"
        if negated:
            return f"(?:(?<={before})(?={after})|(?<!{before})(?!{after}))"
        return f"(?:(?<={before})(?!{after})|(?<!{before})(?={after}))"

    def _reference(self, node: Reference) -> str:
        if self._for_cost:
            return "a*"
        if node.number > self._groups:
            return _NEVER
        if node.number not in self._closed:
            if self._repeats:
                raise UnsupportedJavaPattern(rf"a reference '\{node.number}' that stands before the end of its group, in a repetition")
            return _NEVER
        if node.number in self._uncertain:
            raise UnsupportedJavaPattern(rf"a reference '\{node.number}' to a group whose text only Java knows")
        if node.ignores_case:
            if node.unicode_case:
                raise UnsupportedJavaPattern(rf"a reference '\{node.number}' after '(?iu)'")
            self.ignores_case_of_groups = True
            return rf"(?i:\{node.number})"
        return rf"(?:\{node.number})"

    def _look(self, node: Look) -> str:
        sign = "!" if node.negative else "="
        if not node.behind:
            return f"(?{sign}{self.text(node.body)})"
        if self._for_cost:
            return f"(?={self.text(node.body)})"
        if node.most is not None and node.most < node.least:
            raise UnsupportedJavaPattern("more than one unbounded repetition in a lookbehind")
        body = node.body.body if isinstance(node.body, Group) and node.body.number is None else node.body
        if _contains(body, Place.SEARCH_START):
            raise UnsupportedJavaPattern(r"'\G' in a lookbehind")
        options = body.options if isinstance(body, Branch) else (body,)
        has_words = self.has_words
        texts = [self.text(option) for option in options]
        lengths = [widths(option) for option in options]
        if self._words and self.has_words and not has_words:
            self.needs_regex = True
        if all(least == most for least, most in lengths):
            if len(set(lengths)) == 1:
                return f"(?<{sign}{'|'.join(texts)})"
            if node.negative:
                return "".join(f"(?<!{text})" for text in texts)
            return f"(?:{'|'.join(f'(?<={text})' for text in texts)})"
        if not _is_plain(body):
            raise UnsupportedJavaPattern("groups or possessive repetitions in a lookbehind of variable length")
        self.needs_regex = True
        return f"(?<{sign}{'|'.join(texts)})"

    def _repeat(self, node: Repeat) -> str:
        one_way = isinstance(node.body, LineBreak) or (isinstance(node.body, Group) and is_deterministic(node.body))
        self._repeats += 1
        self._repeats_one_way += one_way
        text = self.text(node.body)
        self._repeats_one_way -= one_way
        self._repeats -= 1
        if not self._for_cost and _stops_early(node):
            raise UnsupportedJavaPattern("more than one repetition of a part that may be empty")
        count = _count(node.least, node.most)
        is_one = isinstance(node.body, Characters | Dot)
        is_unit = is_one or isinstance(node.body, Group | Atomic)
        if node.mode == "+" and not is_one:
            return f"(?>(?:(?>{text})){count})"
        return f"{text if is_unit else f'(?:{text})'}{count}{node.mode}"


def _stops_early(node: Repeat) -> bool:
    """Whether Java finds less than the smallest number of repetitions: it does not repeat any more what was empty once."""
    body = node.body
    return (
        node.least > 1
        and node.mode != "+"
        and isinstance(body, Group)
        and widths(body)[0] == 0
        and not is_deterministic(body)
        and not _takes_most_first(body)
    )


def _count(least: int, most: int | None) -> str:
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
    return f"{{{least},{'' if most is None else most}}}" if least != most else f"{{{least}}}"


def _is_plain(node: Node, repeated: bool = False) -> bool:
    """Whether it does not matter from which end a part is looked for."""
    match node:
        case Characters() | Dot() | At():
            return True
        case LineBreak():
            return not repeated
        case Group(number=None, body=body):
            return _is_plain(body, repeated)
        case Repeat(body=body, mode=mode):
            return mode != "+" and _is_plain(body, repeated=True)
        case Branch(options=parts) | Sequence(parts=parts):
            return all(_is_plain(part, repeated) for part in parts)
    return False


def _takes_most_first(node: Node) -> bool:
    """Whether a part tries to be empty only after all else, wherever it stands."""
    match node:
        case Characters() | Dot() | LineBreak():
            return True
        case Group(body=body) | Repeat(body=body, mode=""):
            return _takes_most_first(body)
        case Sequence(parts=parts):
            return all(_takes_most_first(part) for part in parts)
        case Branch(options=options):
            return all(_takes_most_first(part) for part in options) and all(widths(part)[0] > 0 for part in options[:-1])
    return False


def _contains(node: Node, place: Place) -> bool:
    match node:
        case At(place=found):
            return found is place
        case Group(body=body) | Atomic(body=body) | Look(body=body) | Repeat(body=body):
            return _contains(body, place)
        case Branch(options=parts) | Sequence(parts=parts):
            return any(_contains(part, place) for part in parts)
    return False
