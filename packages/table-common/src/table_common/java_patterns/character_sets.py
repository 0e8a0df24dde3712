"""Sets of characters as Java's regular expressions write them: ranges of code points, properties, unions, intersections, complements.

A set is a tree until its ranges are computed: properties are resolved only when a pattern is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

from table_common.frozen_dataclass import dataclass

Pairs: TypeAlias = tuple[tuple[int, int], ...]
PropertyRanges: TypeAlias = Callable[[str], Pairs]
"""The ranges of the characters in a set that is written as the library ``regex`` takes it, such as ``\\p{L}``."""

LAST = 0x10FFFF


class CharacterSet:
    """A set of code points."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Ranges(CharacterSet):
    """The code points of some ranges, both ends included."""

    pairs: Pairs


@dataclass(frozen=True, slots=True)
class WrittenSet(CharacterSet):
    """The ranges of one pair of brackets, which grow while it is read, also after they became part of an intersection."""

    pairs: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Property(CharacterSet):
    """The characters in a set that only ``regex`` knows."""

    text: str


@dataclass(frozen=True, slots=True)
class Union(CharacterSet):
    """The characters of either set."""

    left: CharacterSet
    right: CharacterSet


@dataclass(frozen=True, slots=True)
class Intersection(CharacterSet):
    """The characters of both sets."""

    left: CharacterSet
    right: CharacterSet


@dataclass(frozen=True, slots=True)
class Complement(CharacterSet):
    """The characters outside of a set."""

    inner: CharacterSet


ANY = Ranges(((0, LAST),))


def ranges_of(characters: CharacterSet, properties: PropertyRanges) -> Pairs:
    """Returns the ranges of a set: sorted, and with a gap between each other."""
    match characters:
        case Ranges(pairs=pairs):
            return _joined(pairs)
        case WrittenSet(pairs=written):
            return _joined(written)
        case Property(text=text):
            return properties(text)
        case Union():
            return _joined(pair for part in _united(characters) for pair in ranges_of(part, properties))
        case Intersection(left=left, right=right):
            outside = [*_complement(ranges_of(left, properties)), *_complement(ranges_of(right, properties))]
            return _complement(_joined(outside))
        case Complement(inner=inner):
            return _complement(ranges_of(inner, properties))
    raise AssertionError(characters)


def _united(characters: CharacterSet) -> list[CharacterSet]:
    """Returns the different parts of a union of unions, however many there are."""
    parts: dict[object, CharacterSet] = {}
    open_parts = [characters]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, Union):
            open_parts += (part.left, part.right)
        else:
            parts[part.text if isinstance(part, Property) else id(part)] = part
    return list(parts.values())


def _joined(pairs: Iterable[tuple[int, int]]) -> Pairs:
    result: list[tuple[int, int]] = []
    for first, last in sorted(pairs):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return tuple(result)


def _complement(pairs: Pairs) -> Pairs:
    result, start = [], 0
    for first, last in pairs:
        if first > start:
            result.append((start, first - 1))
        start = last + 1
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


_SHORT = {
    ((48, 57),): r"\d",
    ((48, 57), (65, 90), (95, 95), (97, 122)): r"\w",
    ((9, 13), (32, 32)): r"\s",
    _complement(((48, 57),)): r"\D",
    _complement(((48, 57), (65, 90), (95, 95), (97, 122))): r"\W",
    _complement(((9, 13), (32, 32))): r"\S",
}
_NOTHING = r"[^\x00-\U0010ffff]"


def class_text(pairs: Pairs, ascii_only: bool = True) -> str:
    """Returns what matches one character of some ranges, for Python; ``ascii_only``: the flag of this name will be set."""
    if not pairs:
        return _NOTHING
    short = _SHORT.get(pairs) if ascii_only else None
    if short is not None:
        return short
    if len(pairs) == 1 and pairs[0][0] == pairs[0][1]:
        return _character(pairs[0][0])
    sign = ""
    if pairs[0][0] == 0 and pairs[-1][1] == LAST and len(pairs) > 1:
        sign, pairs = "^", _complement(pairs)
    parts = (_character(first) if first == last else f"{_character(first)}-{_character(last)}" for first, last in pairs)
    return f"[{sign}{''.join(parts)}]"


def _character(code: int) -> str:
    if code < 128:
        return chr(code) if chr(code).isalnum() else f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def case_variants(first: int, last: int, unicode_case: bool) -> list[tuple[int, int]]:
    """Returns the ranges of what a range of characters finds where Java ignores the case."""
    found = [(first, last)]
    for code in range(128):
        letter = chr(code)
        if letter.isalpha() and first <= ord(letter.swapcase()) <= last:
            found.append((code, code))
    if unicode_case:
        if first == last:
            lower = _lower(_upper(first))
            found.extend((code, code) for code in _folded().get(lower, ()) if lower != _upper(first))
        else:
            found.extend((code, code) for code, upper, lower in _cased() if first <= upper <= last or first <= lower <= last)
    return found


def _upper(code: int) -> int:
    """The upper case that is one character; the title case is it where Python writes two."""
    for text in (chr(code).upper(), chr(code).title()):
        if len(text) == 1:
            return ord(text)
    return code


def _lower(code: int) -> int:
    text = chr(code).lower()
    return ord(text) if len(text) == 1 else ord(text[0])


@lru_cache(maxsize=1)
def _cased() -> tuple[tuple[int, int, int], ...]:
    """All characters with an upper or lower case: (character, its upper case, that one's lower case)."""
    cased = []
    for code in range(0x20000):
        letter = chr(code)
        if letter.upper() != letter or letter.lower() != letter:
            upper = _upper(code)
            cased.append((code, upper, _lower(upper)))
    return tuple(cased)


@lru_cache(maxsize=1)
def _folded() -> dict[int, list[int]]:
    folded: dict[int, list[int]] = {}
    for code, _, lower in _cased():
        folded.setdefault(lower, []).append(code)
    for lower, codes in folded.items():
        codes.append(lower)
    return folded
