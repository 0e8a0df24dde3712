"""Evaluates JSON paths on parsed values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from table_common.functions import JsonPath, JsonPathStep, parse_json_path

Finder = Callable[[Any], list[Any]]
"""Returns what a path selects from a parsed value."""


class PathError(Exception):
    """A strict path does not match the structure of the value."""


@lru_cache(maxsize=256)
def finder(text: str) -> Finder:
    """Returns the function that evaluates the path, compiled once.

    For a definite path its result is a list with the value, empty if a lax path has none; otherwise a list with the list of values.
    It raises ``PathError`` if the path is strict and there is no value at a definite step.

    Raises:
        TableRuntimeException: the text is not a path.
    """
    path = parse_json_path(text)
    if not path.is_definite:
        return lambda value: _find(path, value)
    is_strict = path.is_strict
    steps: tuple[tuple[Any, type[Any]], ...] = tuple(
        (key, dict if isinstance(key, str) else list) for step in path.steps for key in step.keys
    )

    def find(value: Any) -> list[Any]:
        try:
            for key, kind in steps:
                if type(value) is not kind:
                    raise KeyError
                value = value[key]
        except LookupError:
            if is_strict:
                raise PathError from None
            return []
        return [value]

    return find


def _find(path: JsonPath, value: Any) -> list[Any]:
    values = [value]
    for step in path.steps:
        next_values = [result for item in _starts(step, values) for result in _children(step, item)]
        if not next_values and step.is_definite and path.is_strict:
            raise PathError
        values = next_values
    return [values]


def _starts(step: JsonPathStep, values: Sequence[Any]) -> Iterable[Any]:
    """Returns the values at which a step starts; each array and object once, even if several values contain it."""
    if not step.descends:
        return values
    starts: list[Any] = []
    seen: set[int] = set()
    for value in values:
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
    """Yields the arrays and objects in a value, the value itself first, except those in ``seen``, whose content was yielded before."""
    stack = [value]
    while stack:
        item = stack.pop()
        if not isinstance(item, dict | list) or id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        stack.extend(reversed(list(item.values()) if isinstance(item, dict) else item))
