"""The tree of a regular expression of Java."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from table_common.frozen_dataclass import dataclass
from table_common.java_patterns.character_sets import CharacterSet


class Place(Enum):
    """Where something is, without a character of its own."""

    START = r"\A"
    END = r"\z"
    SEARCH_START = r"\G"
    LAST_LINE_END = "$"
    LAST_UNIX_LINE_END = "(?d)$"
    LINE_END = "(?m)$"
    UNIX_LINE_END = "(?dm)$"
    LINE_START = "(?m)^"
    UNIX_LINE_START = "(?dm)^"
    WORD_EDGE = r"\b"
    NO_WORD_EDGE = r"\B"
    UNICODE_WORD_EDGE = r"(?U)\b"
    NO_UNICODE_WORD_EDGE = r"(?U)\B"


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a set."""

    characters: CharacterSet


@dataclass(frozen=True, slots=True)
class Dot:
    """Any character but those that end lines; ``unix``: only the line feed ends them."""

    unix: bool


@dataclass(frozen=True, slots=True)
class At:
    """A place."""

    place: Place


@dataclass(frozen=True, slots=True)
class LineBreak:
    r"""``\R``: one end of a line, of one or two characters."""


@dataclass(frozen=True, slots=True)
class Grapheme:
    r"""``\X``: what a reader takes for one character."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The text of a group again."""

    number: int
    ignores_case: bool
    unicode_case: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A part in parentheses; ``number``: None if it is not captured."""

    number: int | None
    body: Node


@dataclass(frozen=True, slots=True)
class Atomic:
    """A part whose first match is its only one."""

    body: Node


@dataclass(frozen=True, slots=True)
class Look:
    """Lookahead or, with ``behind``, lookbehind.

    ``least``, ``most``: the number of characters that Java goes back; ``most`` is None if it is unbounded.
    """

    behind: bool
    negative: bool
    body: Node
    least: int = 0
    most: int | None = 0


@dataclass(frozen=True, slots=True)
class Repeat:
    """A repetition; ``mode`` is nothing, ``?`` or ``+``; ``most``: None if there is no limit."""

    body: Node
    least: int
    most: int | None
    mode: str


@dataclass(frozen=True, slots=True)
class Branch:
    """One of several parts, the first that leads to a match."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts that follow each other."""

    parts: tuple[Node, ...]


Node: TypeAlias = Characters | Dot | At | LineBreak | Grapheme | Reference | Group | Atomic | Look | Repeat | Branch | Sequence
