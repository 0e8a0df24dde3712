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

_ESCAPED = frozenset("\"#%'*/:=?\\\x7f{[]^") | {chr(code) for code in range(1, 32)}


def partition_folder(keys: Sequence[str], values: Sequence[str | None], default_name: str) -> str:
    """Returns the folder of a partition; NULL and the empty string have the default name.

    Raises:
        TableRuntimeException: a value has a NUL character.
    """
    for key, value in zip(keys, values, strict=True):
        if value and "\0" in value:
            raise TableRuntimeException(
                f"A value of the partition column '{key}' contains the character NUL, which the name of a folder cannot contain.",
                hint=f"Write REPLACE({key}, U&'\\0000', '').",
            )
    return "/".join(f"{_escape(key)}={_escape(value) if value else default_name}" for key, value in zip(keys, values, strict=True))


def partition_values(file: PurePath, keys: Sequence[str], default_name: str) -> list[str | None]:
    """Returns the partition values in the names of a file's folders (relative to the table); None is NULL.

    Raises:
        TableRuntimeException: a key has no folder.
    """
    values: dict[str, str | None] = {}
    for part in file.parts[:-1]:
        key, separator, value = part.partition("=")
        if separator:
            values.setdefault(unquote(key), None if value == default_name else unquote(value))
    missing = [key for key in keys if key not in values]
    if missing:
        raise TableRuntimeException(
            f"The file '{file}' is in no folder '{missing[0]}=…', but the table is partitioned by {', '.join(keys)}.",
            hint="Partitions are folders such as key=value, one level per key.",
        )
    return [values[key] for key in keys]


def value_of_text(text: str | None, type_: LogicalType) -> PartitionValue:
    """Returns the value of a partition column from its text in folder names.

    Raises:
        TableRuntimeException: the text is not a value of the type.
    """
    if text is None or not isinstance(type_, BinaryStringType):
        return text
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise TableRuntimeException(f"The partition value '{text}' cannot be read as {type_.summary()}: it is not Base64.") from error


def text_of_value(value: PartitionValue) -> str | None:
    """Returns the text of a partition column's value in folder names."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def overwritten_files(
    old: Sequence[str], folders: Iterable[str], keys: Sequence[str], static_partition: Mapping[str, str], default_name: str
) -> list[str]:
    """Returns which of the old files INSERT OVERWRITE deletes.

    In a table without partitions these are all files. Otherwise they are the files of the written partitions (``folders``, relative to the
    table) and of ``static_partition`` (values as text) if it has all keys, even if no file is written to it.
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
