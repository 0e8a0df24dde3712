"""Finds where each Avro record of a block ends.

The records follow each other without a mark, so their ends are only known after a walk over all their values. A regular expression of a record is the fastest one; if
it does not fit, code is generated for the schema. Neither reads values, and both check little: ``avro.columnar_decoder``
then decodes all records at the same time, checks everything,
and finds out if a record does not end where it should.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from table_runtime.formats.avro.generated_decoder import WIDTHS, Node, number_lines

Ends = Callable[[bytes, bytes, int], list[int]]
"""Takes the data, the data by ``LAST_BYTES``, and the number of records; returns the end of each record."""
LAST_BYTES = bytes(number < 128 for number in range(256))
"""Translates each byte to 1 if it is the last one of a number, else to 0."""


_SHORT = 64
"""Lengths of one byte."""
_NUMBER = rb"[\x80-\xff]*+."
_SHORT_TEXT = b"(?:" + b"|".join(re.escape(bytes([2 * size])) + b".{%d}" % size for size in range(_SHORT)) + b")"
_FEWEST = 1000
"""Records for which the regular expression is compiled."""


class RecordEnds:
    """Finds the ends of the records of these fields."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._walk = compiled_ends(nodes)
        self._source = record_pattern(nodes)
        self._pattern: re.Pattern[bytes] | None = None

    def find(self, data: bytes, count: int) -> list[int]:
        """Returns the end of each of ``count`` records.

        Raises:
            ValueError: the data are damaged; likewise IndexError. Most other damages are not found.
        """
        if self._source is not None and count >= _FEWEST:
            if self._pattern is None:
                # A byte that begins no record is skipped: then there are too many matches, or the last one is elsewhere.
                self._pattern = re.compile(self._source + b"|.", re.DOTALL)
            ends = [match.end() for match in self._pattern.finditer(data)]
            if len(ends) == count and ends[-1] == len(data):
                return ends
            self._source = None
        return self._walk(data, data.translate(LAST_BYTES), count)


def record_pattern(nodes: Sequence[Node]) -> bytes | None:
    """Returns the regular expression of a record whose texts are shorter than 64 bytes; None if there is none: arrays and maps have a count."""
    parts = [_pattern(node) for node in nodes]
    return None if None in parts else b"".join(part for part in parts if part is not None)


def _pattern(node: Node) -> bytes | None:
    value = _pattern_of_value(node)
    if value is None or not node.is_union:
        return value
    if node.null_branch is None:
        return b"\\x00" + value
    return b"(?:\\x%02x%s|\\x%02x)" % (2 * (1 - node.null_branch), value, 2 * node.null_branch)


def _pattern_of_value(node: Node) -> bytes | None:
    match node.kind:
        case "null":
            return b""
        case "int" | "long" | "enum":
            return _NUMBER
        case "boolean":
            return b"."
        case "float" | "double":
            return b".{%d}" % WIDTHS[node.kind]
        case "fixed":
            return b".{%d}" % int(node.schema["size"])
        case "bytes" | "string":
            return _SHORT_TEXT
        case "record":
            return record_pattern(node.children)
        case _:
            return None


def compiled_ends(nodes: Sequence[Node]) -> Ends:
    """Returns a function that finds the ends of records of these fields. It raises IndexError or ValueError for many damaged records.

    Raises:
        SyntaxError: the nodes are too deep for Python.
    """
    lines = ["def ends(data, last, count):", "    p, size, found, index = 0, len(data), [], last.index", "    add = found.append"]
    lines.append("    for _ in range(count):")
    for node in nodes:
        lines += _step(node, " " * 8)
    lines += ["        add(p)", "    return found"]
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<avro schema>", "exec"), namespace)  # generated from numbers only
    ends: Ends = namespace["ends"]
    return ends


def _step(node: Node, indent: str) -> list[str]:
    """Returns the source lines that move ``p`` after a value."""
    if not node.is_union:
        return _value(node, indent)
    value_branch = min({0, 1} - {node.null_branch}) if node.null_branch is not None else 0
    width = WIDTHS.get(node.kind, 1 if node.kind == "boolean" else 0)
    if width:
        return [f"{indent}p += {width + 1} if data[p] == {2 * value_branch} else 1"]
    return [f"{indent}p += 1", f"{indent}if data[p - 1] == {2 * value_branch}:", *(_value(node, indent + "    ") or [f"{indent}    pass"])]


def _value(node: Node, indent: str) -> list[str]:
    match node.kind:
        case "null":
            return []
        case "int" | "long" | "enum":
            return [f"{indent}p = p + 1 if data[p] < 128 else p + 2 if data[p + 1] < 128 else index(1, p) + 1"]
        case "boolean" | "float" | "double" | "fixed":
            return [f"{indent}p += {WIDTHS.get(node.kind) or int(node.schema['size'] if node.kind == 'fixed' else 1)}"]
        case "bytes" | "string":
            long = [*number_lines(indent + "    ", 0), f"{indent}    p += v >> 1"]
            return [f"{indent}v = data[p]", f"{indent}if v < 128:", f"{indent}    p += 1 + (v >> 1)", f"{indent}else:", *long]
        case "record":
            return [line for child in node.children for line in _step(child, indent)]
        case _:
            return _elements(node, indent)


def _elements(node: Node, indent: str) -> list[str]:
    inner = indent + "    "
    elements = [line for child in node.children for line in _step(child, inner + "        ")] or [f"{inner}        pass"]
    return [
        f"{indent}while True:",
        *number_lines(inner, 0),
        f"{inner}if not v:",
        f"{inner}    break",
        f"{inner}if v & 1:",
        *number_lines(inner + "    ", 0),
        f"{inner}    p += v >> 1",
        f"{inner}else:",
        f"{inner}    m = v >> 1",
        f"{inner}    if m > size:",
        f"{inner}        raise ValueError('there are no such elements')",
        f"{inner}    for _ in range(m):",
        *elements,
    ]
