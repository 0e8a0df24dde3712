"""Partition values as folder names: ``day=2020-01-01/hour=3``."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from urllib.parse import unquote

from table_common.connector.source.abilities import PartitionValue
from table_common.exceptions import TableRuntimeException
from table_common.types import BinaryStringType, LogicalType

__all__ = ["overwritten_files", "partition_folder", "partition_values", "text_of_value", "value_of_text"]

_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{[]^") | {chr(code) for code in range(1, 32)}


def partition_folder(keys: Sequence[str], values: Sequence[str | None], default_name: str) -> str:
    """Returns the folder of a partition; NULL and the empty text go under the default name.

    Raises:
        TableRuntimeException: a value cannot be in the name of a folder.
    """
    for key, value in zip(keys, values, strict=True):
        if value and "\0" in value:
            raise TableRuntimeException(
                f"A value of the partition column '{key}' has the character NUL, which the name of a folder cannot have.",
                hint=f"Write REPLACE({key}, U&'\\0000', '').",
            )
    return "/".join(f"{_escape(key)}={_escape(value) if value else default_name}" for key, value in zip(keys, values, strict=True))


def partition_values(file: PurePath, keys: Sequence[str], default_name: str) -> list[str | None]:
    """Returns the values that a file's folders (relative to the table) give to the keys; None is NULL.

    Raises:
        TableRuntimeException: a key has no folder.
    """
    found: dict[str, str | None] = {}
    for part in file.parts[:-1]:
        key, separator, value = part.partition("=")
        if separator:
            found.setdefault(unquote(key), None if value == default_name else unquote(value))
    missing = [key for key in keys if key not in found]
    if missing:
        raise TableRuntimeException(
            f"The file '{file}' is in no folder '{missing[0]}=…', but the table is partitioned by {', '.join(keys)}.",
            hint="Partitions are folders such as key=value, one level per key.",
        )
    return [found[key] for key in keys]


def value_of_text(text: str | None, type_: LogicalType) -> PartitionValue:
    """Returns the value of a partition key, of which folders hold the text.

    Raises:
        TableRuntimeException: the text is not that of a value.
    """
    if text is None or not isinstance(type_, BinaryStringType):
        return text
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise TableRuntimeException(f"The partition value '{text}' cannot be read as {type_.summary()}: it is no Base64.") from error


def text_of_value(value: PartitionValue) -> str | None:
    """Returns the text of a partition key's value as folders hold it."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def overwritten_files(
    old: Sequence[str], folders: Iterable[str], keys: Sequence[str], static_partition: Mapping[str, str], default_name: str
) -> list[str]:
    """Returns which of the old files go when a table is overwritten.

    Those are all in a table without partitions, else those of the partitions that get files (``folders``, relative to the table) and of
    ``static_partition`` (its values as text) if it names all keys, even where it gets no file.
    """
    if not keys:
        return list(old)
    written = {_unescaped(PurePath(folder)) for folder in folders}
    if all(key in static_partition for key in keys):
        written.add(_unescaped(PurePath(partition_folder(keys, [static_partition[key] for key in keys], default_name))))
    return [name for name in old if _unescaped(PurePath(name).parent) in written]


def _unescaped(folder: PurePath) -> tuple[str, ...]:
    # Engines escape different characters.
    return tuple(unquote(part) for part in folder.parts)


def _escape(text: str) -> str:
    return "".join(f"%{ord(character):02X}" if character in _ESCAPED else character for character in text)
