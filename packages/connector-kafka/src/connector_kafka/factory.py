"""The factory of the connector ``kafka``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from connector_kafka import options as opt
from connector_kafka.cluster import Cluster
from connector_kafka.columns import RecordColumns
from connector_kafka.formats import RecordFormats
from connector_kafka.settings import bounded_mode, partitioner_of, startup_mode, topic_of_sink, topics_of
from connector_kafka.sink import KafkaTableSink
from connector_kafka.source import KafkaTableSource
from table_common.annotation import override
from table_common.configuration import ConfigOption, ReadableConfig
from table_common.connector import DecodingFormat, EncodingFormat, RowKind
from table_common.exceptions import ValidationException
from table_common.factories import DynamicTableFactory, DynamicTableSinkFactory, DynamicTableSourceFactory

__all__ = ["KafkaTableFactory"]


class KafkaTableFactory(DynamicTableSourceFactory, DynamicTableSinkFactory):
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
    def create_dynamic_table_source(self, context: DynamicTableFactory.Context) -> KafkaTableSource:
        formats = RecordFormats(self, context)
        config, where = formats.config, formats.where
        topics = topics_of(config, where)
        value = formats.value_decoding()
        _require_no_key_of_changes(context, value, where)
        return KafkaTableSource(
            self.factory_identifier,
            f"Table {context.object_identifier.as_summary_string()}",
            Cluster.of(context.catalog_table.options, where),
            topics,
            _columns(context, config, where),
            formats.key_decoding(),
            value,
            startup_mode(config, topics, where),
            bounded_mode(config, topics, where),
            config.get(opt.DISCOVERY).total_seconds(),
            config.get(opt.OUT_OF_RANGE),
        )

    @override
    def create_dynamic_table_sink(self, context: DynamicTableFactory.Context) -> KafkaTableSink:
        formats = RecordFormats(self, context)
        config, where = formats.config, formats.where
        value = formats.value_encoding()
        _require_no_key_of_changes(context, value, where)
        columns = _columns(context, config, where)
        return KafkaTableSink(
            self.factory_identifier,
            Cluster.of(context.catalog_table.options, where),
            topic_of_sink(config, where),
            columns,
            formats.key_encoding(),
            value,
            partitioner_of(config, bool(columns.key), where),
            config.get(opt.DELIVERY),
            config.get(opt.STAGING_FOLDER),
        )


def _columns(context: DynamicTableFactory.Context, config: ReadableConfig, where: str) -> RecordColumns:
    if config.get(opt.KEY_FORMAT) is not None and config.get(opt.KEY_FIELDS) is None:
        raise ValidationException(f"The option 'key.format' of {where} needs 'key.fields' too, which names the columns of the key.")
    names = [name.strip() for name in (config.get(opt.KEY_FIELDS) or "").split(";") if name.strip()]
    return RecordColumns.of(context.physical_row_type, names, config.get(opt.KEY_PREFIX), config.get(opt.VALUE_FIELDS) == "ALL", where)


def _require_no_key_of_changes(context: DynamicTableFactory.Context, format_: DecodingFormat | EncodingFormat, where: str) -> None:
    """Raises a ``ValidationException`` if rows of an insert-only format are said to have a primary key."""
    key = context.catalog_table.resolved_schema.primary_key
    if key is not None and format_.get_changelog_mode().contains_only(RowKind.INSERT):
        raise ValidationException(
            f"The connector 'kafka' cannot have a primary key with a format of insertions, but {where} declares ({', '.join(key.columns)}).",
            hint="the connector 'upsert-kafka' has the last row of each key; formats of changes such as 'debezium-json' can have a key",
        )
