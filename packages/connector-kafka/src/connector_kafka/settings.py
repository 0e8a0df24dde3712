"""What both factories read from the options of a table: topics, and where a scan begins and ends."""

from __future__ import annotations

import re

from connector_kafka.modes import Mode, parse_offsets
from connector_kafka.options import (
    BOUNDED_MODE,
    BOUNDED_OFFSETS,
    BOUNDED_TIMESTAMP,
    PARTITIONER,
    STARTUP_MODE,
    STARTUP_OFFSETS,
    STARTUP_TIMESTAMP,
    TOPIC,
    TOPIC_PATTERN,
)
from connector_kafka.topics import Topics
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.exceptions import ValidationException
from table_common.frozen_dataclass import dataclass

PARTITIONERS = ("default", "fixed", "round-robin")


@dataclass(frozen=True, slots=True)
class _ModeOptions:
    mode: ConfigOption[str]
    timestamp: ConfigOption[int]
    offsets: ConfigOption[str]


_STARTUP = _ModeOptions(STARTUP_MODE, STARTUP_TIMESTAMP, STARTUP_OFFSETS)
_BOUNDED = _ModeOptions(BOUNDED_MODE, BOUNDED_TIMESTAMP, BOUNDED_OFFSETS)


def topics_of(config: ReadableConfig, where: str) -> Topics:
    """Returns the topics to read.

    Raises:
        ValidationException: neither or both of ``topic`` and ``topic-pattern`` are set, or the pattern cannot be read.
    """
    names, pattern = config.get_optional(TOPIC), config.get_optional(TOPIC_PATTERN)
    if names is not None and pattern is not None:
        raise ValidationException(f"The options of {where} must have either 'topic' or 'topic-pattern', but both are set.")
    if pattern is not None:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValidationException(f"The option 'topic-pattern' of {where} is not a regular expression: {error}.") from None
        return Topics(pattern=pattern)
    if names is None:
        raise ValidationException(f"The options of {where} must have either 'topic' or 'topic-pattern', but none is set.")
    return Topics(_names(names, where))


def topic_of_sink(config: ReadableConfig, where: str) -> str:
    """Returns the topic to write.

    Raises:
        ValidationException: the options do not name exactly one topic.
    """
    topics = topics_of(config, where)
    if len(topics.names) != 1:
        raise ValidationException(
            f"{where[0].upper()}{where[1:]} cannot be written, because its options name {topics}.", hint="a table for writing has one topic"
        )
    return topics.names[0]


def _names(text: str, where: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(";")))
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9._-]{1,249}", name) or name in (".", ".."):
            raise ValidationException(
                f"The option 'topic' of {where} has the name '{name}', which no topic can have.",
                hint="names have up to 249 letters, digits, '.', '_' and '-'; several are separated by semicolons",
            )
    return names


def startup_mode(config: ReadableConfig, topics: Topics, where: str) -> Mode:
    """Returns where a scan begins."""
    return _mode(config, _STARTUP, topics, where)


def bounded_mode(config: ReadableConfig, topics: Topics, where: str) -> Mode | None:
    """Returns where a scan ends; None: nowhere."""
    mode = _mode(config, _BOUNDED, topics, where)
    return None if mode.kind == "unbounded" else mode


def _mode(config: ReadableConfig, options: _ModeOptions, topics: Topics, where: str) -> Mode:
    kind = config.get(options.mode)
    for value, option in (("timestamp", options.timestamp), ("specific-offsets", options.offsets)):
        if kind == value and config.get(option) is None:
            raise ValidationException(f"'{options.mode.key}' = '{value}' of {where} needs the option '{option.key}'.")
    if kind == "specific-offsets":
        if len(topics.names) != 1:
            raise ValidationException(f"'{options.mode.key}' = 'specific-offsets' of {where} needs a single topic, but it reads {topics}.")
        return Mode(kind, offsets=parse_offsets(config.get(options.offsets), options.offsets.key, where))
    return Mode(kind, timestamp=config.get(options.timestamp) or 0)


def partitioner_of(config: ReadableConfig, has_key: bool, where: str) -> str:
    """Returns the partitioner of a sink.

    Raises:
        ValidationException: it is unknown, or ``round-robin`` for messages with keys.
    """
    name = config.get(PARTITIONER)
    if name not in PARTITIONERS:
        raise ValidationException(
            f"The option 'sink.partitioner' of {where} is '{name}', but must be one of {', '.join(PARTITIONERS)}.",
            hint="classes of Java cannot be called",
        )
    if name == "round-robin" and has_key:
        raise ValidationException(
            f"'sink.partitioner' = 'round-robin' of {where} cannot be used with 'key.fields': rows of a key would have no order."
        )
    return name
