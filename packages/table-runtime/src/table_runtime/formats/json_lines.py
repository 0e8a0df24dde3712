"""JSON lines one by one: every conversion that Flink's format makes, and errors that name line, column and value."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import pyarrow as pa

from table_common.arrow import to_arrow_type
from table_common.exceptions import TableException, TableRuntimeException
from table_common.types import (
    ArrayType,
    BooleanType,
    CharacterType,
    DecimalType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    MultisetType,
    RowType,
)
from table_runtime.formats.ignored import Ignored
from table_runtime.formats.text_values import parser_of

__all__ = ["LineParser", "shown"]

_Convert = Callable[[Any], Any]


class _Number(str):
    """A number with a fraction or an exponent, as it is written."""

    __slots__ = ()


class _MissingField(ValueError):
    """A field that must be there is not."""


class LineParser:
    """Parses objects into columns, one by one.

    ``format_name`` names the format in messages. With ``ignored`` what cannot be read is counted there and left out: values become NULL, lines that are
    no objects give no row.
    """

    def __init__(self, row_type: RowType, format_name: str, *, ignored: Ignored | None = None, fail_on_missing: bool = False) -> None:
        self._row_type = row_type
        self._format = format_name
        self._ignored = ignored
        self._ignore = ignored is not None
        self._fail_on_missing = fail_on_missing
        self._fields = []
        for field in row_type.fields:
            try:
                self._fields.append((field.name, self._converter(field.type)))
            except KeyError as error:
                raise TableException(
                    f"The format '{format_name}' has no form for column '{field.name}' of the type {error.args[0]}."
                ) from None
        self._decoder = json.JSONDecoder(parse_float=_Number)

    def parse(self, lines: Iterable[bytes | None], where: Callable[[int], str]) -> tuple[list[pa.Array], list[int]]:
        """Returns the columns, and of each row the position of its line; empty lines give no row.

        Raises:
            TableRuntimeException: a line cannot be read, and errors are not ignored.
        """
        columns: list[list[Any]] = [[] for _ in self._fields]
        positions = []
        for position, line in enumerate(lines):
            if line is None or not line.strip():
                continue
            row = self._row(line, position, where)
            if row is None:
                continue
            positions.append(position)
            for column, value in zip(columns, row, strict=True):
                column.append(value)
        arrays = [pa.array(column, type=to_arrow_type(field.type)) for column, field in zip(columns, self._row_type.fields, strict=True)]
        return arrays, positions

    def _row(self, line: bytes, position: int, where: Callable[[int], str]) -> list[Any] | None:
        try:
            found = self._decoder.decode(line.decode())
            if not isinstance(found, dict):
                raise ValueError("it is no object")
        except ValueError as error:
            problem = f"{shown(line.decode(errors='replace'))} is no JSON object: {error}"
            if self._ignored is not None:
                self._ignored.row(f"{where(position)}: {problem}")
                return None
            raise self._error(where(position), problem) from None
        before = self._ignored.values if self._ignored is not None else 0
        row = []
        for name, convert in self._fields:
            try:
                row.append(self._field(found, name, convert))
            except (ValueError, TypeError) as error:
                if isinstance(error, _MissingField):
                    raise self._error(where(position), str(error)) from None
                type_ = self._row_type.fields[len(row)].type
                raise self._error(
                    where(position),
                    f"column '{name}': {shown(json.dumps(found.get(name)))} cannot be read as {type_.summary()}: {error}",
                ) from None
        if self._ignored is not None and not before and self._ignored.values and self._ignored.first is not None:
            self._ignored.first = f"{where(position)}: {self._ignored.first}"
        return row

    def _field(self, found: dict[str, Any], name: str, convert: _Convert) -> Any:
        if name not in found:
            if self._fail_on_missing and not self._ignore:
                raise _MissingField(f"the field '{name}' is missing")
            return None
        return convert(found[name])

    def _error(self, where: str, text: str) -> TableRuntimeException:
        return TableRuntimeException(
            f"{where}: {text}.",
            hint=f"SET the table's option '{self._format}.ignore-parse-errors' to read what can be read.",
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
                self._ignored.value(f"{shown(json.dumps(value))} cannot be read as {type_.summary()}: {error}")
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
                from table_common.types import IntType

                return self._map(type_.element_type, IntType())
            case RowType():
                fields = [(field.name, self._converter(field.type)) for field in type_.fields]
                return lambda value: {name: self._field(_require(value, dict, "an object"), name, convert) for name, convert in fields}
            case FloatType() | DoubleType():
                return lambda value: float(value) if not isinstance(value, bool | list | dict) else _refuse("a number")
            case BooleanType():
                parse_boolean = parser_of(type_)
                return lambda value: value if isinstance(value, bool) else parse_boolean(_scalar_text(value))
            case DecimalType():
                parse_decimal = parser_of(type_)
                return lambda value: parse_decimal(_scalar_text(value))
            case _:
                parse = parser_of(type_)
                if pa.types.is_integer(to_arrow_type(type_)):
                    return lambda value: parse(_whole(value))
                return lambda value: parse(_require(value, str, "text"))

    def _map(self, key_type: LogicalType, value_type: LogicalType) -> _Convert:
        key, value = parser_of(key_type), self._converter(value_type)
        return lambda found: [(key(name), value(item)) for name, item in _require(found, dict, "an object").items()]


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list | dict | bool):
        return json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=False)
    return str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, _Number):
        return float(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return {name: _plain(item) for name, item in value.items()} if isinstance(value, dict) else value


def _scalar_text(value: Any) -> str:
    if isinstance(value, list | dict):
        _refuse("a single value")
    return str(value)


def _whole(value: Any) -> str:
    """Returns the text of a number without its fraction."""
    if isinstance(value, _Number):
        return str(int(Decimal(value)))
    if isinstance(value, bool):
        _refuse("a number")
    return _scalar_text(value)


def _require(value: Any, kind: type, what: str) -> Any:
    return value if isinstance(value, kind) and not isinstance(value, _Number) else _refuse(what)


def _refuse(what: str) -> Any:
    raise ValueError(f"it is not {what}")


def shown(text: str) -> str:
    """Returns the beginning of a text that may be long."""
    return text if len(text) <= 200 else text[:200] + "…"
