"""Evaluates JSON paths on parsed values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from table_common.functions import JsonPath, JsonPathStep

__all__ = ["PathError", "find_at_path"]


class PathError(Exception):
    """A strict path does not fit the value."""


def find_at_path(path: JsonPath, value: Any) -> list[Any]:
    """Returns what the path selects: for a definite path the value or, if the path is lax and there is none, nothing; else the list of values.

    Raises:
        PathError: the path is strict, and there is no value at a definite step.
    """
    found = [value]
    for step in path.steps:
        reached = [result for item in _starts(step, found) for result in _children(step, item)]
        if not reached and step.is_definite and path.is_strict:
            raise PathError
        found = reached
    return found if path.is_definite else [found]


def _starts(step: JsonPathStep, found: Sequence[Any]) -> Iterable[Any]:
    """Returns where a step begins: each array and object once, though several of what was found may contain it."""
    if not step.descends:
        return found
    starts: list[Any] = []
    seen: set[int] = set()
    for value in found:
        starts.extend(_descendants(value, seen))
    return starts


def _children(step: JsonPathStep, value: Any) -> Iterator[Any]:
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
