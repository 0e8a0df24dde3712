"""The factory of the connector ``upsert-kafka``: the value of a message is the last row of its key."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_kafka import options as opt
from connector_kafka.cluster import Cluster
from connector_kafka.columns import RecordColumns
from connector_kafka.formats import RecordFormats
from connector_kafka.modes import Mode
from connector_kafka.settings import bounded_mode, partitioner_of, topic_of_sink, topics_of
from connector_kafka.sink import KafkaTableSink
from connector_kafka.source import KafkaTableSource
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import DecodingFormat, EncodingFormat, RowKind
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory

__all__ = ["UpsertKafkaTableFactory"]


class UpsertKafkaTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
    """Creates sources and sinks of topics whose messages are the last rows of their keys.

    Example:
        >>> UpsertKafkaTableFactory().factory_identifier
        'upsert-kafka'
    """

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
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> KafkaTableSource:
        formats = RecordFormats(self, context)
        config, where = formats.config, formats.where
        topics = topics_of(config, where)
        value, key = formats.value_decoding(), formats.key_decoding()
        _require_insertions(where, value, key)
        return KafkaTableSource(
            self.factory_identifier,
            f"Table {context.object_identifier.as_summary_string()}",
            Cluster.of(context.catalog_table.options, where),
            topics,
            _columns(context, config, where),
            key,
            value,
            Mode("earliest-offset"),  # an earlier row of a key is needed to know its last one
            bounded_mode(config, topics, where),
            config.get(opt.DISCOVERY).total_seconds(),
            config.get(opt.OUT_OF_RANGE),
            is_upsert=True,
        )

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> KafkaTableSink:
        formats = RecordFormats(self, context)
        config, where = formats.config, formats.where
        value, key = formats.value_encoding(), formats.key_encoding()
        _require_insertions(where, value, key)
        partitioner = partitioner_of(config, True, where)
        if partitioner == "fixed":
            raise ValidationException(
                f"'sink.partitioner' = 'fixed' of {where} would write rows of a key to several partitions; 'upsert-kafka' uses the hash of the key."
            )
        rows = config.get(opt.FLUSH_ROWS)
        if rows < 0:
            raise ValidationException(f"The option '{opt.FLUSH_ROWS.key}' of {where} must be at least 0, but is {rows}.")
        return KafkaTableSink(
            self.factory_identifier,
            Cluster.of(context.catalog_table.options, where),
            topic_of_sink(config, where),
            _columns(context, config, where),
            key,
            value,
            partitioner,
            config.get(opt.DELIVERY),
            config.get(opt.STAGING_FOLDER),
            is_upsert=True,
            reduced_rows=rows,
        )


def _columns(context: DynamicTableFactory.Context, config: ReadableConfig, where: str) -> RecordColumns:
    key = context.catalog_table.resolved_schema.primary_key
    if key is None:
        raise ValidationException(
            f"The connector 'upsert-kafka' needs a primary key, but {where} declares none.",
            hint="declare PRIMARY KEY (…) NOT ENFORCED: its columns are the key of the messages; the connector 'kafka' needs none",
        )
    prefix = config.get(opt.KEY_PREFIX)
    return RecordColumns.of(context.physical_row_type, key.columns, prefix, config.get(opt.VALUE_FIELDS) == "ALL", where)


def _require_insertions(where: str, *formats: DecodingFormat | EncodingFormat | None) -> None:
    for format_ in formats:
        if format_ is not None and not format_.get_changelog_mode().contains_only(RowKind.INSERT):
            raise ValidationException(
                f"The connector 'upsert-kafka' of {where} takes formats of rows, but '{type(format_).__name__}' has changes itself.",
                hint="the connector 'kafka' reads and writes formats of changes",
            )
