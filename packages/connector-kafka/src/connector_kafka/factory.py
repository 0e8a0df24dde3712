"""The factory of the connector ``kafka``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_kafka import options as opt
from connector_kafka.columns import RecordColumns
from connector_kafka.modes import Mode
from connector_kafka.settings import startup_mode
from connector_kafka.topic_factory import Formats, TopicFactory
from connector_kafka.topics import Topics
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import RowKind
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory


class KafkaTableFactory(TopicFactory):
    """Creates sources and sinks of topics.

    Example:
        >>> KafkaTableFactory().factory_identifier
        'kafka'
    """

    @property
    @override
    def factory_identifier(self) -> str:
        return "kafka"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return opt.REQUIRED_OF_KAFKA

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return opt.OF_KAFKA

    @override
    def check_formats(self, context: DynamicTableFactory.Context, formats: Formats, where: str) -> None:
        key, value = context.catalog_table.resolved_schema.primary_key, formats[0]
        if key is not None and value is not None and value.get_changelog_mode().contains_only(RowKind.INSERT):
            raise ValidationException(
                f"The connector 'kafka' cannot have a primary key with a format of insertions, but {where} declares ({', '.join(key.columns)}).",
                hint="the connector 'upsert-kafka' has the last row of each key; formats of changes such as 'debezium-json' can have a key",
            )

    @override
    def columns(self, context: DynamicTableFactory.Context, config: ReadableConfig, where: str) -> RecordColumns:
        if config.get(opt.KEY_FORMAT) is not None and config.get(opt.KEY_FIELDS) is None:
            raise ValidationException(f"The option 'key.format' of {where} needs 'key.fields' too, which names the columns of the key.")
        names = [name.strip() for name in (config.get(opt.KEY_FIELDS) or "").split(";") if name.strip()]
        prefix = config.get(opt.KEY_PREFIX)
        return RecordColumns.of(context.physical_row_type, names, prefix, config.get(opt.VALUE_FIELDS) == "ALL", where)

    @override
    def startup_mode(self, config: ReadableConfig, topics: Topics, where: str) -> Mode:
        return startup_mode(config, topics, where)
