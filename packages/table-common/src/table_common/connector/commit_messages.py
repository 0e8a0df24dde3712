"""Commit messages as JSON: what a checkpoint stores of them. Reading one creates only the dataclass that its sink declares."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from table_common.connector.providers import ArrowSinkProvider, CommitMessage
from table_common.exceptions import TableException, TableRuntimeException

_HINT = (
    "A message is a JSON value (None, bool, int, float, str, and lists and dicts of them), or an object of the dataclass that the provider's "
    "'message_class' names."
)
_SCALARS = (bool, int, float, str, NoneType)


def message_to_json(provider: ArrowSinkProvider, message: CommitMessage) -> Any:
    """Returns the JSON value of a message, as it is stored.

    Raises:
        TableException: the message has no written form.

    Example:
        >>> from table_common.frozen_dataclass import dataclass
        >>> @dataclass(frozen=True)
        ... class Staged:
        ...     file: str | None
        ...     rows: dict[int, int]
        >>> class Provider(ArrowSinkProvider):
        ...     message_class = Staged
        ...     def create_writer(self, context):
        ...         raise NotImplementedError
        ...     def create_committer(self, context):
        ...         raise NotImplementedError
        >>> message_to_json(Provider(), Staged("part-0", {3: 8}))
        {'file': 'part-0', 'rows': {'3': 8}}
    """
    try:
        return _written(message, provider.message_class or Any, "message")
    except _MismatchError as error:
        raise TableException(
            f"The message that {type(provider).__name__}'s writer gives for the commit has no written form: {error}.", hint=_HINT
        ) from None


def message_from_json(provider: ArrowSinkProvider, value: Any) -> CommitMessage:
    """Returns the message that ``message_to_json`` has written.

    Raises:
        TableRuntimeException: it is not one of the sink's messages.

    Example:
        >>> class Provider(ArrowSinkProvider):
        ...     def create_writer(self, context):
        ...         raise NotImplementedError
        ...     def create_committer(self, context):
        ...         raise NotImplementedError
        >>> message_from_json(Provider(), {"staged": "part-0"})
        {'staged': 'part-0'}
    """
    try:
        message: CommitMessage = _read(value, provider.message_class or Any, "message")
    except _MismatchError as error:
        raise TableRuntimeException(
            f"A stored message is not one of {type(provider).__name__}: {error}.",
            hint="Another version of the connector wrote it, or the file was changed. Commit the epoch with the version that wrote it.",
        ) from None
    return message


class _MismatchError(Exception):
    """A value is not of the type of its place."""


def _written(value: Any, type_: Any, where: str) -> Any:
    kind, arguments = _kind_of(type_)
    if kind == "any":
        return _plain(value, where)
    if kind == "dataclass" and isinstance(value, type_):
        return {name: _written(getattr(value, name), inner, f"{where}.{name}") for name, inner in _fields_of(type_).items()}
    if kind == "union":
        inner = next((inner for inner in arguments if _has_type(value, inner)), None)
        if inner is not None:
            return _written(value, inner, where)
    if kind == "list" and isinstance(value, (list, tuple)):
        return [_written(item, arguments[0], f"{where}[{number}]") for number, item in enumerate(value)]
    if kind == "dict" and isinstance(value, Mapping) and all(type(key) is arguments[0] for key in value):
        return {str(key): _written(item, arguments[1], f"{where}[{key!r}]") for key, item in value.items()}
    if kind == "scalar" and _has_type(value, type_):
        return value
    raise _MismatchError(f"'{where}' is of the class {type(value).__name__}")


def _plain(value: Any, where: str) -> Any:
    if type(value) in _SCALARS:
        return value
    if type(value) in (list, tuple):
        return [_plain(item, f"{where}[{number}]") for number, item in enumerate(value)]
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: _plain(item, f"{where}[{key!r}]") for key, item in value.items()}
    raise _MismatchError(f"'{where}' is of the class {type(value).__name__}{' with other keys than texts' if type(value) is dict else ''}")


def _read(value: Any, type_: Any, where: str) -> Any:
    kind, arguments = _kind_of(type_)
    if kind == "any":
        return value
    if kind == "dataclass" and isinstance(value, dict):
        types = _fields_of(type_)
        if missing := [name for name in types if name not in value]:
            raise _MismatchError(f"'{where}' has no '{missing[0]}'")
        if unknown := sorted(set(value) - set(types)):
            raise _MismatchError(f"'{where}' has '{unknown[0]}', which is unknown")
        return type_(**{name: _read(value[name], inner, f"{where}.{name}") for name, inner in types.items()})
    if kind == "union":
        for inner in arguments:
            try:
                return _read(value, inner, where)
            except _MismatchError:
                continue
    if kind == "list" and isinstance(value, list):
        items = [_read(item, arguments[0], f"{where}[{number}]") for number, item in enumerate(value)]
        return tuple(items) if get_origin(type_) is tuple else items
    if kind == "dict" and isinstance(value, dict):
        try:
            return {arguments[0](key): _read(item, arguments[1], f"{where}[{key!r}]") for key, item in value.items()}
        except ValueError:
            raise _MismatchError(f"a key of '{where}' is no {arguments[0].__name__}") from None
    if kind == "scalar" and _has_type(value, type_):
        return value
    raise _MismatchError(f"'{where}' is {value!r:.100}")


def _kind_of(type_: Any) -> tuple[str, tuple[Any, ...]]:
    """Returns what an annotation of a message's field is, and the annotations inside.

    Raises:
        TableException: fields cannot have it.
    """
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ is Any:
        return "any", ()
    if type_ in _SCALARS:
        return "scalar", ()
    if isinstance(type_, type) and dataclasses.is_dataclass(type_):
        return "dataclass", ()
    if origin in (Union, UnionType):
        return "union", arguments
    if (origin in (list, Sequence) and len(arguments) == 1) or (origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis):
        return "list", arguments
    if origin in (dict, Mapping) and arguments[0] in (str, int):
        return "dict", arguments
    raise TableException(
        f"The class of a commit message has a field with the annotation {type_}, which has no written form.",
        hint="bool, int, float, str, X | None, list[X], tuple[X, ...], dict[str, X], dict[int, X], and dataclasses of these",
    )


def _fields_of(class_: Any) -> Mapping[str, Any]:
    hints = get_type_hints(class_)
    return {field.name: hints[field.name] for field in dataclasses.fields(class_)}


def _has_type(value: Any, type_: Any) -> bool:
    if type_ is float:
        return type(value) in (int, float)
    if type_ in _SCALARS:
        return type(value) is type_
    kind, _ = _kind_of(type_)
    if kind == "dataclass":
        return isinstance(value, type_)
    return kind == "any" or isinstance(value, Mapping if kind == "dict" else (list, tuple))
