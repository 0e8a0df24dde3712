"""The template of JSON documents of any structure: their text between the scalar values, and the document with a slot for each value.

``formats/json/template`` is the template for the columns of a row type.
"""

from __future__ import annotations

import re
from typing import Any

from table_common.frozen_dataclass import dataclass
from table_common.json_text import NumberText, parse

_TOKEN = re.compile(r'"[^"]*"(?P<name> *:)?|[^ "\[\]{},:]+')
_MOST_SLOTS = 200


class Slot(NumberText):
    """The place of a scalar. Its text, ``NUL number NUL``, occurs in no document, so what is written with slots can be divided again."""

    __slots__ = ()

    @property
    def number(self) -> int:
        """The number of the slot."""
        return int(self[1:-1])


@dataclass(frozen=True, slots=True)
class Template:
    """The literals before, between and after the slots; whether each slot is a string; and the parsed document, with slots as scalars."""

    literals: tuple[bytes, ...]
    quoted: tuple[bool, ...]
    document: Any


def template_of(text: str) -> Template | None:
    """Returns the template of a text without backslashes and control characters; None if the text is not JSON, or has many values."""
    literals: list[str] = []
    quoted: list[bool] = []
    marked: list[str] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if match["name"] is not None:
            continue
        is_string = match[0][0] == '"'
        start = match.start() + is_string
        literals.append(text[end:start])
        marked.append(text[end : match.start()] if not marked or not quoted[-1] else text[end + 1 : match.start()])
        end = match.end() - is_string
        marked.append(str(len(quoted)))
        quoted.append(is_string)
    if not quoted or len(quoted) > _MOST_SLOTS:
        return None
    marked.append(text[end + quoted[-1] :])
    literals.append(text[end:])
    try:
        parse(text)
        document = parse("".join(marked), number=lambda number: Slot(f"\0{number}\0"))
    except ValueError:
        return None
    return Template(tuple(literal.encode() for literal in literals), tuple(quoted), document)
