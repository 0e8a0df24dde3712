"""Reads the section ``modules`` of a configuration file (FLIP-68)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from table_common.exceptions import ValidationException

_HINT = "modules: [{name: core, type: core}, {name: hive, type: hive, hive-version: 2.3.10}]"


def read_module_section(section: object) -> dict[str, dict[str, str]]:
    """Returns the options of each module by its name, in the order of the list; values are texts, as in SQL.

    Raises:
        ValidationException: the section is not a list of maps with names, or a name occurs twice.
    """
    if not isinstance(section, Sequence) or isinstance(section, str):
        raise ValidationException(f"The section 'modules' must be a list, but is {_kind(section)}.", hint=_HINT)
    modules: dict[str, dict[str, str]] = {}
    for position, entry in enumerate(section, start=1):
        where = f"Entry {position} of the section 'modules'"
        if not isinstance(entry, Mapping):
            raise ValidationException(f"{where} must be a map with a name and options, but is {_kind(entry)}.", hint=_HINT)
        name = entry.get("name")
        if not isinstance(name, str) or not name:
            raise ValidationException(f"{where} has no name.", hint=_HINT)
        if name in modules:
            raise ValidationException(f"{where} has the name '{name}', like an earlier entry.", hint="give each module another name")
        modules[name] = {str(key): _text(value, f"The option '{key}' of module '{name}'") for key, value in entry.items() if key != "name"}
    return modules


def _text(value: object, where: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise ValidationException(f"{where} must be a text, a number or true or false, but is {_kind(value)}.")


def _kind(value: object) -> str:
    if value is None:
        return "empty"
    return "a map" if isinstance(value, Mapping) else "a list" if isinstance(value, (list, tuple)) else f"{value!r}"
