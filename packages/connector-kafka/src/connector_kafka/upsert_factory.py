"""The factory of the connector ``upsert-kafka``: the value of a message is the last row of its key."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_kafka import options as opt
from connector_kafka.columns import RecordColumns
from connector_kafka.modes import Mode
from connector_kafka.topic_factory import Formats, TopicFactory
from connector_kafka.topics import Topics
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import RowKind
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory


class UpsertKafkaTableFactory(TopicFactory):
    """Creates sources and sinks of topics whose messages are the last rows of their keys.

    Example:
        >>> UpsertKafkaTableFactory().factory_identifier
        'upsert-kafka'
    """

    is_upsert = True

    @property
    @override
    def factory_identifier(self) -> str:
        return "upsert-kafka"

    @property
    @override
    def required_options(self) -> Collection[ConfigOption[Any]]:
        return opt.REQUIRED_OF_UPSERT_KAFKA

    @property
    @override
    def optional_options(self) -> Collection[ConfigOption[Any]]:
        return opt.OF_UPSERT_KAFKA

    @override
    def check_formats(self, context: DynamicTableFactory.Context, formats: Formats, where: str) -> None:
        for format_ in formats:
            if format_ is not None and not format_.get_changelog_mode().contains_only(RowKind.INSERT):
                raise ValidationException(
                    f"The connector 'upsert-kafka' of {where} takes formats of rows, but '{type(format_).__name__}' has changes itself.",
                    hint="the connector 'kafka' reads and writes formats of changes",
                )

    @override
    def columns(self, context: DynamicTableFactory.Context, config: ReadableConfig, where: str) -> RecordColumns:
        key = context.catalog_table.resolved_schema.primary_key
        if key is None:
            raise ValidationException(
                f"The connector 'upsert-kafka' needs a primary key, but {where} declares none.",
                hint="declare PRIMARY KEY (…) NOT ENFORCED: its columns are the key of the messages; the connector 'kafka' needs none",
            )
        prefix = config.get(opt.KEY_PREFIX)
        return RecordColumns.of(context.physical_row_type, key.columns, prefix, config.get(opt.VALUE_FIELDS) == "ALL", where)

    @override
    def startup_mode(self, config: ReadableConfig, topics: Topics, where: str) -> Mode:
        return Mode("earliest-offset")  # an earlier row of a key is needed to know its last one

    @override
    def check_partitioner(self, partitioner: str, where: str) -> None:
        if partitioner == "fixed":
            raise ValidationException(
                f"'sink.partitioner' = 'fixed' of {where} would write rows of a key to several partitions; 'upsert-kafka' uses the hash of the key."
            )

    @override
    def reduced_rows(self, config: ReadableConfig, where: str) -> int:
        rows = config.get(opt.FLUSH_ROWS)
        if rows < 0:
            raise ValidationException(f"The option '{opt.FLUSH_ROWS.key}' of {where} must be at least 0, but is {rows}.")
        return rows
