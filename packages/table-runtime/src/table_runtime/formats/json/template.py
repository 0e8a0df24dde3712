"""The template of a JSON object: its names and punctuation as fixed text, with slots for the values.

Programs write objects of the same type with the same members in the same order, so that the objects differ only in their values. A template is made from one
line; ``json.shapes`` finds the other lines that have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from table_common.frozen_dataclass import dataclass
from table_common.types import ArrayType, LogicalType, MapType, MultisetType, RowType
from table_runtime.casts.nested import entry_types

_STRING = re.compile(rb'"[^"]*"')
_BARE = re.compile(rb'[^\s"\[\]{},:]+')
_SPACE = re.compile(rb" *")
_MOST_SLOTS = 500
_MOST_LEVELS = 50
_MOST_PARTS = 16
"""Elements of an array, or entries of a map: lines with other numbers of them have other templates."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a scalar: a string in quotes, or a number, ``true``, ``false`` or ``null``. ``type`` is None if it is not read."""

    number: int
    quoted: bool
    type: LogicalType | None


@dataclass(frozen=True, slots=True)
class Missing:
    """A nested value that is ``null``, or a field that is missing."""


@dataclass(frozen=True, slots=True)
class Members:
    """An object that is a row: a node for each field."""

    fields: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Elements:
    """An array."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """An object that is a map; its keys are slots."""

    keys: tuple[Slot, ...]
    values: tuple[Node, ...]


Node = Slot | Missing | Members | Elements | Entries


@dataclass(frozen=True, slots=True)
class Template:
    """The literals before, between and after the slots, the slots in order, and the root."""

    literals: tuple[bytes, ...]
    slots: tuple[Slot, ...]
    root: Members


class _NoTemplateError(Exception):
    """The line is not valid JSON for its type, or has a form that templates do not support."""


def template_of(line: bytes, row_type: RowType, *, find_missing: bool) -> Template | None:
    """Returns the template of a line, None if it has none. The line has neither backslashes nor control characters.

    With ``find_missing``, a line that lacks a field has no template.
    """
    parser = _Parser(line, find_missing=find_missing)
    try:
        root = parser.row(row_type, 0)
        return parser.finished(root)
    except _NoTemplateError:
        return None


class _Parser:
    def __init__(self, line: bytes, *, find_missing: bool) -> None:
        self._line = line
        self._find_missing = find_missing
        self._at = 0
        self._literal_start = 0
        self._literals: list[bytes] = []
        self._slots: list[Slot] = []

    def finished(self, root: Members) -> Template:
        self._skip_space()
        if self._at != len(self._line):
            raise _NoTemplateError
        literals = (*self._literals, self._line[self._literal_start :])
        # Values are found by the next quote after them, or at the end of the line.
        if any(b'"' not in literal for literal in literals[1:-1]):
            raise _NoTemplateError
        return Template(literals, tuple(self._slots), root)

    def row(self, row_type: RowType, level: int) -> Members:
        types = {field.name: field.type for field in row_type.fields}
        nodes: dict[str, Node] = {}
        for name in self._names(level):
            if name in nodes:
                raise _NoTemplateError
            node = self._value(types.get(name), level + 1)
            if name in types:
                nodes[name] = node
        if self._find_missing and len(nodes) < len(types):
            raise _NoTemplateError
        return Members(tuple(nodes.get(field.name, Missing()) for field in row_type.fields))

    def _value(self, type_: LogicalType | None, level: int) -> Node:
        self._skip_space()
        start = self._line[self._at : self._at + 1]
        nested = isinstance(type_, RowType | ArrayType | MapType | MultisetType)
        match start:
            case b'"' if not nested:
                return self._string(type_)
            case b"{" if type_ is None:
                for _ in self._names(level):
                    self._value(None, level + 1)
                return Missing()
            case b"{" if isinstance(type_, RowType):
                return self.row(type_, level)
            case b"{" if isinstance(type_, MapType | MultisetType):
                return self._map(type_, level)
            case b"[" if type_ is None:
                self._elements(None, level)
                return Missing()
            case b"[" if isinstance(type_, ArrayType):
                return Elements(self._elements(type_.element_type, level))
            case _:
                return self._bare(type_, nested=nested)

    def _string(self, type_: LogicalType | None) -> Slot:
        match = _STRING.match(self._line, self._at)
        if match is None:
            raise _NoTemplateError
        return self._slot(match.start() + 1, match.end() - 1, match.end(), Slot(len(self._slots), True, type_))

    def _bare(self, type_: LogicalType | None, *, nested: bool) -> Node:
        match = _BARE.match(self._line, self._at)
        if match is None:
            raise _NoTemplateError
        if nested:
            if match[0] != b"null":
                raise _NoTemplateError
            self._at = match.end()
            return Missing()
        return self._slot(match.start(), match.end(), match.end(), Slot(len(self._slots), False, type_))

    def _slot(self, start: int, end: int, rest: int, slot: Slot) -> Slot:
        if len(self._slots) == _MOST_SLOTS:
            raise _NoTemplateError
        self._literals.append(self._line[self._literal_start : start])
        self._slots.append(slot)
        self._literal_start = end
        self._at = rest
        return slot

    def _map(self, type_: MapType | MultisetType, level: int) -> Entries:
        key_type, value_type = entry_types(type_)
        keys: list[Slot] = []
        values: list[Node] = []
        for _ in self._parts(b"{", b"}", level):
            keys.append(self._string(key_type))
            self._expect(b":")
            values.append(self._value(value_type, level + 1))
        return Entries(tuple(keys), tuple(values))

    def _elements(self, type_: LogicalType | None, level: int) -> tuple[Node, ...]:
        return tuple(self._value(type_, level + 1) for _ in self._parts(b"[", b"]", level))

    def _names(self, level: int) -> Iterator[str]:
        """Yields the name of each member; the caller reads its value."""
        for _ in self._parts(b"{", b"}", level, most=_MOST_SLOTS):
            match = _STRING.match(self._line, self._at)
            if match is None:
                raise _NoTemplateError
            self._at = match.end()
            self._expect(b":")
            yield match[0][1:-1].decode()

    def _parts(self, start: bytes, end: bytes, level: int, most: int = _MOST_PARTS) -> Iterator[int]:
        """Yields once per part of an object or array; the caller reads the part."""
        if level > _MOST_LEVELS:
            raise _NoTemplateError
        self._expect(start)
        if self._takes(end):
            return
        for number in range(most):
            yield number
            if self._takes(end):
                return
            self._expect(b",")
        raise _NoTemplateError

    def _expect(self, punctuation: bytes) -> None:
        if not self._takes(punctuation):
            raise _NoTemplateError

    def _takes(self, punctuation: bytes) -> bool:
        """Skips the punctuation and the blanks around it, if it is next."""
        self._skip_space()
        if not self._line.startswith(punctuation, self._at):
            return False
        self._at += len(punctuation)
        self._skip_space()
        return True

    def _skip_space(self) -> None:
        match = _SPACE.match(self._line, self._at)
        assert match is not None
        self._at = match.end()
