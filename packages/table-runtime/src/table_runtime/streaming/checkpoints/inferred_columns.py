"""Python objects as JSON and as columns whose type follows from their values, for the conversion of old checkpoints."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from table_common.data import Row
from table_common.exceptions import TableRuntimeException
from table_common.functions import ListView, MapView


def plain_message(message: Any, where: str) -> Any:
    """Returns a commit message as JSON: as ``message_to_json`` writes it for a sink that declares its class.

    Raises:
        TableRuntimeException: it cannot be written as JSON.
    """
    if dataclasses.is_dataclass(message) and not isinstance(message, type):
        return {field.name: plain_message(getattr(message, field.name), where) for field in dataclasses.fields(message)}
    if isinstance(message, (list, tuple)):
        return [plain_message(item, where) for item in message]
    if isinstance(message, Mapping):
        return {str(key): plain_message(item, where) for key, item in message.items()}
    if message is None or isinstance(message, (bool, int, float, str)):
        return message
    raise TableRuntimeException(
        f"{where.capitalize()} hold an object of the class {type(message).__qualname__}, which has no written form.",
        hint="Run the job once more with the version that wrote the folder, and stop it: then its last epoch is committed, and needs no message.",
    )


def inferred_column(values: Sequence[Any], where: str) -> pa.Array:
    """Returns accumulators as a column of a type that all of them have.

    Raises:
        TableRuntimeException: there is none.

    Example:
        >>> inferred_column([[1, 2], []], "the state").type
        ListType(list<item: int64>)
    """
    plain = [_plain(value) for value in values]
    try:
        return pa.array(plain, _type_of(plain))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise TableRuntimeException(
            f"In {where}, the accumulators of a user function cannot be written as a column: {error}",
            hint="Accumulators of values that have SQL types can be converted: numbers, texts, lists, dicts, Rows, dataclasses and views of them.",
        ) from error


class _Fields(dict[str, Any]):
    """The fields of an object."""


def _plain(value: Any) -> Any:
    if isinstance(value, ListView):
        return _Fields(list=[_plain(item) for item in value.get()])
    if isinstance(value, MapView):
        return _Fields(map=_plain(dict(value.items())))
    if isinstance(value, Row):
        names = value.get_field_names() or [f"f{number}" for number in range(len(value))]
        return _Fields(zip(names, map(_plain, value), strict=True))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _Fields({field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)})
    if hasattr(value, "__dict__"):
        return _Fields({name: _plain(item) for name, item in vars(value).items()})
    return value


def _type_of(values: Sequence[Any]) -> pa.DataType:
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, list) for value in present):
        return pa.list_(_type_of([item for value in present for item in value]))
    if present and all(isinstance(value, _Fields) for value in present):
        names = dict.fromkeys(name for value in present for name in value)
        return pa.struct([pa.field(name, _type_of([value.get(name) for value in present])) for name in names])
    if present and all(isinstance(value, dict) for value in present):
        keys, items = [key for value in present for key in value], [item for value in present for item in value.values()]
        return pa.map_(_type_of(keys), _type_of(items))
    return pa.array(present).type
