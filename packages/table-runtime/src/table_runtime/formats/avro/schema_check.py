"""What is wrong with an Avro schema, in words that say where: schemas come from headers of files and from registries, and may be damaged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
_NAMED = frozenset(("record", "error", "enum", "fixed"))


class _FaultError(ValueError):
    """A fault of a schema; the text says what and where."""


def read_schema_text(text: str) -> Any:
    """Returns the schema that a JSON text is.

    Raises:
        ValueError: it is none; the message says what is wrong, and where.
    """
    try:
        schema: Any = json.loads(text)
    except json.JSONDecodeError as error:
        near = text[error.pos : error.pos + 20]
        raise ValueError(
            f"it is not JSON in line {error.lineno}, column {error.colno}, {f'at {near!r}' if near else 'at its end'}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    try:
        _check(schema, "it", set(), "")
    except RecursionError as error:
        raise ValueError("its types are nested too deeply") from error
    return schema


def reason_of(error: Exception) -> str:
    """Returns in words why bytes are no values of a schema."""
    match error:
        case EOFError() | IndexError():
            return "they end too early"
        case UnicodeDecodeError():
            return "a text is not UTF-8"
        case OverflowError() | MemoryError():
            return "a number is too large"
        case _FaultError():
            return str(error)
        case KeyError() | TypeError() | AttributeError() | AssertionError() | RecursionError() | LookupError():
            return "they are no values of its types"
    return str(error) or "they are no values of its types"


def _check(schema: Any, where: str, names: set[str], space: str) -> None:
    """Checks a schema; ``where`` names it in messages, ``names`` are the full names that are defined so far, ``space`` is the namespace around it."""
    if isinstance(schema, str):
        if schema not in _PRIMITIVES and _full_name(schema, space) not in names and schema not in names:
            raise _FaultError(f"{where} is of the type '{schema}', which is not defined")
    elif isinstance(schema, list):
        for branch in schema:
            if isinstance(branch, list):
                raise _FaultError(f"{where} is a union within a union")
            _check(branch, where, names, space)
    elif isinstance(schema, Mapping):
        _check_object(schema, where, names, space)
    else:
        raise _FaultError(f"{where} is {json.dumps(schema)}, where a type belongs")


def _check_object(schema: Mapping[str, Any], where: str, names: set[str], space: str) -> None:
    if "type" not in schema:
        raise _FaultError(f"{where} has no 'type'")
    kind = schema["type"]
    if not isinstance(kind, str):
        _check(kind, where, names, space)
        return
    if schema.get("logicalType") == "decimal":
        precision, scale = _number(schema, "precision", where, 1), _number(schema, "scale", where, 0, default=0)
        if scale > precision:
            raise _FaultError(f"{where} is a decimal of {precision} digits with {scale} after the point")
    if kind in _NAMED:
        space = schema.get("namespace", space)
        if not isinstance(space, str):
            raise _FaultError(f"the 'namespace' of {where} is not a text")
        name = _full_name(_text(schema, "name", where), space)
        where, space = f"'{name}'", name.rpartition(".")[0]
        names.add(name)
    if kind in ("record", "error"):
        _check_fields(schema, where, names, space)
    elif kind == "enum":
        symbols = schema.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(symbol, str) for symbol in symbols):
            raise _FaultError(f"{where} has no list of 'symbols'")
    elif kind == "fixed":
        _number(schema, "size", where, 0)
    elif kind in ("array", "map"):
        part = "items" if kind == "array" else "values"
        if part not in schema:
            raise _FaultError(f"{where} is of the type '{kind}', but has no '{part}'")
        _check(schema[part], f"'{part}' of {where}", names, space)
    else:
        _check(kind, where, names, space)


def _check_fields(schema: Mapping[str, Any], where: str, names: set[str], space: str) -> None:
    fields = schema.get("fields")
    if not isinstance(fields, list) or not all(isinstance(field, Mapping) for field in fields):
        raise _FaultError(f"{where} has no list of 'fields'")
    found = set()
    for number, field in enumerate(fields, 1):
        name = _text(field, "name", f"field {number} of {where}")
        if name in found:
            raise _FaultError(f"{where} has two fields '{name}'")
        found.add(name)
        if "type" not in field:
            raise _FaultError(f"the field '{name}' of {where} has no 'type'")
        _check(field["type"], f"the field '{name}' of {where}", names, space)


def _text(schema: Mapping[str, Any], key: str, where: str) -> str:
    value = schema.get(key)
    if not isinstance(value, str) or not value:
        raise _FaultError(f"{where} has no '{key}'")
    return value


def _number(schema: Mapping[str, Any], key: str, where: str, least: int, default: int | None = None) -> int:
    value = schema.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise _FaultError(f"{where} has no '{key}' that is a whole number from {least} up")
    return value


def _full_name(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"
