"""SQL/JSON paths, parsed once for all engines: ``lax $.a[0]['b c'].*``. Without a mode they are strict: a missing member is an error."""

from __future__ import annotations

import re
from functools import lru_cache

from table_common.exceptions import TableRuntimeException
from table_common.frozen_dataclass import dataclass

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


@dataclass(frozen=True, slots=True)
class JsonPathStep:
    """One step: the members (str) and positions (int) that it selects, a slice of an array, or all children (``is_wildcard``).

    Negative positions count from the end. A step that ``descends`` also applies to every object and array inside the value.

    Example:
        >>> JsonPathStep(keys=("name",)).is_definite, JsonPathStep(is_wildcard=True).is_definite
        (True, False)
    """

    keys: tuple[str | int, ...] = ()
    window: tuple[int | None, int | None] | None = None
    is_wildcard: bool = False
    descends: bool = False

    @property
    def is_definite(self) -> bool:
        """Whether the step selects at most one value."""
        return len(self.keys) == 1 and not self.descends


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A parsed path. A definite path selects at most one value; any other path selects a list.

    Example:
        >>> path = parse_json_path("lax $.a[*]")
        >>> path.is_strict, path.is_definite
        (False, False)
    """

    is_strict: bool
    steps: tuple[JsonPathStep, ...]

    @property
    def is_definite(self) -> bool:
        """Whether the path selects at most one value."""
        return all(step.is_definite for step in self.steps)


@lru_cache(maxsize=1024)
def parse_json_path(text: str) -> JsonPath:
    """Parses a path.

    Raises:
        TableRuntimeException: the text is not a path, or has a filter. A path may be the value of a column, so this is a runtime error.

    Example:
        >>> parse_json_path("lax $.a[0]").steps[1].keys
        (0,)
    """
    # Differs from Flink: a text that is not a path is an error, also with NULL ON ERROR, which is about the document; in Flink JSON_VALUE is NULL.
    match = re.match(r"\s*(?:(strict|lax)\s+)?\$", text, re.IGNORECASE)
    if match is None:
        raise TableRuntimeException(f"'{text}' is not a JSON path.", hint="A path looks like 'lax $.name[0]'.")
    is_strict = match[1] is None or match[1].lower() == "strict"
    steps: list[JsonPathStep] = []
    position, end = match.end(), len(text.rstrip())
    if text.startswith(".[", position):
        position += 1
    while position < end:
        step = _STEP.match(text, position)
        if step is None:
            raise TableRuntimeException(
                f"'{text}' is not a JSON path: '{text[position:end]}' is not understood.", hint="Filters are not supported."
            )
        try:
            steps.append(_step(step))
        except ValueError:
            raise TableRuntimeException(f"'{text}' is not a JSON path: it has an index of too many digits.") from None
        position = step.end()
        # ``$.['a b']`` is another way to write ``$['a b']``.
        if text.startswith(".[", position):
            position += 1
    return JsonPath(is_strict, tuple(steps))


def _step(match: re.Match[str]) -> JsonPathStep:
    if match["descend"] is not None:
        return (
            JsonPathStep(is_wildcard=True, descends=True) if match["descend"] == "*" else JsonPathStep((match["descend"],), descends=True)
        )
    if match["name"] is not None:
        return JsonPathStep((match["name"],))
    if match["quoted"] is not None:
        names = (re.sub(r"\\(.)", r"\1", single or double) for single, double in _QUOTED.findall(match["quoted"]))
        return JsonPathStep(tuple(names))
    if match["slice"] is not None:
        start, stop = (int(part) if part.strip() else None for part in match["slice"].split(":"))
        return JsonPathStep(window=(start, stop))
    if match["index"] is not None:
        return JsonPathStep(tuple(int(part) for part in match["index"].split(",")))
    return JsonPathStep(is_wildcard=True)
