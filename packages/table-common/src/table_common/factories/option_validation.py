"""Checks the options of a table, format, catalog or module against what its factory declares."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from table_common.configuration import ConfigOption, ReadableConfig
from table_common.exceptions import ValidationException, closest


def is_version_key(key: str) -> bool:
    """Returns whether the option selects the version of a factory: ``connector.version``, ``key.format.version``.

    Discovery reads it; no factory declares it.
    """
    kind, _, last = key.rpartition(".")
    return last == "version" and kind.rpartition(".")[2] in ("connector", "format")


def validate_options(
    options: Mapping[str, str],
    required: Collection[ConfigOption[Any]],
    optional: Collection[ConfigOption[Any]],
    where: str,
    *,
    ignored_prefixes: Iterable[str] = (),
) -> ReadableConfig:
    """Returns the options as a readable map after checking that none is missing, unknown or invalid.

    Args:
        ignored_prefixes: keys with these prefixes, such as ``csv.``, are not checked here.

    Raises:
        ValidationException: an option is missing, unknown or invalid; the message lists all of them, with the closest accepted keys.

    Example:
        >>> from table_common.configuration import ConfigOptions
        >>> topic = ConfigOptions.key("topic").string_type().no_default_value()
        >>> validate_options({"topic": "orders"}, [topic], [], "table t").get(topic)
        'orders'
    """
    config = ReadableConfig(options)
    missing = [option.key for option in required if not any(key in options for key in option.all_keys)]
    accepted = {key for option in (*required, *optional) for key in option.all_keys}
    prefixes = tuple(ignored_prefixes)
    unknown = [key for key in options if key not in accepted and not key.startswith(prefixes or ("\0",)) and not is_version_key(key)]
    problems = []
    if missing:
        problems.append(f"missing: {', '.join(sorted(missing))}")
    for key in sorted(unknown):
        suggestion = closest(key, accepted, 1)
        problems.append(f"unknown: '{key}'" + (f" (did you mean '{suggestion[0]}'?)" if suggestion else ""))
    if problems:
        from table_common.secrets import mask_options  # only where something is wrong

        given = ", ".join(f"'{key}'='{value}'" for key, value in sorted(mask_options(options).items()))
        raise ValidationException(
            f"The options of {where} are not valid: {'; '.join(problems)}. "
            f"Required: {', '.join(sorted(o.key for o in required)) or 'none'}. "
            f"Optional: {', '.join(sorted(o.key for o in optional)) or 'none'}. Given: {given or 'none'}."
        )
    for option in (*required, *optional):
        config.get(option)
    return config
