"""SQL/JSON paths: ``lax $.a[0]['b c'].*``. Without a mode they are strict: what is missing is an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass

__all__ = ["JsonPath", "PathError", "json_path"]

_STEP = re.compile(
    r"""\.\.(?P<descend>\*|[^.\[\s]+)
      | \.\*
      | \.(?P<name>[^.\[\s]+)
      | \[\s*(?P<all>\*)\s*\]
      | \[\s*(?P<quoted>(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\s*,\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))*)\s*\]
      | \[\s*(?P<slice>-?\d*\s*:\s*-?\d*)\s*\]
      | \[\s*(?P<index>-?\d+(?:\s*,\s*-?\d+)*)\s*\]""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")


class PathError(Exception):
    """A strict path does not fit the value."""


@dataclass(frozen=True, slots=True)
class _Step:
    keys: tuple[str | int, ...] = ()
    window: tuple[int | None, int | None] | None = None
    is_wildcard: bool = False
    descends: bool = False

    @property
    def is_definite(self) -> bool:
        return len(self.keys) == 1 and not self.descends


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A compiled path. A definite one leads to at most one value; any other gives the list of what it finds."""

    is_strict: bool
    steps: tuple[_Step, ...]

    @property
    def is_definite(self) -> bool:
        """Whether the path names exactly one place."""
        return all(step.is_definite for step in self.steps)

    def find(self, value: Any) -> list[Any]:
        """Returns what the path leads to, nothing if there is no such place and the path is lax.

        Raises:
            PathError: there is no such place and the path is strict.
        """
        found = [value]
        for step in self.steps:
            reached = [result for item in _starts(step, found) for result in _children(step, item)]
            if not reached and step.is_definite and self.is_strict:
                raise PathError
            found = reached
        return found if self.is_definite else [found]


def _starts(step: _Step, found: Sequence[Any]) -> Iterable[Any]:
    """Returns where a step begins: each array and object once, though several of what was found may contain it."""
    if not step.descends:
        return found
    starts: list[Any] = []
    seen: set[int] = set()
    for value in found:
        starts.extend(_descendants(value, seen))
    return starts


def _children(step: _Step, value: Any) -> Iterator[Any]:
    if step.is_wildcard:
        yield from value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    elif step.window is not None:
        if isinstance(value, list):
            yield from value[slice(*step.window)]
    else:
        for key in step.keys:
            if isinstance(key, str):
                if isinstance(value, dict) and key in value:
                    yield value[key]
            elif isinstance(value, list) and -len(value) <= key < len(value):
                yield value[key]


def _descendants(value: Any, seen: set[int]) -> Iterator[Any]:
    """Yields the arrays and objects in a value, itself first, but for those seen before: what they contain was seen with them."""
    stack = [value]
    while stack:
        item = stack.pop()
        if not isinstance(item, dict | list) or id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        stack.extend(reversed(list(item.values()) if isinstance(item, dict) else item))


@lru_cache(maxsize=1024)
def json_path(text: str) -> JsonPath:
    """Compiles a path.

    Raises:
        TableRuntimeException: the text is no path, or has a filter.
    """
    match = re.match(r"\s*(?:(strict|lax)\s+)?\$", text, re.IGNORECASE)
    if match is None:
        raise TableRuntimeException(f"'{text}' is not a JSON path.", hint="A path looks like 'lax $.name[0]'.")
    is_strict = match[1] is None or match[1].lower() == "strict"
    steps: list[_Step] = []
    position, end = match.end(), len(text.rstrip())
    if text.startswith(".[", position):
        position += 1
    while position < end:
        step = _STEP.match(text, position)
        if step is None:
            raise TableRuntimeException(
                f"'{text}' is not a JSON path: '{text[position:end]}' is not understood.", hint="Filters are not supported."
            )
        steps.append(_step(step))
        position = step.end()
        # ``$.['a b']`` is written by some for ``$['a b']``.
        if text.startswith(".[", position):
            position += 1
    return JsonPath(is_strict, tuple(steps))


def _step(match: re.Match[str]) -> _Step:
    if match["descend"] is not None:
        return _Step(is_wildcard=True, descends=True) if match["descend"] == "*" else _Step((match["descend"],), descends=True)
    if match["name"] is not None:
        return _Step((match["name"],))
    if match["quoted"] is not None:
        names = (re.sub(r"\\(.)", r"\1", single or double) for single, double in _QUOTED.findall(match["quoted"]))
        return _Step(tuple(names))
    if match["slice"] is not None:
        start, stop = (int(part) if part.strip() else None for part in match["slice"].split(":"))
        return _Step(window=(start, stop))
    if match["index"] is not None:
        return _Step(tuple(int(part) for part in match["index"].split(",")))
    return _Step(is_wildcard=True)
