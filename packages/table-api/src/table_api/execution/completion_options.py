"""Keys and values of options, and paths, for completion."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from table_common.configuration import ConfigOption
from table_common.exceptions import TableError
from table_common.factories import DynamicTableFactory, Factory, FormatFactory
from table_common.restrictions import current_restrictions

_MOST_PATHS = 500


def table_keys(options: dict[str, str]) -> Iterable[str]:
    """Returns the keys of the options of a connector and its format."""
    keys = {"connector"}
    for prefix, factory in _factories(options):
        keys |= {f"{prefix}{option.key}" for option in _options(factory)}
    return keys


def table_values(options: dict[str, str], key: str) -> Iterable[str]:
    """Returns the connectors, the formats, or the values of an option that has few."""
    if key == "connector":
        return DynamicTableFactory.identifiers()
    if key == "format" or key.endswith(".format"):
        return FormatFactory.identifiers()
    for prefix, factory in _factories(options):
        for option in _options(factory):
            if f"{prefix}{option.key}" == key:
                return values_of(option)
    return ()


def values_of(option: ConfigOption[Any]) -> Iterable[str]:
    """Returns the values of an option that is true or false, or one of several words."""
    if isinstance(option.default, bool) or "true" in option.type_name:
        return ("true", "false")
    return re.findall("'([^']*)'", option.type_name) if option.type_name.startswith("one of") else ()


def file_paths(typed: str) -> Iterable[str]:
    """Returns the files and folders whose path begins with the text; none in a session that restricts paths."""
    if current_restrictions().paths is not None:
        return ()
    folder, _, _ = typed.rpartition("/")
    root = os.path.expanduser(folder) if folder else ("/" if typed.startswith("/") else ".")
    found = []
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if "/" in typed else entry.name
                if path.startswith(typed) and (not entry.name.startswith(".") or typed.rpartition("/")[2].startswith(".")):
                    found.append(path + "/" * entry.is_dir())
                if len(found) >= _MOST_PATHS:
                    break
    except OSError:
        return ()
    return found


def _factories(options: dict[str, str]) -> Iterator[tuple[str, Factory]]:
    for key, kind in (("connector", DynamicTableFactory), ("format", FormatFactory)):
        name = options.get(key)
        if name is None:
            continue
        try:
            yield ("" if key == "connector" else f"{name}."), kind.discover(name)
        except TableError:
            continue


def _options(factory: Any) -> Iterable[ConfigOption[Any]]:
    return (*factory.required_options, *factory.optional_options)
