"""JSON paths: ``[lax|strict] $.name['name'][0]`` as Spark's VARIANT functions take them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from table_common.exceptions import TableException, ValidationException

__all__ = ["JsonPath", "is_spark_path", "parse_json_path"]

_STEP = re.compile(
    r"""\.?\[\s*(?P<index>\d+)\s*\]|\.?\[\s*(?P<quote>['"])(?P<quoted>.*?)(?P=quote)\s*\]|\.(?P<name>[^.\[\]'"*\s]+)|(?P<star>\.\*|\[\*\])"""
)


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path and whether a step that finds nothing is an error (strict, the default) or nothing (lax)."""

    text: str
    is_strict: bool


def is_spark_path(path: object) -> bool:
    """Returns whether Spark can follow the path: a constant without wildcards, slices and lists."""
    try:
        parse_json_path(path)
    except (TableException, ValidationException):
        return False
    return True


def parse_json_path(path: object) -> JsonPath:
    """Reads a constant path.

    Raises:
        ValidationException: it is no path.
        TableException: it has a wildcard, or is no constant; Spark takes neither.
    """
    if not isinstance(path, str):
        raise TableException("The planner 'spark' takes only constant JSON paths.")
    mode, _, rest = path.strip().partition(" ")
    if mode not in ("lax", "strict"):
        mode, rest = "strict", path.strip()
    rest = rest.strip()
    if not rest.startswith("$"):
        raise ValidationException(f"The JSON path '{path}' does not begin with $.")
    steps, position = ["$"], 1
    while position < len(rest):
        found = _STEP.match(rest, position)
        if found is None:
            raise ValidationException(f"The JSON path '{path}' cannot be read from '{rest[position:]}' on.")
        if found["star"]:
            if position + len(found[0]) == len(rest):  # what it finds is the array itself
                break
            raise TableException(f"The planner 'spark' does not take the wildcard in the JSON path '{path}'.")
        name = found["quoted"] if found["quoted"] is not None else found["name"]
        steps.append(f"[{found['index']}]" if name is None else f'["{name}"]')
        position = found.end()
    return JsonPath("".join(steps), mode == "strict")
