"""Names of one to three parts as one text: ``db.t``, ``cat.`my db`.t``."""

from __future__ import annotations

import re

from table_common.exceptions import ValidationException
from table_common.object_names import check_no_nul

_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.\s][^`.]*)")


def parse_path(text: str) -> tuple[str, ...]:
    """Returns the parts of a name. Dots separate them; back-ticks enclose a part with dots, and a back-tick inside is doubled.

    Raises:
        ValidationException: the text is not such a name; the message shows it.

    Example:
        >>> parse_path("cat.`my db`.t")
        ('cat', 'my db', 't')
    """
    check_no_nul(text, "a name")
    parts: list[str] = []
    position = 0
    while True:
        match = _PART.match(text, position)
        if match is None:
            break
        parts.append(match[1].replace("``", "`") if match[1] is not None else match[2].strip())
        position = match.end()
        if position == len(text) and len(parts) <= 3:
            return tuple(parts)
        if text[position : position + 1] != ".":
            break
        position += 1
    raise ValidationException(
        f"'{text}' is not the name of an object.",
        hint="accepted is [catalog.][database.]object, with back-ticks around a part that has dots",
    )
