"""Parses JSON lines one by one, with all conversions of Flink's format, and errors with line, column and value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.exact_decimals import parsed
from table_common.exceptions import TableException, TableRuntimeException
from table_common.json_text import PLAIN_LEVELS, as_deep_as_it_is, require_levels
from table_common.types import (
    ArrayType,
    BigIntType,
    BooleanType,
    CharacterType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
)
from table_runtime.formats.skipped_rows import Ignored
from table_runtime.formats.text.forms import JSON_SQL, TextForms
from table_runtime.formats.text.values import parser_of

_Convert = Callable[[Any], Any]


class _Number(str):
    """The text of a number."""

    __slots__ = ()


class _Punctuation(str):
    """A structural character of JSON."""

    __slots__ = ()


class _MissingField(ValueError):
    """A required field is missing."""


def _refuse_constant(name: str) -> Any:
    raise ValueError(f'{name} is not a JSON number; write it in quotes: "{name}"')


# Control characters in strings are accepted, as by Flink.
_DECODER = json.JSONDecoder(parse_float=_Number, parse_int=_Number, parse_constant=_refuse_constant, strict=False)
_SPACE = b" \t\r\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_BEGINS_ARRAY = re.compile(rb"\[\s*\{.*\}\s*,", re.DOTALL).fullmatch
"""Matches the first line of an array with an object on each line."""
_OF_SEVERAL_LINES = (
    "a document over several lines is not read, only an object, or an array of objects, on each line (jq -c . writes them so)"
)


class LineParser:
    """Parses objects into columns, one by one.

    ``format_name`` names the format in messages, ``forms`` are the text forms of dates and times. With ``ignored``, errors are counted
    there and ignored: such values become NULL, and lines that are not objects are skipped.
    """

    def __init__(
        self,
        row_type: RowType,
        format_name: str,
        *,
        ignored: Ignored | None = None,
        fail_on_missing: bool = False,
        forms: TextForms = JSON_SQL,
    ) -> None:
        self._row_type = row_type
        self._format = format_name
        self._ignored = ignored
        self._ignore = ignored is not None
        self._fail_on_missing = fail_on_missing
        self._forms = forms
        self._fields = []
        for field in row_type.fields:
            try:
                self._fields.append((field.name, self._converter(field.type)))
            except KeyError as error:
                raise TableException(
                    f"The format '{format_name}' does not support column '{field.name}' of the type {error.args[0]}."
                ) from None

    def parse(self, lines: Iterable[bytes | None], where: Callable[[int], str]) -> tuple[list[pa.Array], list[int]]:
        """Returns the columns, and the position of each row's line. Empty lines are skipped; each object of an array is a row.

        Raises:
            TableRuntimeException: a line cannot be read, and errors are not ignored.
        """
        columns: list[list[Any]] = [[] for _ in self._fields]
        positions = []
        for position, line in enumerate(lines):
            if line is None or not line.strip():
                continue
            for members in self._objects(line, position, where):
                row = self._row(members, position, where)
                positions.append(position)
                for column, value in zip(columns, row, strict=True):
                    column.append(value)
        arrays = [pa.array(column, type=to_arrow_type(field.type)) for column, field in zip(columns, self._row_type.fields, strict=True)]
        return arrays, positions

    def _objects(self, line: bytes, position: int, where: Callable[[int], str]) -> Iterable[dict[str, Any]]:
        """Returns the object of a line, or the objects of an array."""
        if self._ignored is not None and self._ignored.first is not None and not _may_be_objects(line):
            self._ignored.row("")  # only the first problem is kept
            return ()
        try:
            # Differs from Flink: text after the object of a line is an error; Flink ignores it.
            value = _decoded(line)
        except ValueError as error:
            begins_document = line.strip() in (b"{", b"[", b"[{") or _BEGINS_ARRAY(line.strip())
            self._not_objects(line, position, where, _OF_SEVERAL_LINES if begins_document else str(error))
            return ()
        items = value if isinstance(value, list) else [value]
        objects = [item for item in items if isinstance(item, dict)]
        if len(objects) < len(items):
            self._not_objects(line, position, where, "it is not an object", len(items) - len(objects))
        return objects

    def _not_objects(self, line: bytes, position: int, where: Callable[[int], str], reason: str, count: int = 1) -> None:
        """Raises an error, or counts ``count`` rows as dropped if errors are ignored."""
        if self._ignored is not None and self._ignored.first is not None:
            self._ignored.row("", count)  # only the first problem is kept
            return
        problem = f"{shown(line.decode(errors='replace'))} is not a JSON object: {reason}"
        if self._ignored is None:
            raise self._error(where(position), problem) from None
        self._ignored.row(f"{where(position)}: {problem}", count)

    def _row(self, members: dict[str, Any], position: int, where: Callable[[int], str]) -> list[Any]:
        is_first = self._ignored is not None and self._ignored.first is None
        row = []
        for name, convert in self._fields:
            try:
                row.append(self._field(members, name, convert))
            except (ValueError, TypeError) as error:
                if isinstance(error, _MissingField):
                    raise self._error(where(position), str(error)) from None
                type_ = self._row_type.fields[len(row)].type
                raise self._error(
                    f"{where(position)}, column '{name}'",
                    f"{shown(_text_of(members.get(name)))} cannot be read as {type_.summary()}: {error}",
                ) from None
        if is_first and self._ignored is not None and self._ignored.first is not None:
            self._ignored.first = f"{where(position)}: {self._ignored.first}"
        return row

    def _field(self, members: dict[str, Any], name: str, convert: _Convert) -> Any:
        if name not in members:
            if self._fail_on_missing and not self._ignore:
                raise _MissingField(f"the field '{name}' is missing")
            return None
        return convert(members[name])

    def _error(self, where: str, text: str) -> TableRuntimeException:
        of_function = " (read_json: ignore_parse_errors => TRUE)" if self._format == "json" else ""
        return TableRuntimeException(
            f"{where}: {text}.",
            hint=f"Set the table's option '{self._format}.ignore-parse-errors' to skip what cannot be read{of_function}.",
        )

    def _converter(self, type_: LogicalType) -> _Convert:
        convert = self._converter_of_value(type_)

        def nullable(value: Any) -> Any:
            if value is None:
                return None
            if not self._ignore:
                return convert(value)
            try:
                return convert(value)
            except (ValueError, TypeError) as error:
                assert self._ignored is not None
                known = self._ignored.first is not None  # only the first problem is kept
                self._ignored.value("" if known else f"{shown(_text_of(value))} cannot be read as {type_.summary()}: {error}")
                return None

        return nullable

    def _converter_of_value(self, type_: LogicalType) -> _Convert:
        match type_:
            case CharacterType():
                return _as_text
            case ArrayType():
                element = self._converter(type_.element_type)
                return lambda value: [element(item) for item in _require(value, list, "an array")]
            case MapType():
                return self._map(type_.key_type, type_.value_type)
            case MultisetType():
                return self._map(type_.element_type, IntType())
            case RowType():
                fields = [(field.name, self._converter(field.type)) for field in type_.fields]
                return lambda value: {name: self._field(_require(value, dict, "an object"), name, convert) for name, convert in fields}
            case FloatType() | DoubleType() | DecimalType():
                parse_number = parser_of(type_)
                return lambda value: parse_number(value if isinstance(value, str) else _refuse("a number"))
            case BooleanType():
                # Differs from Flink: a value that is neither true nor false is an error; in Flink it is FALSE.
                parse_boolean = parser_of(type_)
                return lambda value: value if isinstance(value, bool) else parse_boolean(_scalar_text(value))
            case IntType() | BigIntType():
                parse_whole, bound = parser_of(type_), 2**31 if isinstance(type_, IntType) else 2**63
                return lambda value: parse_whole(_whole(value, bound))
            case _:
                parse = parser_of(type_, self._forms)
                if pa.types.is_integer(to_arrow_type(type_)):
                    return lambda value: parse(value if isinstance(value, str) else _refuse("a number"))
                return lambda value: parse(_require(value, str, "text"))

    def _map(self, key_type: LogicalType, value_type: LogicalType) -> _Convert:
        key, value = parser_of(key_type, self._forms), self._converter(value_type)
        return lambda members: [(key(name), value(item)) for name, item in _require(members, dict, "an object").items()]


def _may_be_objects(line: bytes) -> bool:
    """Returns whether a line begins and ends as an object or an array does."""
    text = line.strip(_SPACE)
    return text[-1:] in (b"}", b"]") and (text[:1] in (b"{", b"[") or line.startswith(_BYTE_ORDER_MARK))


def _decoded(line: bytes) -> Any:
    text = line.removeprefix(_BYTE_ORDER_MARK).decode()
    if require_levels(text) <= PLAIN_LEVELS:
        value = _DECODER.decode(text)
    else:
        with as_deep_as_it_is(text):
            value = _DECODER.decode(text)
    if "\\u" in text:
        # Differs from Flink: half of a surrogate pair is an error, because it is not a character; Flink reads a question mark.
        try:
            _text_of(value).encode()
        except UnicodeEncodeError:
            raise ValueError("a string has half of a surrogate pair") from None
    return value


def _as_text(value: Any) -> str:
    return str(value) if isinstance(value, str) else _text_of(value)


def _text_of(value: Any) -> str:
    """Returns JSON text without spaces; numbers keep their text."""
    # Differs from Flink: numbers keep their digits also inside of objects and arrays that are read as text.
    parts: list[str] = []
    pending = [value]  # values to write, in reverse order
    while pending:
        match pending.pop():
            case _Number() | _Punctuation() as text:
                parts.append(text)
            case list(items):
                pending.append(_Punctuation("]"))
                for item in reversed(items):
                    pending += (item, _Punctuation(","))
                parts.append("[")
                if items:
                    pending.pop()
            case dict(entries):
                pending.append(_Punctuation("}"))
                for name, item in reversed(entries.items()):
                    pending += (item, _Punctuation(":"), name, _Punctuation(","))
                parts.append("{")
                if entries:
                    pending.pop()
            case other:
                parts.append(json.dumps(other, ensure_ascii=False))
    return "".join(parts)


def _scalar_text(value: Any) -> str:
    if isinstance(value, list | dict):
        _refuse("a single value")
    return str(value)


def _whole(value: Any, bound: int) -> str:
    """Returns the text of a number without its fraction."""
    if not isinstance(value, str):
        _refuse("a number")
    if isinstance(value, _Number) and not value.lstrip("-").isdecimal():
        number = parsed(value)
        if not -bound <= number <= bound - 1:
            raise ValueError("it is out of range")
        return str(int(number))
    return str(value)


def _require(value: Any, kind: type, what: str) -> Any:
    return value if isinstance(value, kind) and not isinstance(value, _Number) else _refuse(what)


def _refuse(what: str) -> Any:
    raise ValueError(f"it is not {what}")


def shown(text: str) -> str:
    """Returns the beginning of a text that may be long."""
    return text if len(text) <= 200 else text[:200] + "…"
